/** How long the slices of a list are. That the lists are the same is tested in `properties/slices.test.ts`. */

import { expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { planList } from '../../src/plan/list.ts';
import { sliceLength } from '../../src/store/sliced-reads.ts';
import { planned } from '../support/fixture.ts';

const lengthOf = (filter: string, sliceRows = 10_000) =>
  sliceLength(planned(planList(product, { values: { filter }, continuations: [] })), sliceRows);
const repeated = (condition: string, count: number) => Array.from({ length: count }, () => condition).join('&');

test.each([
  ['comparisons', 'list_price>1&qty_available<5', 10_000],
  ['a text that no index finds', 'name!*abc', 3_334],
  ['20 such texts', repeated('name!*abc', 20), 1_000],
  ['200 such texts', repeated('name!*abc', 200), 1_000],
  ['a text that the search index finds', 'name*abc', 160_000],
  ['50 such texts', repeated('name*abc', 50), 3_825],
])('%s', (_, filter, length) => {
  expect(lengthOf(filter)).toBe(length);
});

test('none if statements can be interrupted', () => {
  expect(lengthOf(repeated('name!*abc', 200), Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
});

test('never more than the engine asks for', () => {
  expect(lengthOf(repeated('name!*abc', 200), 3)).toBe(3);
});
