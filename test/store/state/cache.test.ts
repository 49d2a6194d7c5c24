/** What is cached about the lists of accounts, and the memory it takes. */

import { describe, expect, test } from 'vitest';
import { CacheBudget, CacheGroup } from '../../../src/store/state/cache.ts';
import { ListState } from '../../../src/store/state/list-state.ts';
import { type Linked, RecencyList } from '../../../src/store/state/recency-list.ts';
import { States } from '../../../src/store/state/states.ts';

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

describe('a recency list', () => {
  test('has the item that was not used for the longest time as its oldest', () => {
    const list = new RecencyList<Item>();
    expect(list.oldest).toBeUndefined();
    const [a, b, c] = [item('a'), item('b'), item('c')];
    for (const each of [a, b, c]) list.add(each);
    list.touch(a);
    list.touch(a);
    expect(drain(list)).toEqual(['b', 'c', 'a']);
    for (const each of [a, b, c]) list.add(each);
    list.remove(b);
    list.touch(c);
    expect(drain(list)).toEqual(['a', 'c']);
    expect(list.oldest).toBeUndefined();
  });

  interface Item extends Linked<Item> {
    readonly name: string;
  }
  const item = (name: string): Item => ({ name, older: undefined, newer: undefined });
  const drain = (list: RecencyList<Item>): readonly string[] => {
    const { oldest } = list;
    if (oldest === undefined) return [];
    list.remove(oldest);
    return [oldest.name, ...drain(list)];
  };
});

describe('states', () => {
  const statesIn = (budget: CacheBudget) =>
    new States((account, _, version) => new ListState(account, version, budget));
  const at = (generation: number, revision: number) => ({ generation, revision, rows: 0 });

  test('stay the same at the same version, and start empty at another revision or generation', () => {
    const states = statesIn(new CacheBudget(1_000_000));
    expect(states.latest(1, 'product')).toBeUndefined();
    const first = states.at(1, 'product', at(7, 1));
    first.keepTotal('x', 5);
    expect(states.at(1, 'product', at(7, 1))).toBe(first);
    expect(states.latest(1, 'product')).toBe(first);
    const second = states.at(1, 'product', at(7, 2));
    expect(second.total('x')).toBeUndefined();
    second.keepTotal('x', 6);
    const third = states.at(1, 'product', at(8, 2));
    expect(third.total('x')).toBeUndefined();
    expect(states.latest(1, 'product')).toBe(third);
  });

  test('stay if an earlier version is looked up late, which gets a state that keeps nothing', () => {
    const budget = new CacheBudget(1_000_000);
    const states = statesIn(budget);
    const current = states.at(1, 'product', at(7, 3));
    current.keepTotal('x', 5);
    const { bytes } = budget;
    const late = states.at(1, 'product', at(7, 2));
    expect(late.version).toEqual(at(7, 2));
    late.keepTotal('x', 4);
    late.keepAnchor('x', { offset: 500, id: 9 });
    expect([late.total('x'), late.anchor('x', 999)]).toEqual([undefined, undefined]);
    expect(states.latest(1, 'product')).toBe(current);
    expect(states.at(1, 'product', at(7, 3)).total('x')).toBe(5);
    expect(budget.bytes).toBe(bytes);
  });

  test('give way after 100 lookups of earlier versions in a row, because a failover may have lost theirs', () => {
    const states = statesIn(new CacheBudget(1_000_000));
    const current = states.at(1, 'product', at(7, 3));
    const lookUp = (times: number) => {
      for (let n = 0; n < times; n += 1) states.at(1, 'product', at(7, 2));
    };
    lookUp(100);
    expect(states.at(1, 'product', at(7, 3))).toBe(current);
    lookUp(100);
    expect(states.latest(1, 'product')).toBe(current);
    lookUp(1);
    expect(states.latest(1, 'product')?.version).toEqual(at(7, 2));
    states.at(1, 'product', at(7, 2)).keepTotal('x', 5);
    expect(states.at(1, 'product', at(7, 2)).total('x')).toBe(5);
  });

  test('are charged to their account, which cannot displace what is cached for others', () => {
    const budget = new CacheBudget(100_000);
    const states = statesIn(budget);
    states.at(2, 'product', at(7, 1)).keepTotal('x', 1);
    for (let n = 0; n < 1_000; n += 1)
      for (const resource of ['product', 'partner', 'company']) {
        const state = states.at(1, resource, at(7, 1));
        state.keepTotal(`total ${n}`, n);
        state.keepAnchor(`list ${n}`, { offset: 500, id: 9 });
      }
    expect(budget.shareOf(1).bytes).toBeGreaterThan(95_000);
    expect(states.latest(2, 'product')?.total('x')).toBe(1);
  });

  test('are separate for each account and resource', () => {
    const states = statesIn(new CacheBudget(1_000_000));
    states.at(1, 'product', at(7, 1)).keepTotal('x', 1);
    states.at(2, 'product', at(7, 1)).keepTotal('x', 2);
    states.at(1, 'partner', at(7, 1)).keepTotal('x', 3);
    expect(
      (
        [
          [1, 'product'],
          [2, 'product'],
          [1, 'partner'],
        ] as const
      ).map(([account, resource]) => states.latest(account, resource)?.total('x')),
    ).toEqual([1, 2, 3]);
  });

  test('free their memory at the next version, and outdated ones keep nothing more', () => {
    const budget = new CacheBudget(1_000_000);
    const states = statesIn(budget);
    const outdated = states.at(1, 'product', at(7, 1));
    outdated.keepTotal('x', 5);
    outdated.keepAnchor('x', { offset: 500, id: 9 });
    expect(budget.bytes).toBeGreaterThan(0);
    states.at(1, 'product', at(7, 2));
    expect(budget.bytes).toBe(0);
    outdated.keepTotal('x', 5);
    expect(outdated.total('x')).toBeUndefined();
    expect(outdated.anchor('x', 999)).toBeUndefined();
    expect(budget.bytes).toBe(0);
  });

  test('are at most 20,000: one more drops the least recently used one', () => {
    const states = statesIn(new CacheBudget(1_000_000));
    for (let account = 1; account <= 20_000; account += 1) states.at(account, 'product', at(7, 1));
    const [first, second] = [states.latest(1, 'product'), states.latest(2, 'product')];
    expect([first, second]).not.toContain(undefined);
    second?.keepTotal('x', 5);
    states.at(1, 'product', at(7, 1));
    states.at(20_001, 'product', at(7, 1));
    expect(states.latest(1, 'product')).toBe(first);
    expect(states.latest(2, 'product')).toBeUndefined();
    expect(second?.total('x')).toBeUndefined();
  });
});
