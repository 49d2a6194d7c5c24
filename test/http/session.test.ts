/** Browser sessions: a cookie in place of a key, which counts only if the console sends it, and ends with the key it comes from. */

import { describe, expect, test } from 'vitest';
import { newKey, rotateKey } from '../../src/access/issue-key.ts';
import { issueSignInCode } from '../../src/access/sign-in.ts';
import { timestamp } from '../../src/schedule/clock.ts';
import { type Account, MAX_SESSIONS, MAX_SIGN_INS } from '../../src/store/store.ts';
import { aboveStore } from '../support/above-store.ts';
import { oneEngine } from '../support/engines.ts';
import { rpcRequest } from '../support/mcp.ts';
import { bodyOf, checkReply, createPartner, PRODUCTS } from '../support/rows.ts';
import { bearer, keyId, type TestReply, type TestRequest, type TestService } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';
import { TestClock } from '../support/test-clock.ts';

const SESSION = '/api/v1/session';
const ME = '/api/v1/me';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

type Headers = NonNullable<TestRequest['headers']>;

const CONSOLE: Headers = { 'stockbook-console': 'http' };

const start = (key: string, remember = false, headers: Headers = {}): TestRequest => ({
  method: 'POST',
  path: SESSION,
  headers: { ...CONSOLE, ...bearer(key), 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ remember }),
});

/** A request of the console. The browser adds the cookie. */
const withCookie = (cookie: string, request: TestRequest = { path: ME }): TestRequest => ({
  ...request,
  headers: { authorization: undefined, cookie, ...CONSOLE, ...request.headers },
});

/** What a browser sends back. */
function cookieOf({ headers }: TestReply): string {
  return headers['set-cookie']?.split(';')[0] ?? '';
}

const keyOf = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1);

async function signIn(service: TestService, key = service.key, remember = false): Promise<string> {
  const reply = await service.send(start(key, remember));
  expect(reply).toRespond(204);
  return cookieOf(reply);
}

async function lastAction({ store }: TestService, account: Account) {
  for await (const [entry] of store.audit.entries({ account: account.name, limit: 1 }))
    if (entry !== undefined) return { ...entry, details: JSON.parse(entry.details) };
  return undefined;
}

