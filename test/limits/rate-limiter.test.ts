/** Token buckets, and what is limited with them: the requests of keys and accounts, and failed attempts from an address. */

import { describe, expect, test } from 'vitest';
import type { Session } from '../../src/access/authenticate.ts';
import { CountedRequest } from '../../src/limits/counted-request.ts';
import { FailedAttempts } from '../../src/limits/failed-attempts.ts';
import { RateLimiter, type RateLimitVerdict } from '../../src/limits/rate-limiter.ts';
import { MAX_BUCKETS, TokenBuckets } from '../../src/limits/token-buckets.ts';
import type { ServiceEvent } from '../../src/observe/events.ts';
import { Problem } from '../../src/problem/problem.ts';
import { NO_LIMITS } from '../../src/store/accounts/account-limits.ts';
import { NOW } from '../support/fixture.ts';

describe('token buckets', () => {
  const bucketsAt = (perSecond: number, burst: number) => {
    const clock = { now: 0 };
    const buckets = new TokenBuckets(() => clock.now);
    const named = (name: string) => [{ name, perSecond, burst }];
    return {
      clock,
      buckets,
      wait: (name: string) => buckets.look(named(name))[0]?.wait,
      spend: (name: string) => buckets.spend(named(name)),
    };
  };

  test('start full, and are refilled at the rate', () => {
    const { clock, wait, spend } = bucketsAt(2, 3);
    for (let n = 0; n < 3; n += 1) {
      expect(wait('a')).toBe(0);
      spend('a');
    }
    expect(wait('a')).toBe(500);
    clock.now = 400;
    expect(wait('a')).toBeCloseTo(100);
    clock.now = 500;
    expect(wait('a')).toBe(0);
  });

  test('what was spent beyond the last token has to be refilled first', () => {
    const { wait, spend } = bucketsAt(1, 1);
    for (let n = 0; n < 4; n += 1) spend('a');
    expect(wait('a')).toBe(4_000);
  });

  test('are forgotten once they are full', () => {
    const { clock, buckets, spend } = bucketsAt(10, 100);
    for (let n = 0; n < 1_000; n += 1) spend(`address ${n}`);
    expect(buckets.size).toBe(1_000);
    clock.now = 100;
    spend('another');
    expect(buckets.size).toBe(1);
  });

  test('are bounded in number even if none is full', () => {
    const { buckets, wait, spend } = bucketsAt(1, 1);
    for (let n = 0; n < MAX_BUCKETS + 10; n += 1) spend(String(n));
    expect(buckets.size).toBe(MAX_BUCKETS);
    expect([wait('0'), wait(String(MAX_BUCKETS))]).toEqual([0, 1_000]);
  });

  test('if one of several is empty, nothing is taken from the others', () => {
    const buckets = new TokenBuckets(() => 0);
    const [small, large] = [
      { name: 'small', perSecond: 1, burst: 1 },
      { name: 'large', perSecond: 5, burst: 5 },
    ];
    expect(buckets.take([small, large])).toEqual([
      { tokens: 0, wait: 0 },
      { tokens: 4, wait: 0 },
    ]);
    expect(buckets.take([small, large])).toEqual([
      { tokens: 0, wait: 1_000 },
      { tokens: 4, wait: 0 },
    ]);
    expect(buckets.look([large])).toEqual([{ tokens: 4, wait: 0 }]);
  });

  test('a rate that was changed applies to what is in the bucket', () => {
    const clock = { now: 0 };
    const buckets = new TokenBuckets(() => clock.now);
    const rate = (perSecond: number) => [{ name: 'a', perSecond, burst: perSecond }];
    buckets.take(rate(10));
    expect(buckets.look(rate(2))).toEqual([{ tokens: 2, wait: 0 }]);
    expect(buckets.look(rate(100))).toEqual([{ tokens: 9, wait: 0 }]);
    clock.now = 500;
    expect(buckets.look(rate(100))).toEqual([{ tokens: 59, wait: 0 }]);
  });
});

