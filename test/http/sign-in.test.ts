/** Signing in by link: a code is exchanged for a key, once, and can do nothing else. */

import { describe, expect, test } from 'vitest';
import { issueSignInCode } from '../../src/access/sign-in.ts';
import { Stockbook, signIn } from '../../src/client/index.ts';
import { oneEngine } from '../support/engines.ts';
import { NOW } from '../support/fixture.ts';
import { rpcRequest } from '../support/mcp.ts';
import { bodyOf, checkReply, createPartner, PRODUCTS } from '../support/rows.ts';
import { bearer, keyId, type TestRequest } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';
import { TestClock } from '../support/test-clock.ts';

const SIGN_IN = '/api/v1/sign-in';
const HOUR = 3_600_000;

const exchange = (code: string, headers: TestRequest['headers'] = {}): TestRequest => ({
  method: 'POST',
  path: SIGN_IN,
  headers: { ...bearer(code), ...headers },
});

describe.each(oneEngine)('on $name', (engine) => {
  const clock = new TestClock();
  const service = sharedService(engine, { clock });
  const domain = sharedService(engine, { settings: { domain: 'example.com' } });

  const newCode = (account = service.acme) => issueSignInCode(service.store.keys, account.id, clock.wall());

  test('a code is exchanged for a key that reads and writes for 12 hours', async () => {
    const reply = await service.send(exchange(await newCode()));
    checkReply(reply, {
      status: 201,
      body: { data: { key: expect.stringMatching(/^sbk_\w+$/) } },
      headers: { 'cache-control': 'no-store', etag: undefined },
    });
    const { key } = bodyOf(reply).data;
    const me = await service.send({ path: '/api/v1/me', headers: bearer(key) });
    checkReply(me, {
      status: 200,
      has: { data: { key: { id: keyId(key), name: 'console', scopes: ['read', 'write'] } } },
    });
    expect(Date.parse(bodyOf(me).data.key.expiresAt) - clock.wall()).toBe(12 * HOUR);
    expect(await service.send(createPartner('Signed In', bearer(key)))).toRespond(201);
  });

  test('it works once, and the second response says why', async () => {
    const code = await newCode();
    const first = await service.send(exchange(code));
    expect(first).toRespond(201);
    for (const request of [exchange(code), { path: PRODUCTS, headers: bearer(code) }]) {
      const reply = await service.send(request);
      checkReply(reply, {
        status: 401,
        has: {
          code: 'key_not_accepted',
          detail: expect.stringMatching(/^This sign-in link was used on \d{4}-/),
          suggestion: 'A sign-in link works once, and for a limited time. Ask for a new one, or sign in with a key.',
        },
        headers: { 'www-authenticate': /invalid_token/ },
      });
    }
    // The key is not affected by it.
    expect(await service.send({ path: PRODUCTS, headers: bearer(bodyOf(first).data.key) })).toRespond(200);
  });

  test.each([
    ['that was not seen before', false],
    ['with a session', true],
  ])('of 20 concurrent exchanges of a code %s, one succeeds', async (_, isKnown) => {
    const code = await newCode();
    if (isKnown) expect(await service.send({ path: PRODUCTS, headers: bearer(code) })).toRespond(403);
    const replies = await Promise.all(Array.from({ length: 20 }, () => service.send(exchange(code))));
    const statuses = replies.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 401)]);
    for (const reply of replies.filter(({ status }) => status === 401))
      checkReply(reply, { status: 401, has: { detail: expect.stringMatching(/^This sign-in link was used /) } });
    const issued = (await service.store.keys.list(service.acme.id)).filter(({ id }) =>
      replies.some(({ text }) => text.includes(`sbk_${id}_`)),
    );
    expect(issued).toHaveLength(1);
  });

  test.each<[string, TestRequest]>([
    ['a list', { path: PRODUCTS }],
    ['a record', { path: `${PRODUCTS}/1` }],
    ['what the key is', { path: '/api/v1/me' }],
    ['a create', createPartner('Not created')],
    ['a tool for agents', rpcRequest('tools/list')],
  ])('a code does not permit %s', async (_, request) => {
    const code = await newCode();
    const reply = await service.send({ ...request, headers: { ...request.headers, ...bearer(code) } });
    expect(reply).toRespond(403);
    expect(reply.text).toContain('Exchange this code for a key first: POST /api/v1/sign-in.');
    // And it is not used up.
    expect(await service.send(exchange(code))).toRespond(201);
  });

  test('an expired code', async () => {
    const [known, unknown] = [await newCode(), await newCode()];
    expect(await service.send({ path: PRODUCTS, headers: bearer(known) })).toRespond(403);
    clock.elapse(HOUR);
    for (const code of [known, unknown])
      checkReply(await service.send(exchange(code)), {
        status: 401,
        has: { code: 'key_not_accepted', detail: expect.stringMatching(/^This sign-in link expired on \d{4}-/) },
      });
    clock.set(clock.wall() - 60_000);
    expect(await service.send(exchange(unknown))).toRespond(201);
  });

  test('a code that was revoked, or removed with its account', async () => {
    const revoked = await newCode();
    expect(await service.send({ path: PRODUCTS, headers: bearer(revoked) })).toRespond(403);
    await service.store.keys.revoke(keyId(revoked), NOW);
    checkReply(await service.send(exchange(revoked)), {
      status: 401,
      has: { detail: `This sign-in link was revoked on ${NOW}.` },
    });
    const account = await service.store.accounts.add('sign-in-removed', NOW);
    if (account === undefined) throw new Error('the account exists already');
    const [known, unknown] = [await newCode(account), await newCode(account)];
    expect(await service.send({ path: PRODUCTS, headers: bearer(known) })).toRespond(403);
    await service.store.accounts.remove(account.id);
    for (const code of [known, unknown])
      checkReply(await service.send(exchange(code)), { status: 401, has: { code: 'key_not_accepted' } });
  });

  test('a code works on the host of its account only', async () => {
    const code = await issueSignInCode(domain.store.keys, domain.acme.id, Date.now());
    const on = (host: string) => domain.send(exchange(code, { host }));
    for (const host of ['globex.example.com', 'example.com', 'evil.test', '127.0.0.1'])
      checkReply(await on(host), { status: 401, has: { code: 'key_not_accepted' } });
    expect(await on(`${domain.acme.name}.example.com`)).toRespond(201);
  });

  test('a normal key is not exchanged', async () => {
    checkReply(await service.send(exchange(service.key)), {
      status: 403,
      has: { code: 'scope_missing', suggestion: 'Only the code of a sign-in link is exchanged. Use the key as it is.' },
    });
  });

  test.each<[string, Partial<TestRequest>, number, string]>([
    ['no code', { headers: { authorization: undefined } }, 401, 'authentication_required'],
    ['a mistyped code', { headers: bearer('sbk_x') }, 401, 'credentials_malformed'],
    ['GET', { method: 'GET' }, 405, 'method_not_allowed'],
    ['a parameter', { path: `${SIGN_IN}?name=x` }, 400, 'unknown_parameter'],
    ['a body', { body: '{"scopes":["read"]}' }, 400, 'invalid_body'],
    ['a path below', { path: `${SIGN_IN}/x` }, 404, 'path_not_found'],
  ])('%s is an error, and uses no code up', async (_, change, status, problem) => {
    const code = await newCode();
    const request = exchange(code);
    checkReply(await service.send({ ...request, ...change, headers: { ...request.headers, ...change.headers } }), {
      status,
      has: { code: problem },
    });
    expect(await service.send(exchange(code))).toRespond(201);
  });

  test('OPTIONS', async () => {
    checkReply(await service.send({ method: 'OPTIONS', path: SIGN_IN }), {
      status: 204,
      headers: { allow: 'POST, OPTIONS' },
    });
  });

  test('the client signs in', async () => {
    const url = `http://127.0.0.1:${service.port}`;
    const code = await newCode();
    const key = await signIn({ url, code });
    expect(await new Stockbook({ url, key }).me()).toMatchObject({ key: { name: 'console' } });
    await expect(signIn({ url, code })).rejects.toMatchObject({
      status: 401,
      code: 'key_not_accepted',
      detail: expect.stringContaining('This sign-in link was used on '),
    });
  });
});
