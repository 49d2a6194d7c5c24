/** Sessions of the console in a real browser: how long they last, which tabs share them, and what other pages cannot do with them. */

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type Server as NetServer } from 'node:net';
import { pipeline } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import type { Page } from 'playwright-core';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueSignInCode } from '../../src/access/sign-in.ts';
import { aboveStore } from '../support/above-store.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { oneEngine } from '../support/engines.ts';
import { bodyOf, PARTNERS } from '../support/rows.ts';
import { keyId } from '../support/service.ts';
import { rows } from './views.ts';

const accountOf = (page: Page) => page.getByRole('button', { name: /^Account/ }).getAttribute('aria-label');

async function signInWith(page: Page, key: string, isRemembered = false): Promise<void> {
  await page.getByLabel('API key').fill(key);
  if (isRemembered) await page.getByText('Remember me on this device').click();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await rows(page);
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').waitFor();
}

describe.each(aboveStore)('on $name', (engine) => {
  let app: TestConsole;
  beforeAll(async () => {
    app = await startConsole(engine);
  });
  afterAll(() => app.close());

  const activeSessions = async (key: string) =>
    (await app.service.store.keys.list(app.service.acme.id)).filter(
      ({ sessionOf, revokedAt }) => sessionOf === keyId(key) && revokedAt === null,
    ).length;

  test('all tabs share a session, and signing out in one ends it in all of them', async () => {
    const key = await app.service.issue(app.service.acme);
    const { page: one, close } = await app.open('/partners', { key: null });
    const two = await one.context().newPage();
    await two.goto(`${app.origin}/partners?live=true`);
    await two.getByLabel('API key').waitFor();
    await signInWith(one, key);
    // The other tab was waiting for it, and a new one need not ask.
    await rows(two);
    const three = await one.context().newPage();
    await three.goto(`${app.origin}/partners?sort=-name`);
    await rows(three);
    expect(await activeSessions(key)).toBe(1);
    await signOut(two);
    for (const page of [one, three]) await page.getByText('You signed out in another tab.').waitFor();
    expect(await activeSessions(key)).toBe(0);
    expect(await one.context().cookies()).toEqual([]);
    const still = await fetch(`${app.origin}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } });
    expect(still.status).toBe(200);
    // All tabs show the person who signs in next.
    await signInWith(three, await app.service.issue(app.service.globex));
    await rows(one);
    await rows(two);
    expect([await accountOf(one), await accountOf(two)]).toEqual(['Account globex', 'Account globex']);
    await close();
  });

  test.each([
    ['a remembered one survives', true],
    ['another one does not survive', false],
  ])('%s a restart of the browser', async (_, isRemembered) => {
    const first = await app.open('/partners', { key: null });
    await signInWith(first.page, app.service.key, isRemembered);
    const state = await first.page.context().storageState();
    await first.close();
    // A browser that is closed forgets the cookies without an end.
    const cookies = state.cookies.filter(({ expires }) => expires > 0);
    const second = await app.open('/partners', { key: null, storageState: { ...state, cookies } });
    if (isRemembered) await rows(second.page);
    else {
      await second.page.getByLabel('API key').waitFor();
      expect(await second.page.getByRole('alert').count()).toBe(0);
    }
    await second.close();
  });

  test('a session ends with its key, and says so', async () => {
    const key = await app.service.issue(app.service.acme);
    const { page, close } = await app.open('/partners', { key });
    await rows(page);
    await app.service.store.keys.revoke(keyId(key), new Date().toISOString());
    // The request that follows the changes of the page may be refused first, and then the link is gone.
    const ended = page.getByText(/This session ended/);
    await Promise.any([page.getByRole('link', { name: 'Companies' }).click(), ended.waitFor()]);
    await ended.waitFor();
    await page.reload();
    await page.getByLabel('API key').waitFor();
    await close();
  });

  test('the key that an earlier version stored is replaced by a session', async () => {
    const { page, close } = await app.open('/docs', { key: null });
    await page.evaluate(`sessionStorage.setItem('stockbook-key', ${JSON.stringify(app.service.key)})`);
    await page.goto(`${app.origin}/partners`);
    await rows(page);
    expect(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')).not.toContain('sbk_');
    await page.reload();
    await rows(page);
    await page.evaluate("sessionStorage.setItem('stockbook-key', 'sbk_gone')");
    await page.reload();
    await page.getByText('not a complete key').waitFor();
    expect(await page.evaluate("sessionStorage.getItem('stockbook-key')")).toBe(null);
    await close();
  });

  test('signing out while the service does not respond says so, and can be repeated', async () => {
    const { page, close } = await app.open('/partners');
    await rows(page);
    await page.route('**/api/v1/session', (route) => route.abort());
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText(/You are still signed in/).waitFor();
    await page.unroute('**/api/v1/session');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    await close();
  });

  test('a link is not used up before somebody agrees, and an interrupted one is tried again', async () => {
    const code = await issueSignInCode(app.service.store.keys, app.service.acme.id, Date.now());
    const first = await app.open(`/partners#code=${code}`, { key: null });
    await first.page.getByText('You have opened a link').waitFor();
    await first.close();
    const { page, close } = await app.open(`/partners#code=${code}`, { key: null });
    await page.route('**/api/v1/me', (route) => route.abort());
    await page.getByText('Remember me on this device').click();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'The service does not respond' }).waitFor();
    await page.unroute('**/api/v1/me');
    await page.getByRole('button', { name: 'Try again' }).click();
    await rows(page);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ name: 'stockbook', httpOnly: true, sameSite: 'Strict', path: '/' });
    expect((cookie?.expires ?? 0) * 1_000 - Date.now()).toBeGreaterThan(29 * 86_400_000);
    await close();
  });
});

