/** The memory that cached entries take, per account and in total. */

import { describe, expect, test } from 'vitest';
import { CacheBudget, CacheGroup } from '../../../src/store/state/cache.ts';

/** What an entry takes besides its value: a fixed overhead, and two bytes per character of its key. */
const entryBytes = (key: string, bytes: number) => 200 + 2 * key.length + bytes;

describe('a cache group', () => {
  test('returns what was set, until it is replaced or deleted', () => {
    const budget = new CacheBudget(100_000);
    const group = new CacheGroup<number>(budget, 'responses');
    group.set('a', 1, { account: 1, bytes: 1_000 });
    expect(group.get('a')).toBe(1);
    expect(budget.bytes).toBe(entryBytes('a', 1_000));
    group.set('a', 2, { account: 2, bytes: 500 });
    expect(group.get('a')).toBe(2);
    expect([1, 2].map((account) => budget.shareOf(account).bytes)).toEqual([0, entryBytes('a', 500)]);
    group.delete('a');
    group.delete('a');
    expect(group.get('a')).toBeUndefined();
    expect(budget.bytes).toBe(0);
  });

  test('keeps nothing after it is closed', () => {
    const budget = new CacheBudget(100_000);
    const group = new CacheGroup<number>(budget, 'responses');
    group.set('a', 1, { account: 1, bytes: 0 });
    group.close();
    group.set('b', 2, { account: 1, bytes: 0 });
    expect([group.get('a'), group.get('b'), budget.bytes]).toEqual([undefined, undefined, 0]);
  });

  test('keeps nothing without a budget', () => {
    const budget = new CacheBudget(0);
    const group = new CacheGroup<number>(budget, 'responses');
    group.set('a', 1, { account: 1, bytes: 0 });
    expect([group.get('a'), budget.bytes]).toEqual([undefined, 0]);
  });
});

/** A charge that makes the whole entry this large. */
const charge = (account: number, key: string, bytes: number) => ({ account, bytes: bytes - entryBytes(key, 0) });

describe('an account', () => {
  test('may take the whole budget: at the limit everything stays, one byte past it the oldest entry goes', () => {
    const budget = new CacheBudget(1_000);
    const group = new CacheGroup<number>(budget, 'responses');
    for (const key of ['a', 'b', 'c', 'd']) group.set(key, 1, charge(1, key, 250));
    expect(budget.bytes).toBe(1_000);
    // Now `b` is the least recently used one.
    group.get('a');
    group.set('e', 2, charge(1, 'e', 1));
    expect(budget.bytes).toBe(751);
    expect(['a', 'b', 'c', 'd', 'e'].map((key) => group.get(key))).toEqual([1, undefined, 1, 1, 2]);
  });

  test('that takes more than a quarter gives up entries first, whichever groups they are in', () => {
    const budget = new CacheBudget(4_000);
    const shared = new CacheGroup<number>(budget, 'responses');
    shared.set('other', 0, charge(2, 'other', 1_000));
    const groups = Array.from({ length: 12 }, () => new CacheGroup<number>(budget, 'responses'));
    for (const [index, group] of groups.entries()) group.set('a', index, charge(1, 'a', 250));
    expect(budget.bytes).toBe(4_000);
    shared.set('third', 0, charge(3, 'third', 1_000));
    for (const [index, group] of groups.entries()) group.set('b', index, charge(1, 'b', 250));
    expect([shared.get('other'), shared.get('third')]).toEqual([0, 0]);
    expect([1, 2, 3].map((account) => budget.shareOf(account).bytes)).toEqual([2_000, 1_000, 1_000]);
  });

  test('cannot keep an entry that is larger than its share, and gives nothing up for it', () => {
    const budget = new CacheBudget(4_000);
    const group = new CacheGroup<number>(budget, 'responses');
    group.set('a', 1, charge(1, 'a', 300));
    group.set('large', 2, charge(1, 'large', 1_001));
    expect(group.get('large')).toBeUndefined();
    expect(group.get('a')).toBe(1);
    expect(budget.bytes).toBe(300);
    // A value that it would replace is outdated.
    group.set('a', 3, charge(1, 'a', 1_001));
    expect(group.get('a')).toBeUndefined();
    expect(budget.bytes).toBe(0);
    // At the limit it is kept.
    group.set('large', 2, charge(1, 'large', 1_000));
    expect(group.get('large')).toBe(2);
  });
});

describe('a cache budget', () => {
  /** One entry for each of four accounts, which together fill the budget. */
  const four = (budget: CacheBudget) =>
    ['a', 'b', 'c', 'd'].map((key, index) => {
      const group = new CacheGroup<number>(budget, 'responses');
      group.set(key, index, charge(index, key, 1_000));
      return group;
    });

  test('is shared by all accounts, and the least recently used account gives up entries first', () => {
    const budget = new CacheBudget(4_000);
    const [a, b, c, d] = four(budget);
    expect(budget.bytes).toBe(4_000);
    expect([a?.get('a'), b?.get('b'), c?.get('c'), d?.get('d')]).toEqual([0, 1, 2, 3]);
    a?.get('a');
    const another = new CacheGroup<number>(budget, 'responses');
    another.set('e', 4, charge(4, 'e', 300));
    expect([a?.get('a'), b?.get('b'), c?.get('c'), d?.get('d')]).toEqual([0, undefined, 2, 3]);
    expect(another.get('e')).toBe(4);
    expect(budget.bytes).toBe(3_300);
  });

  test('drops only as much as it has to', () => {
    const budget = new CacheBudget(4_000);
    const group = new CacheGroup<number>(budget, 'responses');
    for (const key of ['a', 'b', 'c', 'd']) group.set(key, 0, charge(1, key, 250));
    for (const [index, key] of ['e', 'f', 'g'].entries()) group.set(key, 0, charge(2 + index, key, 1_000));
    expect(budget.bytes).toBe(4_000);
    group.set('h', 0, charge(5, 'h', 300));
    expect(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((key) => group.get(key))).toEqual([
      ...[undefined, undefined, 0, 0],
      ...[0, 0, 0, 0],
    ]);
    expect(budget.bytes).toBe(3_800);
  });

  test('is free again when groups are cleared or closed', () => {
    const budget = new CacheBudget(4_000);
    const [a, b, c, d] = four(budget);
    a?.clear();
    b?.close();
    expect(budget.bytes).toBe(2_000);
    a?.set('x', 9, charge(0, 'x', 1_000));
    expect([a?.get('x'), c?.get('c'), d?.get('d')]).toEqual([9, 2, 3]);
    expect(budget.bytes).toBe(3_000);
  });

  test('is never exceeded, whatever is set, read and deleted', () => {
    const budget = new CacheBudget(10_000);
    const groups = Array.from({ length: 9 }, () => new CacheGroup<number>(budget, 'responses'));
    const accounts = [1, 2, 3, 4, 5, 6];
    let random = 1;
    const next = (limit: number) => {
      random = (random * 48_271) % 2_147_483_647;
      return random % limit;
    };
    for (let step = 0; step < 20_000; step += 1) {
      const group = groups[next(groups.length)];
      const key = String(next(30));
      if (next(10) === 0) group?.delete(key);
      else if (next(100) === 0) group?.clear();
      else if (next(3) === 0) group?.get(key);
      else group?.set(key, step, { account: 1 + next(accounts.length), bytes: next(3_000) });
      const shares = accounts.map((account) => budget.shareOf(account).bytes);
      expect(budget.bytes).toBeLessThanOrEqual(10_000);
      expect(shares.reduce((sum, bytes) => sum + bytes, 0)).toBe(budget.bytes);
    }
  });
});
