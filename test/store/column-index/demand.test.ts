import { expect, test } from 'vitest';
import { Demand } from '../../../src/store/column-index/demand.ts';
import { TestClock } from '../../support/test-clock.ts';

const MINUTE = 60_000;

test('it takes several requests within a minute', () => {
  const clock = new TestClock();
  const demand = new Demand(2, clock);
  expect(demand.isEnough('a')).toBe(false);
  expect(demand.isEnough('b')).toBe(false);
  clock.elapse(MINUTE);
  expect(demand.isEnough('a')).toBe(true);
  clock.elapse(1);
  // The minute of b is over.
  expect(demand.isEnough('b')).toBe(false);
  expect(demand.isEnough('b')).toBe(true);
});

test('one request may be worth several', () => {
  const demand = new Demand(2, new TestClock());
  expect(demand.isEnough('a', 2)).toBe(true);
});

test('what could not be built is not tried again for ten minutes', () => {
  const clock = new TestClock();
  const demand = new Demand(1, clock);
  demand.postpone('a');
  clock.elapse(10 * MINUTE - 1);
  expect([demand.isEnough('a'), demand.isEnough('b')]).toEqual([false, true]);
  clock.elapse(1);
  expect(demand.isEnough('a')).toBe(true);
});

test('names are forgotten, the one that was asked for least recently first', () => {
  const demand = new Demand(2, new TestClock());
  demand.isEnough('first');
  demand.isEnough('second');
  for (let n = 0; n < 9_999; n += 1) demand.isEnough(`other ${n}`);
  expect(demand.isEnough('second')).toBe(true);
  expect(demand.isEnough('first')).toBe(false);
});
