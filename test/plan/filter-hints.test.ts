/** What was probably meant by a valid filter that finds nothing, or everything. */

import { expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { planFilter } from '../../src/plan/filter.ts';
import { hintsFor } from '../../src/plan/filter-hints.ts';
import { Problem } from '../../src/problem/problem.ts';

const hintFor = (...given: Parameters<typeof hintsFor>) => hintsFor(...given)[0];

const AND = 'Did you mean & instead of "and"?';
const CASE = '= compares text exactly, upper and lower case included; * ignores case.';

test.each([
  ['name*chair and list_price>100', AND, 'name*chair&list_price>100'],
  ['name*chair AND list_price > 100', 'Did you mean & instead of "AND"?', 'name*chair&list_price > 100'],
  ['name*chair or name*table', 'Did you mean | instead of "or"?', 'name*chair|name*table'],
  ['name*oak chair and active=true and list_price<5', AND, 'name*oak chair&active=true&list_price<5'],
  ['name*chair and list_price>100 or id[1,2]', AND, 'name*chair&list_price>100|id[1,2]'],
  ['name*chair and (list_price>100)', AND, 'name*chair&(list_price>100)'],
  ['(name*chair and list_price>100)|id=5', AND, '(name*chair&list_price>100)|id=5'],
  ['active=true&name*chair and list_price>100&id>5', AND, 'active=true&name*chair&list_price>100&id>5'],
  ['name=chair and default_code!=x and categ_id![1]', AND, 'name=chair&default_code!=x&categ_id![1]'],
  ['name=chair and price>5', AND, 'name=chair&list_price>5'],
  ['name*chair\nand list_price>100', AND, 'name*chair&list_price>100'],
  ['name*black and white and list_price>100', AND, 'name*black and white&list_price>100'],
  ['name=chair', CASE, 'name*chair'],
  ['default_code = abc & active=true', CASE, 'default_code * abc & active=true'],
  ['name=Chair&default_code=X-1', CASE, 'name*Chair&default_code*X-1'],
])('%s finds nothing', (filter, text, meant) => {
  expect(hintFor(product, filter, 0)).toEqual({ text, filter: meant });
  expect(planFilter(product, meant, [])).not.toBeInstanceOf(Problem);
  if (!filter.includes('!')) expect(hintFor(product, filter, 1)).toBeUndefined();
});

test('country_code=de finds nothing', () => {
  expect(hintFor(partner, 'country_code=de', 0)).toEqual({ text: CASE, filter: 'country_code*de' });
});

test.each([
  ['name!*chair and list_price>100', AND, 'name!*chair&list_price>100'],
  ['name!=chair or active=true', 'Did you mean | instead of "or"?', 'name!=chair|active=true'],
])('%s finds everything', (filter, text, meant) => {
  for (const total of [0, 12]) expect(hintFor(product, filter, total)).toEqual({ text, filter: meant });
});

test.each([
  undefined,
  '',
  'name%3Dchair',
  'list_price>100',
  'name*"chair and list_price>100"',
  'name*salt and pepper',
  'name*rock and roll=loud',
  'name*chair and list_price',
  'name*chair and list_price>cheap',
  'name=null',
  'default_code=123-456',
  `name*chair and list_price>100${' '.repeat(2_000)}`,
  `name*${'x'.repeat(300)} and list_price>100`,
])('nothing looks wrong: %s', (filter) => {
  expect(hintFor(product, filter, 0)).toBeUndefined();
});

test('a filter that finds something is as it was meant, unless it is negated', () => {
  for (const filter of ['name*chair and list_price>100', 'name=chair', 'name!*chair', 'name!=x&name*a and active=true'])
    expect(hintFor(product, filter, 3)).toBeUndefined();
});
