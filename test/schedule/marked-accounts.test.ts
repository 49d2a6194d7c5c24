/** How long an account stays marked. */

import { expect, test } from 'vitest';
import { MarkedAccounts } from '../../src/schedule/marked-accounts.ts';
import { TestClock } from '../support/test-clock.ts';

test('for ten seconds, and no other account', () => {
  const clock = new TestClock();
  const marked = new MarkedAccounts(clock);
  expect(marked.has(1)).toBe(false);
  marked.add(1);
  clock.elapse(9_999);
  expect([marked.has(1), marked.has(2)]).toEqual([true, false]);
  clock.elapse(1);
  expect(marked.has(1)).toBe(false);
});

test('from the smallest size on that was too large', () => {
  const clock = new TestClock();
  const marked = new MarkedAccounts(clock);
  marked.add(1, 500);
  marked.add(1, 1_000);
  expect([marked.has(1, 499), marked.has(1, 500), marked.has(1)]).toEqual([false, true, true]);
  marked.add(1, 100);
  expect([marked.has(1, 99), marked.has(1, 100)]).toEqual([false, true]);
  clock.elapse(10_000);
  marked.add(1, 700);
  expect([marked.has(1, 699), marked.has(1, 700)]).toEqual([false, true]);
});