function sessionOf(keyId: string, rateLimits: Session['rateLimits'] = { key: null, account: null }): Session {
  const account = { id: 1, name: 'acme', createdAt: NOW, ...NO_LIMITS, rateLimit: rateLimits.account };
  const expiresAt = Number.POSITIVE_INFINITY;
  return { account, keyId, keyName: '', scopes: [], access: 1, keyCreatedAt: NOW, expiresAt, rateLimits };
}

describe('the rate limiter', () => {
  const limiterOf = (perSecond: number) => {
    const clock = { now: 0 };
    const limiter = new RateLimiter(perSecond, new TokenBuckets(() => clock.now));
    const take = (session: Session): RateLimitVerdict | undefined => {
      const verdict = limiter.take(session);
      if (verdict instanceof Promise) throw new Error('this process has the buckets');
      return verdict;
    };
    return { clock, limiter, take };
  };
  const outcomesAt = (perSecond: number, times: readonly number[]) => {
    const { clock, take } = limiterOf(perSecond);
    return times.map((time) => {
      clock.now = time;
      return take(sessionOf('key'))?.problem === undefined ? 'accepted' : 'rejected';
    });
  };

  test('accepts a rate per second, and as many at once after a pause', () => {
    expect(outcomesAt(2, [0, 0, 0, 400, 500, 500, 60_000, 60_000, 60_000])).toEqual([
      'accepted',
      'accepted',
      'rejected',
      'rejected',
      'accepted',
      'rejected',
      'accepted',
      'accepted',
      'rejected',
    ]);
  });

  test('counts each key by itself, and says when to retry', () => {
    const { take } = limiterOf(1);
    for (const key of ['a', 'b']) expect(take(sessionOf(key))?.problem).toBeUndefined();
    expect(take(sessionOf('a'))?.problem).toMatchObject({
      code: 'too_many_requests',
      context: { headers: { 'retry-after': '1' } },
    });
  });

  test('says nothing if there is no limit', () => {
    const { take } = limiterOf(0);
    for (let n = 0; n < 100; n += 1) expect(take(sessionOf('key'))).toBeUndefined();
    expect(take(sessionOf('key', { key: 0, account: 0 }))).toBeUndefined();
  });

  test('a limit of the key replaces the one of the service, and that of the account applies as well', () => {
    const { limiter, take } = limiterOf(10);
    expect(limiter.limitsOf(sessionOf('a', { key: 3, account: 4 }))).toEqual({ key: 3, account: 4 });
    expect(limiter.limitsOf(sessionOf('a'))).toEqual({ key: 10, account: 0 });
    expect(limiter.limitsOf(sessionOf('a', { key: 0, account: null }))).toEqual({ key: 0, account: 0 });
    const [a, b] = [sessionOf('a', { key: 3, account: 4 }), sessionOf('b', { key: 0, account: 4 })];
    expect(take(a)).toEqual({
      headers: {
        'ratelimit-policy': '"key";q=3;w=1, "account";q=4;w=1',
        ratelimit: '"key";r=2;t=1, "account";r=3;t=1',
      },
      problem: undefined,
    });
    for (let n = 0; n < 2; n += 1) expect(take(a)?.problem).toBeUndefined();
    expect(take(a)?.problem).toMatchObject({ detail: 'This key is limited to 3 requests per second.' });
    expect(take(b)).toMatchObject({ headers: { ratelimit: '"account";r=0;t=1' }, problem: undefined });
    const refused = 'The keys of this account together are limited to 4 requests per second.';
    expect(take(b)?.problem).toMatchObject({ detail: refused });
  });

  test('a request is counted once, and if it is over a limit, again by the limits of another session', () => {
    const { limiter } = limiterOf(1);
    const [first, second] = [new CountedRequest(limiter), new CountedRequest(limiter)];
    expect([first.count(sessionOf('a')), first.count(sessionOf('a'))]).toEqual([undefined, undefined]);
    expect(second.count(sessionOf('a'))).toBeInstanceOf(Problem);
    expect(second.headers?.ratelimit).toBe('"key";r=0;t=1');
    expect(second.count(sessionOf('a', { key: 0, account: null }))).toBeUndefined();
    expect(second.headers).toBeUndefined();
  });
});

