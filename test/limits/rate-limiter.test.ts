/** The requests of keys and accounts, which are limited with token buckets. */

import { describe, expect, test } from 'vitest';
import type { Session } from '../../src/access/authenticate.ts';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import { CountedRequest } from '../../src/limits/counted-request.ts';
import { RateLimiter, type RateLimitVerdict } from '../../src/limits/rate-limiter.ts';
import { TokenBuckets } from '../../src/limits/token-buckets.ts';
import { Problem } from '../../src/problem/problem.ts';
import { NO_LIMITS } from '../../src/store/accounts/account-limits.ts';
import { NOW } from '../support/fixture.ts';
import { TestClock } from '../support/test-clock.ts';

function sessionOf(keyId: string, rateLimits: Session['rateLimits'] = { key: null, account: null }): Session {
  const account = { id: 1, name: 'acme', createdAt: NOW, ...NO_LIMITS, currency: null, rateLimit: rateLimits.account };
  const expiresAt = Number.POSITIVE_INFINITY;
  return {
    ...{ account, keyId, keyName: '', scopes: [], granted: [], sessionOf: null, access: 1, keyCreatedAt: NOW },
    catalog: builtInCatalog,
    ...{ expiresAt, keyExpiresAt: expiresAt, rateLimits },
  };
}

describe('the rate limiter', () => {
  const limiterOf = (perSecond: number) => {
    const clock = new TestClock();
    const limiter = new RateLimiter(perSecond, new TokenBuckets(clock));
    const take = (session: Session): RateLimitVerdict | undefined => {
      const verdict = limiter.take(session);
      if (verdict instanceof Promise) throw new Error('this process has the buckets');
      return verdict;
    };
    return { clock, limiter, take };
  };
  const outcomesAt = (perSecond: number, times: readonly number[]) => {
    const { clock, take } = limiterOf(perSecond);
    const began = clock.monotonic();
    return times.map((time) => {
      clock.elapse(began + time - clock.monotonic());
      return take(sessionOf('key'))?.problem === undefined ? 'accepted' : 'rejected';
    });
  };

  test('accepts a rate per second, and as many at once after a pause', () => {
    expect(outcomesAt(2, [0, 0, 0, 400, 500, 500, 60_000, 60_000, 60_000])).toEqual(
      'accepted accepted rejected rejected accepted rejected accepted accepted rejected'.split(' '),
    );
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
  const limiter = new RateLimiter(10, new TokenBuckets(new TestClock()));
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