describe.each(aboveStore)('on $name', (engine) => {
  const clock = new TestClock();
  const service = sharedService(engine, { clock });
  const statusOf = async (cookie: string) => (await service.send(withCookie(cookie))).status;

  test('a key begins a session with a key of its own, which a cookie has', async () => {
    const key = await service.issue(service.acme, { scopes: ['product:read'] });
    const reply = await service.send(start(key));
    checkReply(reply, {
      status: 204,
      headers: {
        'set-cookie': /^stockbook=sbk_\w+; Path=\/; HttpOnly; SameSite=Strict$/,
        'cache-control': 'no-store',
        etag: undefined,
      },
    });
    expect(reply.text).toBe('');
    const cookie = cookieOf(reply);
    const session = keyId(keyOf(cookie));
    expect(session).not.toBe(keyId(key));
    const me = await service.send(withCookie(cookie));
    checkReply(me, { status: 200, has: { data: { key: { id: session, name: 'test', scopes: ['product:read'] } } } });
    const { createdAt, expiresAt } = bodyOf(me).data.key;
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(12 * HOUR);
    expect(await lastAction(service, service.acme)).toMatchObject({
      action: 'signed in',
      actor: `key ${keyId(key)}`,
      origin: '127.0.0.1',
      details: { key: keyId(key), session, scopes: ['product:read'], expiresAt },
    });
    const products = await service.send(withCookie(cookie, { path: PRODUCTS }));
    checkReply(products, { status: 200, headers: { vary: /\bcookie\b/, 'cache-control': 'private, no-cache' } });
    expect(await service.send(withCookie(cookie, createPartner('Not permitted')))).toRespond(403);
  });

  test('a remembered session lasts 30 days, and never longer than its key', async () => {
    const reply = await service.send(start(service.key, true));
    expect(reply.headers['set-cookie']).toMatch(/; Max-Age=2592000$/);
    const short = await service.issue(service.acme, { expiresAt: new Date(clock.wall() + DAY).toISOString() });
    const bounded = await service.send(start(short, true));
    expect(Number(/Max-Age=(\d+)$/.exec(bounded.headers['set-cookie'] ?? '')?.[1])).toBeLessThanOrEqual(DAY / 1_000);
    clock.elapse(DAY);
    expect(await statusOf(cookieOf(reply))).toBe(200);
    checkReply(await service.send(withCookie(cookieOf(bounded))), {
      status: 401,
      has: { code: 'key_not_accepted', detail: expect.stringMatching(/^This session expired on /) },
    });
    clock.elapse(29 * DAY);
    expect(await statusOf(cookieOf(reply))).toBe(401);
  });

  test('only the key that people have is said to expire soon', async () => {
    const cookie = await signIn(service);
    expect((await service.send(withCookie(cookie))).headers['stockbook-key-expires']).toBeUndefined();
    const expiresAt = new Date(clock.wall() + DAY).toISOString();
    const bounded = await signIn(service, await service.issue(service.acme, { expiresAt }));
    expect((await service.send(withCookie(bounded))).headers['stockbook-key-expires']).toBe(expiresAt);
  });

  test('the code of a link begins a session with the scopes of the link, once', async () => {
    const code = await issueSignInCode(service.store.keys, service.acme.id, clock.wall(), {
      scopes: ['read', 'product:edit'],
    });
    const cookie = await signIn(service, code, true);
    checkReply(await service.send(withCookie(cookie)), {
      status: 200,
      has: { data: { key: { name: 'console', scopes: ['read', 'product:edit'] } } },
    });
    expect(await lastAction(service, service.acme)).toMatchObject({
      action: 'sign-in link used',
      details: { code: keyId(code), key: keyId(keyOf(cookie)) },
    });
    checkReply(await service.send(start(code)), {
      status: 401,
      has: { detail: expect.stringMatching(/^This sign-in link was used on /) },
    });
    expect(await statusOf(cookie)).toBe(200);
  });

  test('signing out revokes the key of the session, not the one it comes from', async () => {
    const [cookie, other] = [await signIn(service), await signIn(service)];
    expect(await statusOf(cookie)).toBe(200);
    const reply = await service.send(withCookie(cookie, { method: 'DELETE', path: SESSION }));
    checkReply(reply, {
      status: 204,
      headers: {
        'set-cookie': 'stockbook=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0',
        'cache-control': 'no-store',
      },
    });
    for (const request of [withCookie(cookie), { path: ME, headers: bearer(keyOf(cookie)) }])
      checkReply(await service.send(request), {
        status: 401,
        has: { detail: expect.stringMatching(/^This session ended on /), suggestion: 'Sign in again.' },
      });
    expect(await lastAction(service, service.acme)).toMatchObject({
      action: 'signed out',
      actor: `key ${keyId(keyOf(cookie))}`,
      details: { session: keyId(keyOf(cookie)) },
    });
    expect(await statusOf(other)).toBe(200);
    expect(await service.send({ path: ME })).toRespond(200);
  });

  test.each<[string, (key: string) => Promise<unknown>, number]>([
    ['revoked', (key) => service.store.keys.revoke(keyId(key), timestamp(clock)), 0],
    ['rotated without an overlap', (key) => rotate(key, 0), 0],
    ['rotated, at the end of the overlap', (key) => rotate(key, HOUR), HOUR + 1_000],
  ])('a session ends when its key is %s', async (_, end, later) => {
    const key = await service.issue(service.acme);
    const cookie = await signIn(service, key);
    expect(await statusOf(cookie)).toBe(200);
    await end(key);
    if (later > 0) expect(await statusOf(cookie)).toBe(200);
    clock.elapse(later);
    checkReply(await service.send(withCookie(cookie)), {
      status: 401,
      has: { code: 'key_not_accepted', detail: expect.stringMatching(/^This session (ended|expired) on /) },
    });
    const listed = (await service.store.keys.list(service.acme.id)).find(({ id }) => id === keyId(keyOf(cookie)));
    expect(listed).toMatchObject({ sessionOf: keyId(key), ...(later === 0 && { revokedAt: expect.any(String) }) });
  });

  async function rotate(key: string, overlap: number) {
    const found = await service.store.keys.find(keyId(key));
    if (found === undefined) throw new Error('there is no such key');
    expect(await rotateKey(service.store.keys, found.key, clock.wall(), overlap)).toBeDefined();
  }

  test('those that have ended count no longer, and end no other', async () => {
    const { acme } = service;
    const key = await service.issue(acme);
    const colleague = await signIn(service, key, true);
    for (let n = 0; n < 3; n += 1) {
      const cookie = await signIn(service, key);
      expect(await service.send(withCookie(cookie, { method: 'DELETE', path: SESSION }))).toRespond(204);
    }
    // They stay for a minute, so that those who sign in all the time are noticed.
    await signInLater(key, MAX_SESSIONS - 1, 61_000);
    const sessions = (await service.store.keys.list(acme.id)).filter(({ sessionOf }) => sessionOf === keyId(key));
    expect(sessions.filter(({ revokedAt }) => revokedAt !== null)).toEqual([]);
    expect(sessions).toHaveLength(MAX_SESSIONS);
    expect(await statusOf(colleague)).toBe(200);
  });

  test('signing in again ends the session that the browser had, and no other, but only if it succeeds', async () => {
    const [key, code] = [
      await service.issue(service.acme),
      await issueSignInCode(service.store.keys, service.acme.id, clock.wall()),
    ];
    const [first, other] = [await signIn(service, key), await signIn(service, key)];
    expect(await service.send(start('sbk_wrong', false, { cookie: first }))).toRespond(401);
    expect(await statusOf(first)).toBe(200);
    const second = cookieOf(await service.send(start(key, false, { cookie: first })));
    expect([await statusOf(first), await statusOf(second), await statusOf(other)]).toEqual([401, 200, 200]);
    // A link that was used already.
    expect(await service.send(start(code))).toRespond(204);
    expect(await service.send(start(code, false, { cookie: second }))).toRespond(401);
    expect(await statusOf(second)).toBe(200);
    expect(await service.send(start(key, false, { cookie: first }))).toRespond(204);
  });

  test(`a key has at most ${MAX_SESSIONS} sessions: then the oldest ends`, async () => {
    const key = await service.issue(service.acme);
    const first = await signIn(service, key);
    clock.elapse(1_000);
    const second = await signIn(service, key);
    await signInLater(key, MAX_SESSIONS - 2, 120_000);
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
    await signInLater(key, 1, 600_000);
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
  });

  test(`at most ${MAX_SIGN_INS} sessions begin with a key within a minute, whether they have ended or not`, async () => {
    const key = await service.issue(service.acme);
    const first = await signIn(service, key);
    await service.send(withCookie(first, { method: 'DELETE', path: SESSION }));
    await Promise.all(Array.from({ length: MAX_SIGN_INS - 1 }, () => signIn(service, key)));
    const reply = await service.send(start(key));
    expect([reply.status, reply.headers['retry-after']]).toEqual([429, '60']);
    expect(await signIn(service, await service.issue(service.acme))).toBeDefined();
    expect(await signInLater(key, 1, 61_000)).toEqual([true]);
  });

  /** As if so many people had signed in after this time. */
  async function signInLater(key: string, people: number, later: number): Promise<readonly boolean[]> {
    const at = clock.wall() + later;
    const started: boolean[] = [];
    for (let n = 0; n < people; n += 1) {
      const { key: session } = newKey({
        account: service.acme.id,
        name: 'later',
        scopes: ['read'],
        createdAt: new Date(at + 2_000 * n).toISOString(),
        expiresAt: new Date(at + DAY).toISOString(),
      });
      const actor = { name: 'somebody', origin: '127.0.0.1' };
      started.push(await service.store.keys.startSession({ ...session, sessionOf: keyId(key) }, actor));
    }
    return started;
  }

  test('a request is answered while others sign in and out with the same key', async () => {
    const key = await service.issue(service.acme);
    let isOver = false;
    const signOuts = (async () => {
      for (let n = 0; n < 40; n += 1) {
        const cookie = await signIn(service, key);
        await service.send(withCookie(cookie, { method: 'DELETE', path: SESSION }));
      }
      isOver = true;
    })();
    const statuses = new Set<number>();
    while (!isOver) {
      const path = `${PRODUCTS}?format=csv&fields=id,name`;
      statuses.add((await service.send({ path, headers: bearer(key) })).status);
    }
    await signOuts;
    expect([...statuses]).toEqual([200]);
  });
});

