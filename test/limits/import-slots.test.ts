/** How many imports may be under way, of an account and in all. */

import { expect, test } from 'vitest';
import { type ImportSlot, ImportSlots, MAX_ACCOUNT_IMPORTS, MAX_IMPORTS } from '../../src/limits/import-slots.ts';
import { Problem } from '../../src/problem/problem.ts';

/** Those that are granted of so many. */
function take(slots: ImportSlots, account: number, count = 1): ImportSlot[] {
  return Array.from({ length: count }, () => slots.take(account)).flatMap((slot) =>
    slot instanceof Problem ? [] : [slot],
  );
}

const refusal = (slots: ImportSlots, account: number) => {
  const slot = slots.take(account);
  return slot instanceof Problem ? slot.detail : 'granted';
};

test('an account may have four, until half of all are taken: then one', () => {
  const slots = new ImportSlots();
  expect(take(slots, 1, MAX_ACCOUNT_IMPORTS)).toHaveLength(4);
  expect(refusal(slots, 1)).toBe('4 imports of this account are under way, which is the limit now.');
  const others = [2, 3, 4].flatMap((account) => take(slots, account, MAX_ACCOUNT_IMPORTS));
  expect(slots.used).toBe(MAX_IMPORTS / 2);
  expect(take(slots, 5, 2)).toHaveLength(1);
  expect(refusal(slots, 5)).toBe('1 import of this account is under way, which is the limit now.');
  for (const { release } of others.slice(0, 2)) release();
  expect(take(slots, 5)).toHaveLength(1);
});

test('a process may have 32, whosever they are', () => {
  const slots = new ImportSlots();
  const taken = Array.from({ length: MAX_IMPORTS }, (_, account) => take(slots, account)).flat();
  expect(taken).toHaveLength(32);
  expect(slots.take(MAX_IMPORTS)).toMatchObject({
    code: 'too_many_imports',
    detail: '32 imports are under way, which is the limit.',
    context: { headers: { 'retry-after': '5' } },
  });
  taken[0]?.release();
  expect(take(slots, MAX_IMPORTS, 2)).toHaveLength(1);
  expect(slots.used).toBe(32);
});

test('a process stops once those that are under way have ended', async () => {
  const slots = new ImportSlots();
  const [first, second] = [1, 2].flatMap((account) => take(slots, account));
  let isIdle = false;
  const idle = slots.idle().then(() => {
    isIdle = true;
  });
  first?.release();
  await Promise.resolve();
  expect(isIdle).toBe(false);
  second?.release();
  await idle;
});
