/** Failed attempts of an address. */

import { expect, test } from 'vitest';
import { FailedAttempts } from '../../src/limits/failed-attempts.ts';
import { TokenBuckets } from '../../src/limits/token-buckets.ts';
import type { ServiceEvent } from '../../src/observe/events.ts';
import { readTarget } from '../../src/request/target.ts';
import { TestClock } from '../support/test-clock.ts';

const started = (perSecond: number) => {
  const clock = new TestClock();
  const events: ServiceEvent[] = [];
  const attempts = new FailedAttempts(
    perSecond,
    new TokenBuckets(clock),
    { keys: { find: async () => undefined }, accounts: { find: async () => undefined }, domain: 'localhost' },
    (event) => events.push(event),
    clock,
  );
  const attempt = (address: string) => ({
    id: 'r',
    address,
    target: readTarget('/api/v1/me?a=b'),
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
  clock.elapse(100);
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
  clock.elapse(999);
  fail('192.0.2.2');
  clock.elapse(1);
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
  clock.elapse(1_000);
  for (let n = 0; n < 3; n += 1) expect(await attempts.check(attempt('192.0.2.1'))).toBeDefined();
  clock.elapse(1_000);
  await attempts.check(attempt('192.0.2.1'));
  await expect
    .poll(() => events)
    .toMatchObject([
      { reason: 'unknown key', notLogged: 0 },
      { reason: 'too many attempts', notLogged: 19 },
      { reason: 'too many attempts', notLogged: 2 },
    ]);
});
