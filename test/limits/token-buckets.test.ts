/** Token buckets. */

import { expect, test } from 'vitest';
import { MAX_BUCKETS, TokenBuckets } from '../../src/limits/token-buckets.ts';
import { TestClock } from '../support/test-clock.ts';

const bucketsAt = (perSecond: number, burst: number) => {
  const clock = new TestClock();
  const buckets = new TokenBuckets(clock);
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
  clock.elapse(400);
  expect(wait('a')).toBeCloseTo(100);
  clock.elapse(100);
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
  clock.elapse(100);
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
  const buckets = new TokenBuckets(new TestClock());
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
  const clock = new TestClock();
  const buckets = new TokenBuckets(clock);
  const rate = (perSecond: number) => [{ name: 'a', perSecond, burst: perSecond }];
  buckets.take(rate(10));
  expect(buckets.look(rate(2))).toEqual([{ tokens: 2, wait: 0 }]);
  expect(buckets.look(rate(100))).toEqual([{ tokens: 9, wait: 0 }]);
  clock.elapse(500);
  expect(buckets.look(rate(100))).toEqual([{ tokens: 59, wait: 0 }]);
});
