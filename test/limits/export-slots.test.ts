import { expect, test } from 'vitest';
import { ExportSlots } from '../../src/limits/export-slots.ts';
import { Problem } from '../../src/problem/problem.ts';
import type { Export } from '../../src/store/store.ts';

const empty: Export = {
  rows: 0,
  total: 0,
  source: 'ledger',
  version: { generation: 1, revision: 1, rows: 0 },
  next: async () => undefined,
  close: async () => {},
};

const open = async (slots: ExportSlots, account: number) => {
  const opened = await slots.open(
    account,
    async () => empty,
    () => {},
  );
  if (opened === 'no access') throw new Error('the export was not opened');
  return opened;
};

const isRefused = async (slots: ExportSlots, account: number) => (await open(slots, account)) instanceof Problem;

test('an account has four slots, all accounts together have 16, and a closed export releases its slot', async () => {
  const slots = new ExportSlots();
  const held = [];
  for (const account of [1, 2, 3]) for (let n = 0; n < 4; n += 1) held.push(await open(slots, account));
  expect(held.filter((opened) => opened instanceof Problem)).toEqual([]);
  expect(await isRefused(slots, 1)).toBe(true);
  const others = [];
  for (const account of [4, 5, 6, 7]) others.push(await open(slots, account));
  expect(others.filter((opened) => opened instanceof Problem)).toEqual([]);
  expect(await isRefused(slots, 8)).toBe(true);
  const [first] = held;
  if (first === undefined || first instanceof Problem) throw new Error('there is no export');
  await first.close();
  // Closing it again has no effect.
  await first.close();
  expect(await isRefused(slots, 8)).toBe(false);
  expect(await isRefused(slots, 9)).toBe(true);
});

test('an export that cannot be opened has no slot', async () => {
  const slots = new ExportSlots();
  for (let n = 0; n < 5; n += 1) {
    await expect(
      slots.open(
        1,
        () => Promise.reject(new Error('no')),
        () => {},
      ),
    ).rejects.toThrow('no');
    expect(
      await slots.open(
        1,
        async () => 'no access',
        () => {},
      ),
    ).toBe('no access');
  }
  expect(await isRefused(slots, 1)).toBe(false);
});