describe.each(oneEngine)('on $name', (engine) => {
  const service = sharedService(engine);
  const limited = sharedService(engine, { settings: { 'failed-auth-limit': '1' } });
  const domain = sharedService(engine, { settings: { domain: 'example.com', 'cors-origins': '*' } });
  /** No time passes there. */
  const slow = sharedService(engine, { clock: new TestClock() });

  test.each<[string, Headers]>([
    ['has no header of the console', { 'stockbook-console': undefined }],
    ['names no scheme', { 'stockbook-console': '1' }],
    ['names the scheme of another cookie', { 'stockbook-console': 'https' }],
    ['comes from another site', { 'sec-fetch-site': 'cross-site' }],
    ['comes from another host of this site', { 'sec-fetch-site': 'same-site' }],
    ['is a navigation', { 'sec-fetch-site': 'none' }],
    ['has another origin', { origin: 'http://evil.test' }],
    ['has the origin of a sandboxed page', { origin: 'null' }],
    ['has an origin with another scheme', { origin: 'https://127.0.0.1' }],
    ['has an origin whose name only begins alike', { origin: 'http://127.0.0.1.evil.test' }],
  ])('a cookie does not count if the request %s', async (_, headers) => {
    const cookie = await signIn(service);
    for (const request of [
      { path: PRODUCTS, headers },
      { method: 'DELETE', path: SESSION, headers },
      createPartner('Forged', headers),
    ])
      checkReply(await service.send(withCookie(cookie, request)), {
        status: 401,
        has: {
          code: 'authentication_required',
          detail:
            'The request has no Authorization header, and the cookie of a session counts only if the console sends it.',
        },
        headers: { 'www-authenticate': 'Bearer realm="stockbook"', 'set-cookie': undefined },
      });
    expect(await service.send(withCookie(cookie))).toRespond(200);
  });

  test.each<[string, Headers]>([
    ['of this host', { origin: 'http://127.0.0.1:1234', 'sec-fetch-site': 'same-origin', host: '127.0.0.1:8080' }],
    [
      'of this host, behind a proxy with another port',
      { origin: 'http://acme.localhost', host: 'acme.localhost:8080' },
    ],
    ['beside other cookies', { cookie: 'a=b; {}; c' }],
  ])('a cookie counts if the request is %s', async (_, { cookie = '', ...headers }) => {
    const own = await signIn(service);
    expect(await service.send(withCookie(`${cookie};${own}`, { path: ME, headers }))).toRespond(200);
  });

  test('the value of the cookie is no key: it counts in the cookie and nowhere else', async () => {
    const cookie = await signIn(service);
    const key = keyOf(cookie);
    const detail = 'This is the key of a session of the console, which counts in its cookie and nowhere else.';
    for (const authorization of [`Bearer ${key}`, `Basic ${btoa(`x:${key}`)}`])
      for (const request of [
        { path: ME },
        { path: PRODUCTS },
        { path: '/openapi.json' },
        { method: 'GET', path: '/mcp' },
      ])
        checkReply(await service.send({ ...request, headers: { authorization, cookie, ...CONSOLE } }), {
          status: 401,
          has: { code: 'key_not_accepted', detail },
        });
    for (const request of [
      createPartner('Forged', bearer(key)),
      { method: 'DELETE', path: SESSION, headers: { ...CONSOLE, ...bearer(key) } },
      start(key),
    ])
      checkReply(await service.send(request), { status: 401, has: { detail } });
    expect(await service.send(withCookie(cookie))).toRespond(200);
    await expect
      .poll(() => service.events)
      .toContainEqual(
        expect.objectContaining({
          kind: 'authentication failed',
          reason: 'session key without its cookie',
          key: keyId(key),
        }),
      );
  });

  test('a key counts more than a cookie', async () => {
    const cookie = await signIn(service);
    const request = withCookie(cookie, { path: ME, headers: bearer(service.key) });
    checkReply(await service.send(request), { status: 200, has: { data: { key: { id: keyId(service.key) } } } });
    const wrong = withCookie(cookie, { path: ME, headers: { authorization: 'Basic eDp5' } });
    checkReply(await service.send(wrong), { status: 401, has: { code: 'credentials_malformed' } });
  });

  test.each([
    ['two', (own: string) => `stockbook=sbk_tossed; ${own}`],
    ['none', () => 'other=1'],
    ['an empty', () => 'stockbook='],
    ['a quoted', (own: string) => own.replace('=', '="').concat('"')],
  ])('%s of the name is no session', async (_, cookies) => {
    const own = await signIn(service);
    checkReply(await service.send(withCookie(cookies(own))), { status: 401, has: { code: 'authentication_required' } });
  });

  test('agents cannot use it', async () => {
    const cookie = await signIn(service);
    expect(await service.send(withCookie(cookie, rpcRequest('tools/list')))).toRespond(401);
  });

  test('with https, only this host can set the cookie, and only over https', async () => {
    const host = `${domain.acme.name}.example.com`;
    const secure = { host, 'stockbook-console': 'https', origin: `https://${host}`, 'sec-fetch-site': 'same-origin' };
    const reply = await domain.send(start(domain.key, true, secure));
    checkReply(reply, {
      status: 204,
      headers: {
        'set-cookie': /^__Host-stockbook=sbk_\w+; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=2592000$/,
      },
    });
    const cookie = cookieOf(reply);
    const get = async (headers: Headers, sent = cookie) => {
      const all = { host, 'stockbook-console': 'https', ...headers };
      return (await domain.send(withCookie(sent, { path: ME, headers: all }))).status;
    };
    expect(await get({})).toBe(200);
    // Another host of the domain, or somebody on the network, could have set the other one.
    expect(await get({}, cookie.replace('__Host-', ''))).toBe(401);
    expect(await get({ 'stockbook-console': 'http' })).toBe(401);
    for (const other of ['globex.example.com', 'example.com', 'acme.evil.test', '127.0.0.1'])
      expect(await get({ host: other })).toBe(401);
    const ended = await domain.send(withCookie(cookie, { method: 'DELETE', path: SESSION, headers: secure }));
    expect(ended.headers['set-cookie']).toBe('__Host-stockbook=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0');
  });

  test('no origin may send it, not even if all may use the service', async () => {
    const preflight = await domain.send({
      method: 'OPTIONS',
      path: ME,
      headers: {
        ...{ authorization: undefined, origin: 'https://shop.test', 'access-control-request-method': 'GET' },
        'access-control-request-headers': 'stockbook-console',
      },
    });
    checkReply(preflight, { status: 204, headers: { 'access-control-allow-credentials': undefined } });
    expect(preflight.headers['access-control-allow-headers']).not.toContain('stockbook-console');
  });

  test.each<[string, Partial<TestRequest>, number, string]>([
    ['no key', { headers: { authorization: undefined } }, 401, 'authentication_required'],
    ['no header of the console', { headers: { 'stockbook-console': undefined } }, 403, 'not_from_console'],
    ['another origin', { headers: { origin: 'https://evil.test' } }, 403, 'not_from_console'],
    ['GET', { method: 'GET' }, 405, 'method_not_allowed'],
    ['a parameter', { path: `${SESSION}?remember=true` }, 400, 'unknown_parameter'],
    ['no body', { body: '' }, 400, 'malformed_json'],
    ['a body of another type', { headers: { 'content-type': 'text/plain' } }, 415, 'unsupported_media_type'],
    ['a body without the member', { body: '{}' }, 400, 'invalid_body'],
    ['a body with others', { body: '{"remember":true,"scopes":["edit"]}' }, 400, 'invalid_body'],
    ['a body with another value', { body: '{"remember":"yes"}' }, 400, 'invalid_body'],
    ['a body that is no object', { body: '[true]' }, 400, 'invalid_body'],
    ['a path below', { path: `${SESSION}/x` }, 404, 'path_not_found'],
  ])('signing in with %s is an error, and uses no code up', async (_, change, status, problem) => {
    const code = await issueSignInCode(service.store.keys, service.acme.id, Date.now());
    const request = start(code);
    const changed = { ...request, ...change, headers: { ...request.headers, ...change.headers } };
    checkReply(await service.send(changed), { status, has: { code: problem }, headers: { 'set-cookie': undefined } });
    expect(await service.send(request)).toRespond(204);
  });

  test('a session does not begin another one, and only a session ends', async () => {
    const cookie = await signIn(service);
    const again = { ...start(''), headers: { ...start('').headers, authorization: undefined, cookie } };
    checkReply(await service.send(again), { status: 403, has: { code: 'wrong_kind_of_key' } });
    const request = { method: 'DELETE', path: SESSION, headers: { ...CONSOLE, ...bearer(service.key) } };
    checkReply(await service.send(request), {
      status: 403,
      has: { code: 'wrong_kind_of_key', suggestion: 'An operator revokes it with stockbook key revoke.' },
    });
    expect(await service.send({ path: ME })).toRespond(200);
  });

  test('failed attempts count, those without proof do not', async () => {
    const cookie = await signIn(limited);
    await limited.send(withCookie(cookie, { method: 'DELETE', path: SESSION }));
    for (let count = 0; count < 20; count += 1)
      await limited.send(withCookie(cookie, { path: ME, headers: { 'stockbook-console': undefined } }));
    const statuses: number[] = [];
    for (let count = 0; count < 12; count += 1) statuses.push((await limited.send(withCookie(cookie))).status);
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 401));
    expect(statuses).toContain(429);
  });

  test('on a shared host, the key decides whose session it is', async () => {
    const [acme, globex] = [await signIn(service), await signIn(service, await service.issue(service.globex))];
    const nameOf = async (cookie: string, host?: string) => {
      const reply = await service.send(withCookie(cookie, { path: ME, headers: host === undefined ? {} : { host } }));
      return reply.status === 200 ? bodyOf(reply).data.account.name : reply.status;
    };
    expect([await nameOf(acme), await nameOf(globex)]).toEqual([service.acme.name, service.globex.name]);
    expect(await nameOf(acme, `${service.acme.name}.localhost`)).toBe(service.acme.name);
    expect(await nameOf(acme, `${service.globex.name}.localhost`)).toBe(401);
  });

  test('sessions share the rate limit of their key', async () => {
    const key = await slow.issue(slow.acme, { rateLimit: 3 });
    const [one, other] = [await signIn(slow, key), await signIn(slow, key)];
    const statuses: number[] = [];
    for (const cookie of [one, other]) statuses.push((await slow.send(withCookie(cookie))).status);
    expect(statuses).toEqual([200, 429]);
    checkReply(await slow.send({ path: ME, headers: bearer(key) }), { status: 429 });
  });
});
