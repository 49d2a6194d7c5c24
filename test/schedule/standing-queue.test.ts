import { expect, test } from 'vitest';
import { AccountOverloaded, StandingQueue } from '../../src/schedule/standing-queue.ts';

const MAX_DELAY = 20;

/** A queue that does one job per millisecond, and gets `perMillisecond` new ones. */
function simulate(perMillisecond: number, milliseconds: number, maxDelay = MAX_DELAY) {
  let now = 0;
  const standing = new StandingQueue({ maxDelay, now: () => now });
  const waiting: number[] = [];
  const delays: number[] = [];
  let refused = 0;
  for (; now < milliseconds; now += 1) {
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
  const standing = new StandingQueue({ maxDelay: MAX_DELAY, now: () => 140 });
  for (let length = 0; length < 1_000; length += 1) standing.check(length, 0);
});

test('a short queue is not refused, however long it takes', () => {
  let now = 0;
  const standing = new StandingQueue({ maxDelay: MAX_DELAY, now: () => now });
  for (; now < 10_000; now += 100) standing.check(31, now - 1_000);
});

test('nothing is refused without a limit', () => {
  expect(simulate(2, 1_000, 0).refused).toBe(0);
});
