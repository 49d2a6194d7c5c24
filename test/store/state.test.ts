/** What is cached about the resources of accounts, and the memory it takes. */

import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { Anchors } from '../../src/store/state/anchors.ts';
import { CacheBudget, CacheGroup } from '../../src/store/state/cache.ts';
import { Doorkeeper } from '../../src/store/state/doorkeeper.ts';
import { States } from '../../src/store/state/states.ts';

/** What an entry takes besides its value: a fixed overhead, and two bytes per character of its key. */
const entryBytes = (key: string, bytes: number) => 200 + 2 * key.length + bytes;

describe('a cache group', () => {
  test('returns what was set, until it is replaced or deleted', () => {
    const budget = new CacheBudget(100_000);
    const group = new CacheGroup<number>(budget);
    group.set('a', 1, 1_000);
    expect(group.get('a')).toBe(1);
    expect(group.bytes).toBe(entryBytes('a', 1_000));
    group.set('a', 2, 500);
    expect(group.get('a')).toBe(2);
    expect(group.bytes).toBe(entryBytes('a', 500));
    group.delete('a');
    group.delete('a');
    expect(group.get('a')).toBeUndefined();
    expect([group.bytes, budget.bytes]).toEqual([0, 0]);
  });

  test('takes up to a quarter of the budget: at the limit everything stays, one byte past it the oldest entry goes', () => {
    const group = new CacheGroup<number>(new CacheBudget(4_000));
    group.set('a', 1, 500 - entryBytes('a', 0));
    group.set('b', 2, 500 - entryBytes('b', 0));
    expect(group.bytes).toBe(1_000);
    expect([group.get('a'), group.get('b')]).toEqual([1, 2]);
    // Now `a` is the least recently used one.
    group.get('b');
    group.set('c', 3, 1 - entryBytes('c', 0));
    expect(group.bytes).toBe(501);
    expect([group.get('a'), group.get('b'), group.get('c')]).toEqual([undefined, 2, 3]);
  });

  test('does not keep an entry that is larger than its share, nor give anything up for it', () => {
    const budget = new CacheBudget(4_000);
    const group = new CacheGroup<number>(budget);
    group.set('a', 1, 0);
    group.set('large', 2, 1_000 - entryBytes('large', 0) + 1);
    expect(group.get('large')).toBeUndefined();
    expect(group.get('a')).toBe(1);
    expect([group.bytes, budget.bytes]).toEqual([entryBytes('a', 0), entryBytes('a', 0)]);
    // A value that it would replace is outdated.
    group.set('a', 3, 1_000);
    expect(group.get('a')).toBeUndefined();
    expect([group.bytes, budget.bytes]).toEqual([0, 0]);
    // At the limit it is kept.
    group.set('large', 2, 1_000 - entryBytes('large', 0));
    expect(group.get('large')).toBe(2);
  });

  test('keeps nothing after it is closed', () => {
    const budget = new CacheBudget(100_000);
    const group = new CacheGroup<number>(budget);
    group.set('a', 1, 0);
    group.close();
    group.set('b', 2, 0);
    expect([group.get('a'), group.get('b'), group.bytes, budget.bytes]).toEqual([undefined, undefined, 0, 0]);
  });

  test('keeps nothing without a budget', () => {
    const group = new CacheGroup<number>(new CacheBudget(0));
    group.set('a', 1, 0);
    expect([group.get('a'), group.bytes]).toEqual([undefined, 0]);
  });
});