/** The port. */
async function listen(server: NetServer): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** What a page of somebody else can make a browser send. Each resolves when there is a response, or when there will be none. */
const FORGERIES: readonly (readonly [name: string, script: (target: string) => string])[] = [
  ['a request', (target) => `fetch('${target}', { credentials: 'include' })`],
  [
    'a request whose response it cannot see',
    (target) => `fetch('${target}', { credentials: 'include', mode: 'no-cors' })`,
  ],
  [
    'a create that needs no permission',
    (target) =>
      `fetch('${target}', { method: 'POST', credentials: 'include', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body: '{"name":"Forged"}' })`,
  ],
  [
    'a create with the header of the console',
    (target) =>
      `fetch('${target}', { method: 'POST', credentials: 'include', headers: { 'stockbook-console': 'http', 'content-type': 'application/json' }, body: '{"name":"Forged"}' })`,
  ],
  [
    'an image',
    (target) =>
      `new Promise((done) => { const image = new Image(); image.onload = image.onerror = done; image.src = '${target}'; })`,
  ],
];

describe.each(oneEngine)('on $name', (engine) => {
  let app: TestConsole;
  let evil: Server;
  let evilPort: number;
  beforeAll(async () => {
    // The strongest case: any page may use the API, with a key.
    app = await startConsole(engine, { settings: { 'cors-origins': '*' } });
    evil = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html>'));
    evilPort = await listen(evil);
  });
  afterAll(async () => {
    evil.close();
    await app.close();
  });

  const partners = () => app.service.send({ path: `${PARTNERS}?filter=name=Forged` });

  // Another port of the same host is the same site, so the browser adds the cookie to what it sends.
  describe.each([
    ['of another site', 'localhost'],
    ['of the same site', '127.0.0.1'],
  ])('a page %s', (_, host) => {
    test.each(FORGERIES)('cannot use the session with %s', async (_name, script) => {
      const { page, close } = await app.open('/partners');
      await rows(page);
      const other = await page.context().newPage();
      await other.goto(`http://${host}:${evilPort}/`);
      const asked: number[] = [];
      other.on('response', (response) => {
        if (response.url().startsWith(app.origin)) asked.push(response.status());
      });
      const outcome = await other.evaluate(
        `(${script(`${app.origin}${PARTNERS}`)}).then((response) => response?.status ?? 0, () => 'refused')`,
      );
      expect(['refused', 0, 401]).toContain(outcome);
      expect(asked.filter((status) => status < 300 && status !== 204)).toEqual([]);
      expect(bodyOf(await partners()).meta.total).toBe(0);
      await close();
    });

    test('cannot use the session with a form, nor sign anybody out', async () => {
      const { page, close } = await app.open('/partners');
      await rows(page);
      const other = await page.context().newPage();
      await other.goto(`http://${host}:${evilPort}/`);
      const answered = other.waitForResponse((response) => response.url().startsWith(app.origin));
      await other.evaluate(`
        document.body.innerHTML = '<form method="post" enctype="text/plain" action="${app.origin}${PARTNERS}"><input name=\\'{"name":"Forged","x":"\\' value=\\'"}\\'></form>';
        document.forms[0].submit();
      `);
      expect((await answered).status()).toBe(401);
      await other.waitForURL(`${app.origin}/**`);
      expect(bodyOf(await partners()).meta.total).toBe(0);
      await other.goto(`http://${host}:${evilPort}/`);
      const ended = await other.evaluate(
        `fetch('${app.origin}/api/v1/session', { method: 'DELETE', credentials: 'include' }).then(({ status }) => status, () => 'refused')`,
      );
      expect(['refused', 401]).toContain(ended);
      await page.reload();
      await rows(page);
      await close();
    });
  });

  test('a person who opens an address of the API gets no data', async () => {
    const { page, close } = await app.open('/partners');
    await rows(page);
    const reply = await page.goto(`${app.origin}${PARTNERS}`);
    expect(reply?.status()).toBe(401);
    await close();
  });

  test('the reference does not use the session', async () => {
    const { page, close } = await app.open('/partners');
    await rows(page);
    await page.goto(`${app.origin}/docs`);
    expect(await page.evaluate(`fetch('${PARTNERS}').then(({ status }) => status)`)).toBe(401);
    await close();
  });

  test('hosts do not share a cookie, and a response of one account is not shown to another', async () => {
    const { page, close } = await app.open('/partners', { key: null });
    const origin = (account: string) => `http://${account}.localhost:${app.service.port}`;
    await page.goto(`${origin('acme')}/partners`);
    await signInWith(page, app.service.key);
    const names = await page.getByRole('grid').textContent();
    await page.goto(`${origin('globex')}/partners`);
    await page.getByLabel('API key').waitFor();
    expect(
      await page.evaluate(
        `fetch('/api/v1/me', { headers: { 'stockbook-console': 'http' } }).then(({ status }) => status)`,
      ),
    ).toBe(401);
    await page.goto(`http://localhost:${app.service.port}/partners`);
    await signInWith(page, app.service.key);
    expect(await page.getByRole('grid').textContent()).toBe(names);
    await signOut(page);
    // The browser still has what acme got from the same address.
    await signInWith(page, await app.service.issue(app.service.globex));
    expect(await accountOf(page)).toBe('Account globex');
    expect(await page.getByRole('grid').textContent()).not.toBe(names);
    await close();
  });

  test('a cookie that another page has set is not a session, and does not become one', async () => {
    const { page, close } = await app.open('/partners', { key: null });
    await page.getByLabel('API key').waitFor();
    // Fixation: the attacker knows this key, and wants it to become that of the victim.
    const attacker = await fetch(`${app.origin}/api/v1/session`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await app.service.issue(app.service.globex)}`,
        'stockbook-console': 'http',
        'content-type': 'application/json',
      },
      body: '{"remember":false}',
    });
    const [, planted = ''] = /^stockbook=(\w+)/.exec(attacker.headers.get('set-cookie') ?? '') ?? [];
    await page.context().addCookies([{ name: 'stockbook', value: planted, url: app.origin }]);
    await signInWith(page, app.service.key);
    const [cookie] = await page.context().cookies();
    expect(cookie?.value).not.toBe(planted);
    expect(await accountOf(page)).toBe('Account acme');
    await close();
  });

  test('behind a proxy that terminates TLS, only this host can have set the cookie', async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }]);
    const proxy = createTlsServer({ cert, key }, (socket) => {
      const service = connect(app.service.port, '127.0.0.1');
      // Either may leave at any time.
      pipeline(socket, service, socket, () => undefined);
    });
    const origin = `https://acme.localhost:${await listen(proxy)}`;
    const { page, close } = await app.open('/', { key: null, ignoreHTTPSErrors: true });
    await page.goto(`${origin}/partners`);
    await signInWith(page, app.service.key);
    const cookies = () => page.context().cookies();
    expect(await cookies()).toMatchObject([
      {
        name: '__Host-stockbook',
        domain: 'acme.localhost',
        path: '/',
        secure: true,
        httpOnly: true,
        sameSite: 'Strict',
      },
    ]);
    const [{ value = '' } = {}] = await cookies();
    await page.reload();
    await rows(page);
    await signOut(page);
    expect(await cookies()).toEqual([]);
    // What another host of the domain could set: the key of a session, without the prefix.
    await signInWith(page, app.service.key);
    const [{ value: planted = '' } = {}] = await cookies();
    expect(planted).not.toBe(value);
    await page.context().clearCookies();
    await page.context().addCookies([{ name: 'stockbook', value: planted, url: origin }]);
    await page.reload();
    await page.getByLabel('API key').waitFor();
    await close();
    proxy.close();
  });
});
