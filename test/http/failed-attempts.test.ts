/** Requests with wrong keys: how many an address may send, what it gets beyond that, and what is logged. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { generateKey, printKey } from '../../src/access/key.ts';
import { timestamp } from '../../src/schedule/clock.ts';
import { oneEngine } from '../support/engines.ts';
import { COMPANIES, checkReply, PRODUCTS } from '../support/rows.ts';
import { bearer, keyId, send, startService, type TestRequest, type TestService } from '../support/service.ts';
import { TestClock } from '../support/test-clock.ts';

const LIMIT = 2;
const BURST = 10 * LIMIT;
const SECOND = 1_000;

describe.each(oneEngine)('on $name', (engine) => {
  let service: TestService;
  let clock: TestClock;
  beforeEach(async () => {
    clock = new TestClock();
    service = await startService(engine, { settings: { 'failed-auth-limit': String(LIMIT) }, clock });
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
    clock.elapse(SECOND);
    expect(await failTimes(LIMIT + 1)).toEqual([...Array(LIMIT).fill(401), 429]);
  });

  test('a key that was accepted before still works, even if its session is outdated; another valid one has to wait', async () => {
    expect(await statusOf(bearer(service.key))).toBe(200);
    const unused = await service.issue(service.acme);
    await failTimes(BURST);
    expect(await statusOf(bearer(service.key))).toBe(200);
    expect(await statusOf(bearer(unused))).toBe(429);
    clock.elapse(SECOND);
    expect(await statusOf(bearer(unused))).toBe(200);
  });

  test('a key that was accepted before is looked up once more after it was revoked', async () => {
    const key = await service.issue(service.acme);
    expect(await statusOf(bearer(key))).toBe(200);
    await failTimes(BURST);
    await service.store.keys.revoke(keyId(key), timestamp(clock));
    expect([await statusOf(bearer(key)), await statusOf(bearer(key))]).toEqual([401, 429]);
  });

  test('an error under a session whose key was revoked counts once', async () => {
    const key = await service.issue(service.acme);
    expect(await statusOf(bearer(key))).toBe(200);
    await failTimes(BURST - 2);
    await service.store.keys.revoke(keyId(key), timestamp(clock));
    await service.database.execute('ALTER TABLE company RENAME TO misplaced');
    expect(await statusOf(bearer(key), `${COMPANIES}/1`)).toBe(401);
    expect(await failTimes(2)).toEqual([401, 429]);
  });

  test('malformed keys, expired keys and keys of other accounts count', async () => {
    const expired = await service.issue(service.acme, { expiresAt: timestamp(clock) });
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
    expect(await statusOf(bearer('x'), '/docs')).toBe(200);
    expect(await statusOf({}, '/openapi.json')).toBe(200);
  });

  test('a wrong key counts wherever it would make a difference', async () => {
    for (let n = 0; n < BURST; n += 1) expect(await statusOf(bearer('x'), '/openapi.json')).toBe(401);
    expect(await failTimes(1)).toEqual([429]);
    expect(await statusOf(bearer('x'), '/openapi.json')).toBe(429);
  });

  test('valid keys do not count, however many there are', async () => {
    for (let n = 0; n < BURST + 1; n += 1) expect(await statusOf(bearer(await service.issue(service.acme)))).toBe(200);
    expect(logged()).toEqual([]);
  });

  test('an event has the precise reason, and the account and the key if they exist; the client learns nothing', async () => {
    const [expired, revoked] = [
      await service.issue(service.acme, { expiresAt: timestamp(clock) }),
      await service.issue(service.acme),
    ];
    await service.store.keys.revoke(keyId(revoked), timestamp(clock));
    const { key } = service;
    const [foreign, other] = [await service.issue(service.globex), printKey(generateKey())];
    const forged = printKey({ id: keyId(key), secret: generateKey().secret });
    const at = (host: string, authorization: string) => ({ host, authorization });
    const secret = 'abcdefghijklmnopqrstuvwxyz012345';
    const attempts = [
      [at('acme.localhost', 'Digest eDp5'), 'no key', 'acme', undefined],
      [at('acme.localhost', 'Bearer sbk_short'), 'malformed key', 'acme', undefined],
      [at('acme.localhost', `Bearer ${other}`), 'unknown key', 'acme', undefined],
      [at('acme.localhost', `Bearer ${forged}`), 'wrong secret', 'acme', keyId(key)],
      [at('acme.localhost', `Bearer ${foreign}`), 'key of another account', 'acme', keyId(foreign)],
      [at(`${secret}.localhost`, `Bearer ${key}`), 'key of another account', undefined, keyId(key)],
      [at('127.0.0.1', `Bearer ${revoked}`), 'revoked', undefined, keyId(revoked)],
      [at('acme.localhost', `Bearer ${expired}`), 'expired', 'acme', keyId(expired)],
    ] as const;
    const bodies: unknown[] = [];
    for (const [headers] of attempts) {
      bodies.push(Object((await send(service.port, { path: PRODUCTS, headers })).json).detail);
      clock.elapse(SECOND);
    }
    await failTimes(BURST);
    clock.elapse(SECOND / 10);
    expect(await statusOf(at('acme.localhost', `Bearer ${forged}`))).toBe(429);
    await expect.poll(() => logged().length).toBeGreaterThanOrEqual(attempts.length);
    expect(
      logged()
        .slice(0, attempts.length)
        .map(({ reason, account, key }) => [reason, account, key]),
    ).toEqual(attempts.map(([, ...rest]) => rest));
    expect(new Set(bodies.slice(2, 6))).toEqual(new Set(['This key is not accepted for this host.']));
    expect(JSON.stringify(service.events)).not.toContain(secret);
  });
});
