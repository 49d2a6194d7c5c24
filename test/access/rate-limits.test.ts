/** Token buckets, and what is limited with them: the requests of a key, and failed attempts from an address. */

import { describe, expect, test } from 'vitest';
import { FailedAttempts } from '../../src/access/failed-attempts.ts';
import { RateLimiter } from '../../src/access/rate-limiter.ts';
import { MAX_BUCKETS, TokenBuckets } from '../../src/access/token-buckets.ts';
import type { ServiceEvent } from '../../src/observe/events.ts';
import { Problem } from '../../src/problem/problem.ts';

describe('token buckets', () => {
  const bucketsAt = (perSecond: number, burst: number) => {
    const clock = { now: 0 };
    return { clock, buckets: new TokenBuckets({ perSecond, burst }, () => clock.now) };
  };

  test('start full, and are refilled at the rate', () => {
    const { clock, buckets } = bucketsAt(2, 3);
    for (let n = 0; n < 3; n += 1) {
      expect(buckets.wait('a')).toBe(0);
      buckets.spend('a');
    }
    expect(buckets.wait('a')).toBe(500);
    clock.now = 400;
    expect(buckets.wait('a')).toBeCloseTo(100);
    clock.now = 500;
    expect(buckets.wait('a')).toBe(0);
  });

  test('what was spent beyond the last token has to be refilled first', () => {
    const { buckets } = bucketsAt(1, 1);
    for (let n = 0; n < 4; n += 1) buckets.spend('a');
    expect(buckets.wait('a')).toBe(4_000);
  });

  test('are forgotten once they are full', () => {
    const { clock, buckets } = bucketsAt(10, 100);
    for (let n = 0; n < 1_000; n += 1) buckets.spend(`address ${n}`);
    expect(buckets.size).toBe(1_000);
    clock.now = 100;
    buckets.spend('another');
    expect(buckets.size).toBe(1);
  });

  test('are bounded in number even if none is full', () => {
    const { buckets } = bucketsAt(1, 1);
    for (let n = 0; n < MAX_BUCKETS + 10; n += 1) buckets.spend(String(n));
    expect(buckets.size).toBe(MAX_BUCKETS);
    expect([buckets.wait('0'), buckets.wait(String(MAX_BUCKETS))]).toEqual([0, 1_000]);
  });
});

describe('the rate limiter', () => {
  const outcomesAt = (perSecond: number, times: readonly number[]) => {
    let now = 0;
    const limiter = new RateLimiter(perSecond, () => now);
    return times.map((time) => {
      now = time;
      return limiter.take('key') === undefined ? 'accepted' : 'rejected';
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
    const limiter = new RateLimiter(1, () => 0);
    expect([limiter.take('a'), limiter.take('b')]).toEqual([undefined, undefined]);
    expect(limiter.take('a')).toMatchObject({
      code: 'too_many_requests',
      context: { headers: { 'retry-after': '1' } },
    });
  });

  test('accepts everything if the rate is 0', () => {
    expect(outcomesAt(0, Array(100).fill(0))).not.toContain('rejected');
  });
});

describe('failed attempts', () => {
  const started = (perSecond: number) => {
    const clock = { now: 0 };
    const events: ServiceEvent[] = [];
    const attempts = new FailedAttempts(
      perSecond,
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
      for (let n = 0; n < times; n += 1)
        attempts.add(attempt(address), new Problem('key_not_accepted', 'This key is not accepted for this host.'));
    };
    return { clock, events, attempts, attempt, fail };
  };

  test('may be ten times the rate at once, then the rate', () => {
    const { clock, attempts, attempt, fail } = started(10);
    fail('192.0.2.1', 99);
    expect(attempts.check(attempt('192.0.2.1'))).toBeUndefined();
    fail('192.0.2.1');
    expect(attempts.check(attempt('192.0.2.1'))).toMatchObject({
      code: 'too_many_failed_attempts',
      context: { headers: { 'retry-after': '1' } },
    });
    expect(attempts.check(attempt('192.0.2.2'))).toBeUndefined();
    clock.now = 100;
    expect(attempts.check(attempt('192.0.2.1'))).toBeUndefined();
  });

  test('are counted for a whole IPv6 network', () => {
    const { attempts, attempt, fail } = started(1);
    for (let n = 0; n < 10; n += 1) fail(`2001:db8::${n}`);
    expect(attempts.check(attempt('2001:db8::a:b:c:d'))).toBeDefined();
    expect(attempts.check(attempt('2001:db8:0:1::1'))).toBeUndefined();
  });

  test('are not limited if the rate is 0, but reported', () => {
    const { attempts, attempt, fail, events } = started(0);
    fail('192.0.2.1', 1_000);
    expect(attempts.check(attempt('192.0.2.1'))).toBeUndefined();
    expect(events).toHaveLength(1);
  });

  test('are reported at most once per second, with the number of those that were not', () => {
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
      key: undefined,
      reason: 'key_not_accepted',
    };
    expect(events).toEqual([
      { ...event, address: '192.0.2.1', notLogged: 0 },
      { ...event, address: '192.0.2.3', notLogged: 5 },
    ]);
  });

  test('are also reported if they are over the limit', () => {
    const { clock, events, attempts, attempt, fail } = started(1);
    fail('192.0.2.1', 20);
    clock.now = 1_000;
    for (let n = 0; n < 3; n += 1) expect(attempts.check(attempt('192.0.2.1'))).toBeDefined();
    clock.now = 2_000;
    attempts.check(attempt('192.0.2.1'));
    expect(events).toMatchObject([
      { reason: 'key_not_accepted', notLogged: 0 },
      { reason: 'too_many_failed_attempts', notLogged: 19 },
      { reason: 'too_many_failed_attempts', notLogged: 2 },
    ]);
  });
});