describe('a cache budget', () => {
  /** Groups of one entry each, which together fill the budget. */
  const four = (budget: CacheBudget) =>
    ['a', 'b', 'c', 'd'].map((key, index) => {
      const group = new CacheGroup<number>(budget);
      group.set(key, index, 1_000 - entryBytes(key, 0));
      return group;
    });

  test('is shared by all groups, and the least recently used group gives up entries first', () => {
    const budget = new CacheBudget(4_000);
    const [a, b, c, d] = four(budget);
    expect(budget.bytes).toBe(4_000);
    expect([a?.get('a'), b?.get('b'), c?.get('c'), d?.get('d')]).toEqual([0, 1, 2, 3]);
    a?.get('a');
    const another = new CacheGroup<number>(budget);
    another.set('e', 4, 0);
    expect([a?.get('a'), b?.get('b'), c?.get('c'), d?.get('d')]).toEqual([0, undefined, 2, 3]);
    expect(another.get('e')).toBe(4);
    expect(budget.bytes).toBe(3_000 + entryBytes('e', 0));
  });

  test('drops only as much as it has to', () => {
    const budget = new CacheBudget(4_000);
    const first = new CacheGroup<number>(budget);
    for (const key of ['a', 'b', 'c', 'd']) first.set(key, 0, 250 - entryBytes(key, 0));
    const others = ['e', 'f', 'g'].map((key) => {
      const group = new CacheGroup<number>(budget);
      group.set(key, 0, 1_000 - entryBytes(key, 0));
      return group;
    });
    const [, , last] = others;
    expect(budget.bytes).toBe(4_000);
    new CacheGroup<number>(budget).set('h', 0, 300 - entryBytes('h', 0));
    expect(['a', 'b', 'c', 'd'].map((key) => first.get(key))).toEqual([undefined, undefined, 0, 0]);
    expect(last?.get('g')).toBe(0);
    expect(budget.bytes).toBe(3_800);
  });

  test('is free again when groups are cleared or closed', () => {
    const budget = new CacheBudget(4_000);
    const [a, b, c, d] = four(budget);
    a?.clear();
    b?.close();
    expect(budget.bytes).toBe(2_000);
    a?.set('x', 9, 1_000 - entryBytes('x', 0));
    expect([a?.get('x'), c?.get('c'), d?.get('d')]).toEqual([9, 2, 3]);
    expect(budget.bytes).toBe(3_000);
  });

  test('is never exceeded, whatever is set, read and deleted', () => {
    const budget = new CacheBudget(10_000);
    const groups = Array.from({ length: 9 }, () => new CacheGroup<number>(budget));
    let random = 1;
    const next = (limit: number) => {
      random = (random * 48_271) % 2_147_483_647;
      return random % limit;
    };
    for (let step = 0; step < 20_000; step += 1) {
      const group = groups[next(groups.length)];
      const key = String(next(30));
      if (next(10) === 0) group?.delete(key);
      else if (next(3) === 0) group?.get(key);
      else group?.set(key, step, next(3_000));
      expect(budget.bytes).toBeLessThanOrEqual(10_000);
      expect(Math.max(...groups.map(({ bytes }) => bytes))).toBeLessThanOrEqual(2_500);
      expect(groups.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(budget.bytes);
    }
  });
});

describe('states', () => {
  const at = (generation: number, revision: number) => ({ generation, revision, rows: 0 });

  test('stay the same at the same version, and start empty at another revision or generation', () => {
    const states = new States(new CacheBudget(1_000_000));
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

  test('are separate for each account and resource', () => {
    const states = new States(new CacheBudget(1_000_000));
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
    const states = new States(budget);
    const outdated = states.at(1, 'product', at(7, 1));
    outdated.keepTotal('x', 5);
    outdated.keepAnchors('x', new Anchors([{ offset: 500, id: 9 }]));
    expect(budget.bytes).toBeGreaterThan(0);
    states.at(1, 'product', at(7, 2));
    expect(budget.bytes).toBe(0);
    outdated.keepTotal('x', 5);
    expect(outdated.total('x')).toBeUndefined();
    expect(outdated.anchors('x').before(999)).toBeUndefined();
    expect(budget.bytes).toBe(0);
  });

  test('keep a response from the second request on, also if the version changed in between', () => {
    const states = new States(new CacheBudget(1_000_000));
    const response = { status: 200, headers: {}, body: '{}' };
    const first = states.at(1, 'product', at(7, 1));
    first.keepResponse('?a', response);
    expect(first.response('?a')).toBeUndefined();
    const second = states.at(1, 'product', at(7, 2));
    second.keepResponse('?a', response);
    expect(second.response('?a')).toBe(response);
    // The same request of another account or resource is another one.
    for (const other of [states.at(2, 'product', at(7, 1)), states.at(1, 'partner', at(7, 1))]) {
      other.keepResponse('?a', response);
      expect(other.response('?a')).toBeUndefined();
    }
  });

  test('are at most 20,000: one more drops the least recently used one', () => {
    const states = new States(new CacheBudget(1_000_000));
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

describe('the doorkeeper', () => {
  test('admits a key from the second time on', () => {
    const doorkeeper = new Doorkeeper();
    expect(['a', 'b', 'a', 'b', 'a', 'c'].map((key) => doorkeeper.admits(key))).toEqual([
      false,
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  test('forgets a key when another one takes its slot', () => {
    const slotOf = (key: string) => crc32(key) % 65_536;
    let n = 0;
    do n += 1;
    while (slotOf(`key ${n}`) !== slotOf('first'));
    const other = `key ${n}`;
    const doorkeeper = new Doorkeeper();
    expect([doorkeeper.admits('first'), doorkeeper.admits('first')]).toEqual([false, true]);
    expect([doorkeeper.admits(other), doorkeeper.admits(other)]).toEqual([false, true]);
    expect([doorkeeper.admits('first'), doorkeeper.admits('first')]).toEqual([false, true]);
  });

  test('remembers most of ten thousand keys', () => {
    const doorkeeper = new Doorkeeper();
    const keys = Array.from({ length: 10_000 }, (_, n) => `key ${n}`);
    expect(keys.filter((key) => doorkeeper.admits(key))).toEqual([]);
    expect(keys.filter((key) => doorkeeper.admits(key)).length).toBeGreaterThan(7_000);
  });
});
