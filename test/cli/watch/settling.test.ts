/** Which files have not grown for a while. */

import { expect, test } from 'vitest';
import { Settling } from '../../../src/cli/watch/settling.ts';
import { TestClock } from '../../support/test-clock.ts';

const file = (name: string, size: number, modified: number) => ({ name, size, modified, changed: 0 });

test('a file has settled once its size and its time have been the same for the period', () => {
  const clock = new TestClock();
  const began = clock.monotonic();
  const settling = new Settling(50, clock);
  const settledAt = (time: number, ...files: ReturnType<typeof file>[]) => {
    clock.elapse(began + time - clock.monotonic());
    return settling.settled(files).map(({ name }) => name);
  };
  expect(settledAt(100, file('a', 1, 1))).toEqual([]);
  expect(settledAt(149, file('a', 1, 1))).toEqual([]);
  expect(settledAt(150, file('a', 1, 1))).toEqual(['a']);
  // It grows, then only its time changes.
  expect(settledAt(160, file('a', 2, 1))).toEqual([]);
  expect(settledAt(205, file('a', 2, 2))).toEqual([]);
  expect(settledAt(254, file('a', 2, 2))).toEqual([]);
  expect(settledAt(255, file('a', 2, 2))).toEqual(['a']);
  // It was gone in between.
  expect(settledAt(260)).toEqual([]);
  expect(settledAt(261, file('a', 2, 2))).toEqual([]);
  expect(settledAt(311, file('a', 2, 2))).toEqual(['a']);
  settling.restart(file('a', 2, 2));
  expect(settledAt(312, file('a', 2, 2))).toEqual([]);
});

test('without a period, every file has, the oldest first', () => {
  const files = [file('c', 1, 5), file('b', 1, 5), file('a', 1, 9), file('d', 1, 1)];
  expect(new Settling(0, new TestClock()).settled(files).map(({ name }) => name)).toEqual(['d', 'b', 'c', 'a']);
});