test('a request that was counted by limits that have changed is counted by the new ones', () => {
  const limiter = new RateLimiter(10, new TokenBuckets(() => 0));
  const request = new CountedRequest(limiter);
  expect(request.count(sessionOf('a'))).toBeUndefined();
  expect(request.headers?.['ratelimit-policy']).toBe('"key";q=10;w=1');
  const lower = sessionOf('a', { key: 1, account: null });
  expect(request.count(lower)).toBeUndefined();
  expect(request.headers).toEqual({ 'ratelimit-policy': '"key";q=1;w=1', ratelimit: '"key";r=0;t=1' });
  const next = new CountedRequest(limiter);
  expect(next.count(sessionOf('b', { key: 10, account: null }))).toBeUndefined();
  expect(next.count(lower)).toMatchObject({ code: 'too_many_requests' });
});

describe('failed attempts', () => {
  const started = (perSecond: number) => {
    const clock = { now: 0 };
    const events: ServiceEvent[] = [];
    const attempts = new FailedAttempts(
      perSecond,
      new TokenBuckets(() => clock.now),
      { keys: { find: async () => undefined }, accounts: { find: async () => undefined }, domain: 'localhost' },
      (event) => events.push(event),
      () => clock.now,
    );
    const attempt = (address: string) => ({
      id: 'r',
      address,
      target: '/api/v1/me?a=b',
      headers: { authorization: 'Bearer x' },
    });
    const fail = (address: string, times = 1) => {
      for (let n = 0; n < times; n += 1) attempts.add(attempt(address), 'unknown key');
    };
    return { clock, events, attempts, attempt, fail };
  };

  test('may be ten times the rate at once, then the rate', async () => {
    const { clock, attempts, attempt, fail } = started(10);
    fail('192.0.2.1', 99);
    expect(await attempts.check(attempt('192.0.2.1'))).toBeUndefined();
    fail('192.0.2.1');
    expect(await attempts.check(attempt('192.0.2.1'))).toMatchObject({
      code: 'too_many_failed_attempts',
      context: { headers: { 'retry-after': '1' } },
    });
    expect(await attempts.check(attempt('192.0.2.2'))).toBeUndefined();
    clock.now = 100;
    expect(await attempts.check(attempt('192.0.2.1'))).toBeUndefined();
  });

  test('are counted for a whole IPv6 network', async () => {
    const { attempts, attempt, fail } = started(1);
    for (let n = 0; n < 10; n += 1) fail(`2001:db8::${n}`);
    expect(await attempts.check(attempt('2001:db8::a:b:c:d'))).toBeDefined();
    expect(await attempts.check(attempt('2001:db8:0:1::1'))).toBeUndefined();
  });

  test('are not limited if the rate is 0, but reported', async () => {
    const { attempts, attempt, fail, events } = started(0);
    fail('192.0.2.1', 1_000);
    expect(await attempts.check(attempt('192.0.2.1'))).toBeUndefined();
    await expect.poll(() => events).toHaveLength(1);
  });

  test('are reported at most once per second, with the number of those that were not', async () => {
    const { clock, events, fail } = started(10);
    fail('192.0.2.1', 5);
    clock.now = 999;
    fail('192.0.2.2');
    clock.now = 1_000;
    fail('192.0.2.3');
    const event = {
      kind: 'authentication failed',
      requestId: 'r',
      route: '/api/v1/me',
      account: undefined,
      key: undefined,
      reason: 'unknown key',
    };
    await expect
      .poll(() => events)
      .toEqual([
        { ...event, address: '192.0.2.1', notLogged: 0 },
        { ...event, address: '192.0.2.3', notLogged: 5 },
      ]);
  });

  test('are also reported if they are over the limit', async () => {
    const { clock, events, attempts, attempt, fail } = started(1);
    fail('192.0.2.1', 20);
    clock.now = 1_000;
    for (let n = 0; n < 3; n += 1) expect(await attempts.check(attempt('192.0.2.1'))).toBeDefined();
    clock.now = 2_000;
    await attempts.check(attempt('192.0.2.1'));
    await expect
      .poll(() => events)
      .toMatchObject([
        { reason: 'unknown key', notLogged: 0 },
        { reason: 'too many attempts', notLogged: 19 },
        { reason: 'too many attempts', notLogged: 2 },
      ]);
  });
});
