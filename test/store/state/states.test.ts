/** What is remembered about resources at a version. */

import { expect, test } from 'vitest';
import { company } from '../../../src/catalog/company.ts';
import { partner } from '../../../src/catalog/partner.ts';
import { product } from '../../../src/catalog/product.ts';
import { CacheBudget } from '../../../src/store/state/cache.ts';
import { ListState } from '../../../src/store/state/list-state.ts';
import { States } from '../../../src/store/state/states.ts';

const statesIn = (budget: CacheBudget) => new States((account, _, version) => new ListState(account, version, budget));
const at = (generation: number, revision: number) => ({ generation, revision, rows: 0 });

test('stay the same at the same version, and start empty at another revision or generation', () => {
  const states = statesIn(new CacheBudget(1_000_000));
  expect(states.latest(1, product)).toBeUndefined();
  const first = states.at(1, product, at(7, 1));
  first.keepTotal('x', 5);
  expect(states.at(1, product, at(7, 1))).toBe(first);
  expect(states.latest(1, product)).toBe(first);
  const second = states.at(1, product, at(7, 2));
  expect(second.total('x')).toBeUndefined();
  second.keepTotal('x', 6);
  const third = states.at(1, product, at(8, 2));
  expect(third.total('x')).toBeUndefined();
  expect(states.latest(1, product)).toBe(third);
});

test('stay if an earlier version is looked up late, which gets a state that keeps nothing', () => {
  const budget = new CacheBudget(1_000_000);
  const states = statesIn(budget);
  const current = states.at(1, product, at(7, 3));
  current.keepTotal('x', 5);
  const { bytes } = budget;
  const late = states.at(1, product, at(7, 2));
  expect(late.version).toEqual(at(7, 2));
  late.keepTotal('x', 4);
  late.keepAnchor('x', { offset: 500, id: 9 });
  expect([late.total('x'), late.anchor('x', 999)]).toEqual([undefined, undefined]);
  expect(states.latest(1, product)).toBe(current);
  expect(states.at(1, product, at(7, 3)).total('x')).toBe(5);
  expect(budget.bytes).toBe(bytes);
});

test('give way after 100 lookups of earlier versions in a row, because a failover may have lost theirs', () => {
  const states = statesIn(new CacheBudget(1_000_000));
  const current = states.at(1, product, at(7, 3));
  const lookUp = (times: number) => {
    for (let n = 0; n < times; n += 1) states.at(1, product, at(7, 2));
  };
  lookUp(100);
  expect(states.at(1, product, at(7, 3))).toBe(current);
  lookUp(100);
  expect(states.latest(1, product)).toBe(current);
  lookUp(1);
  expect(states.latest(1, product)?.version).toEqual(at(7, 2));
  states.at(1, product, at(7, 2)).keepTotal('x', 5);
  expect(states.at(1, product, at(7, 2)).total('x')).toBe(5);
});

test('are charged to their account, which cannot displace what is cached for others', () => {
  const budget = new CacheBudget(100_000);
  const states = statesIn(budget);
  states.at(2, product, at(7, 1)).keepTotal('x', 1);
  for (let n = 0; n < 1_000; n += 1)
    for (const resource of [product, partner, company]) {
      const state = states.at(1, resource, at(7, 1));
      state.keepTotal(`total ${n}`, n);
      state.keepAnchor(`list ${n}`, { offset: 500, id: 9 });
    }
  expect(budget.shareOf(1).bytes).toBeGreaterThan(95_000);
  expect(states.latest(2, product)?.total('x')).toBe(1);
});

test('are separate for each account and resource', () => {
  const states = statesIn(new CacheBudget(1_000_000));
  states.at(1, product, at(7, 1)).keepTotal('x', 1);
  states.at(2, product, at(7, 1)).keepTotal('x', 2);
  states.at(1, partner, at(7, 1)).keepTotal('x', 3);
  expect(
    (
      [
        [1, product],
        [2, product],
        [1, partner],
      ] as const
    ).map(([account, resource]) => states.latest(account, resource)?.total('x')),
  ).toEqual([1, 2, 3]);
});

test('free their memory at the next version, and outdated ones keep nothing more', () => {
  const budget = new CacheBudget(1_000_000);
  const states = statesIn(budget);
  const outdated = states.at(1, product, at(7, 1));
  outdated.keepTotal('x', 5);
  outdated.keepAnchor('x', { offset: 500, id: 9 });
  expect(budget.bytes).toBeGreaterThan(0);
  states.at(1, product, at(7, 2));
  expect(budget.bytes).toBe(0);
  outdated.keepTotal('x', 5);
  expect(outdated.total('x')).toBeUndefined();
  expect(outdated.anchor('x', 999)).toBeUndefined();
  expect(budget.bytes).toBe(0);
});

test('are at most 20,000: one more drops the least recently used one', () => {
  const states = statesIn(new CacheBudget(1_000_000));
  for (let account = 1; account <= 20_000; account += 1) states.at(account, product, at(7, 1));
  const [first, second] = [states.latest(1, product), states.latest(2, product)];
  expect([first, second]).not.toContain(undefined);
  second?.keepTotal('x', 5);
  states.at(1, product, at(7, 1));
  states.at(20_001, product, at(7, 1));
  expect(states.latest(1, product)).toBe(first);
  expect(states.latest(2, product)).toBeUndefined();
  expect(second?.total('x')).toBeUndefined();
});
