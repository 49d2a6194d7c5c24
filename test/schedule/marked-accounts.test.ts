/** How long an account stays marked. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MarkedAccounts } from '../../src/schedule/marked-accounts.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test('for ten seconds, and no other account', () => {
  const marked = new MarkedAccounts();
  expect(marked.has(1)).toBe(false);
  marked.add(1);
  vi.advanceTimersByTime(9_999);
  expect([marked.has(1), marked.has(2)]).toEqual([true, false]);
  vi.advanceTimersByTime(1);
  expect(marked.has(1)).toBe(false);
});
