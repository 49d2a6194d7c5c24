/** Requests with wrong keys: how many an address may send, what it gets beyond that, and what is logged. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { generateKey, printKey } from '../../src/access/key.ts';
import { engines } from '../support/engines.ts';
import { checkReply, PRODUCTS } from '../support/rows.ts';
import { bearer, keyId, send, startService, type TestRequest, type TestService } from '../support/service.ts';

const LIMIT = 2;
const BURST = 10 * LIMIT;
const SECOND = 1_000;

describe.each(engines)('on $name', (engine) => {
  let service: TestService;
  /** Moves only if a test moves it. */
  let now = 0;
  beforeEach(async () => {
    service = await startService(engine, { failedAuthLimit: LIMIT, now: () => now });
  });
  afterEach(() => service.close());

  const statusOf = async (headers: NonNullable<TestRequest['headers']>, path = PRODUCTS) =>
    (await send(service.port, { path, headers })).status;
  const failTimes = async (count: number) => {
    const statuses: number[] = [];
    for (let n = 0; n < count; n += 1) statuses.push(await statusOf(bearer(printKey(generateKey()))));
    return statuses;
  };
  const logged = () => service.events.filter((event) => event.kind === 'authentication failed');

  test('beyond the limit, a wrong key is a 429 that says when to retry', async () => {
    expect(await failTimes(BURST)).toEqual(Array(BURST).fill(401));
    checkReply(await send(service.port, { path: PRODUCTS, headers: bearer(printKey(generateKey())) }), {
      status: 429,
      has: { code: 'too_many_failed_attempts' },
      headers: { 'retry-after': '1', 'www-authenticate': undefined },
    });
    now += SECOND;
    expect(await failTimes(LIMIT + 1)).toEqual([...Array(LIMIT).fill(401), 429]);
  });

  test('a key that was accepted before still works, even if its session is outdated; another valid one has to wait', async () => {
    expect(await statusOf(bearer(service.key))).toBe(200);
    const unused = await service.issue(service.acme);
    await failTimes(BURST);
    expect(await statusOf(bearer(service.key))).toBe(200);
    expect(await statusOf(bearer(unused))).toBe(429);
    now += SECOND;
    expect(await statusOf(bearer(unused))).toBe(200);
  });

  test('a key that was accepted before is looked up once more after it was revoked', async () => {
    const key = await service.issue(service.acme);
    expect(await statusOf(bearer(key))).toBe(200);
    await failTimes(BURST);
    await service.store.keys.revoke(keyId(key), new Date().toISOString());
    expect([await statusOf(bearer(key)), await statusOf(bearer(key))]).toEqual([401, 429]);
  });

  test('malformed keys, expired keys and keys of other accounts count', async () => {
    const expired = await service.issue(service.acme, { expiresAt: new Date(now).toISOString() });
    const foreign = { ...bearer(await service.issue(service.globex)), host: 'acme.localhost' };
    const wrong = [bearer('sbk_short'), bearer(expired), foreign];
    for (let n = 0; n < BURST; n += 1) expect(await statusOf(wrong[n % wrong.length] ?? {})).toBe(401);
    expect(await failTimes(1)).toEqual([429]);
  });

  test('requests without a key, and without a need for one, neither count nor are limited', async () => {
    for (let n = 0; n < BURST + 1; n += 1) expect(await statusOf({})).toBe(401);
    expect(logged()).toEqual([]);
    expect(await failTimes(BURST + 1)).toEqual([...Array(BURST).fill(401), 429]);
    expect(await statusOf({})).toBe(401);
    expect(await statusOf(bearer('x'), '/openapi.json')).toBe(200);
  });

  test('valid keys do not count, however many there are', async () => {
    for (let n = 0; n < BURST + 1; n += 1) expect(await statusOf(bearer(await service.issue(service.acme)))).toBe(200);
    expect(logged()).toEqual([]);
  });

  test('one attempt per second is logged, with the public id of the key and without its secret', async () => {
    const { id, secret } = generateKey();
    const key = printKey({ id, secret });
    const attempt = (id: string) =>
      send(service.port, { path: PRODUCTS, headers: { ...bearer(key), 'x-request-id': id } });
    for (const id of ['a', 'b', 'c']) await attempt(id);
    now += SECOND;
    await attempt('d');
    await failTimes(BURST);
    now += SECOND - 1;
    await failTimes(LIMIT + 1);
    now += 1;
    const event = { kind: 'authentication failed', route: PRODUCTS, address: '127.0.0.1', key: keyId(key) };
    expect(logged()).toEqual([
      { ...event, requestId: 'a', reason: 'key_not_accepted', notLogged: 0 },
      { ...event, requestId: 'd', reason: 'key_not_accepted', notLogged: 2 },
    ]);
    await attempt('e');
    expect(logged()[2]).toEqual({
      ...event,
      requestId: 'e',
      reason: 'key_not_accepted',
      notLogged: BURST + LIMIT + 1,
    });
    expect(JSON.stringify(service.events)).not.toContain(secret);
  });
});
