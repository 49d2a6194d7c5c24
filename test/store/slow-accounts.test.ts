/** How long the reads of an account count as slow after one that was. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SlowAccounts } from '../../src/store/engine/slow-accounts.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test('for ten seconds, and no other account', () => {
  const slow = new SlowAccounts();
  expect(slow.has(1)).toBe(false);
  slow.add(1);
  vi.advanceTimersByTime(9_999);
  expect([slow.has(1), slow.has(2)]).toEqual([true, false]);
  vi.advanceTimersByTime(1);
  expect(slow.has(1)).toBe(false);
});

test('a result with a text of more than 1,048,576 characters is slow', () => {
  const slow = new SlowAccounts();
  const rows = (length: number) => [{ total: 1, records: 'x'.repeat(length) }];
  for (const length of [0, 1_048_576]) slow.checked(1, rows(length));
  expect(slow.has(1)).toBe(false);
  const large = rows(1_048_577);
  expect(slow.checked(1, large)).toBe(large);
  expect(slow.has(1)).toBe(true);
});
