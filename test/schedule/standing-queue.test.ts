import { expect, test } from 'vitest';
import { AccountOverloaded, StandingQueue } from '../../src/schedule/standing-queue.ts';
import { TestClock } from '../support/test-clock.ts';

const MAX_DELAY = 20;

/** A queue that does one job per millisecond, and gets `perMillisecond` new ones. */
function simulate(perMillisecond: number, milliseconds: number, maxDelay = MAX_DELAY) {
  const clock = new TestClock();
  const standing = new StandingQueue({ maxDelay, clock });
  const waiting: number[] = [];
  const delays: number[] = [];
  let refused = 0;
  for (let passed = 0; passed < milliseconds; passed += 1) {
    const now = clock.monotonic();
    for (let n = 0; n < perMillisecond; n += 1) {
      try {
        standing.check(waiting.length, waiting[0] ?? now);
        waiting.push(now);
      } catch (error) {
        expect(error).toBeInstanceOf(AccountOverloaded);
        refused += 1;
      }
    }
    const since = waiting.shift();
    if (since !== undefined) delays.push(now - since);
    clock.elapse(1);
  }
  return { refused, delays };
}

test('what can be handled is not refused', () => {
  expect(simulate(1, 2_000).refused).toBe(0);
});

test('of twice as much, half is refused, and the others wait no longer than they may', () => {
  const { refused, delays } = simulate(2, 3_000);
  expect(refused / 6_000).toBeCloseTo(0.5, 1);
  expect(Math.max(...delays.slice(-2_000))).toBeLessThanOrEqual(2 * MAX_DELAY);
});

test('a burst waits', () => {
  const clock = new TestClock();
  const standing = new StandingQueue({ maxDelay: MAX_DELAY, clock });
  const since = clock.monotonic() - 140;
  for (let length = 0; length < 1_000; length += 1) standing.check(length, since);
});

test('a short queue is not refused, however long it takes', () => {
  const clock = new TestClock();
  const standing = new StandingQueue({ maxDelay: MAX_DELAY, clock });
  for (let n = 0; n < 100; n += 1) {
    standing.check(31, clock.monotonic() - 1_000);
    clock.elapse(100);
  }
});

test('nothing is refused without a limit', () => {
  expect(simulate(2, 1_000, 0).refused).toBe(0);
});
