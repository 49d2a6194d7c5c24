/** What is read in passing, and what would hold others up. */

import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { planList } from '../../src/plan/list.ts';
import { effortOf, FEW_ROWS } from '../../src/store/sql/effort.ts';
import { planned } from '../support/fixture.ts';

const MANY = 1_000_000;

function estimate(
  values: Readonly<Record<string, string>>,
  { rows = MANY, skipped = 0, total = Number.NaN, isPlaced = false } = {},
) {
  const plan = planned(planList(product, { values, continuations: [] }));
  const found = effortOf(plan, { rows, skipped, isPlaced, total: Number.isNaN(total) ? undefined : total });
  if ('effort' in found) return found.led === undefined ? found.effort : `${found.effort}, one by one`;
  const leads = found.leads.map((lead) => lead.map((one) => ('field' in one ? one.field.name : '')).join(' or '));
  return `${leads.join(', else ')}: up to ${found.few}; ${found.unseen}`;
}

const filtered = (filter: string) => ({ filter });
const sorted = (filter?: string) => ({ sort: 'name', ...(filter && { filter }) });

describe('where there are many records', () => {
  test.each([
    ['a page is read in passing', {}, {}, 'short'],
    ['as long as not too many come before it', {}, { skipped: FEW_ROWS }, 'short'],
    ['one more', {}, { skipped: FEW_ROWS + 1 }, 'long'],
    ['to count takes long', filtered('list_price>5'), {}, 'long'],
    [
      'what is frequent is found soon',
      filtered('list_price>5'),
      { total: MANY / 2, isPlaced: true },
      'short, one by one',
    ],
    ['but may begin far down', filtered('list_price>5'), { total: MANY / 2 }, 'long'],
    ['hardly where nearly all match', filtered('list_price>5'), { total: MANY - 5 }, 'short, one by one'],
    ['what is rare is not found soon', filtered('list_price>5'), { total: 3, isPlaced: true }, 'long'],
    ['a value in an index may have few records', filtered('categ_id=3'), {}, 'categ_id: up to 2727; short'],
    ['once counted, its page is in the index', filtered('categ_id=3'), { total: MANY / 2 }, 'short'],
    ['the others are looked at', filtered('list_price>5&categ_id=3'), { total: 3 }, 'categ_id: up to 2500; short'],
    ['or searched', filtered('name*chair&categ_id=3'), {}, 'categ_id: up to 491; short'],
    ['any that leads', filtered('categ_id=3&id=4'), {}, 'categ_id, else id: up to 2500; short'],
    ['each of several', filtered('categ_id=3|default_code=x'), {}, 'categ_id or default_code: up to 2500; short'],
    ['not by one of several', filtered('categ_id=3|list_price>5'), {}, 'long'],
    ['nor by what most have', filtered('list_price=0'), {}, 'long'],
    ['a search', filtered('name*chair'), {}, 'long'],
    ['all are sorted', sorted(), {}, 'long'],
    ['all are looked at for those that are sorted', sorted('list_price>5'), { total: 3 }, 'long'],
    ['those of a value are sorted', sorted('categ_id=3'), {}, 'categ_id: up to 2727; long'],
  ])('%s: %j, %j', (_, values, circumstances, effort) => {
    expect(estimate(values, circumstances)).toBe(effort);
  });
});

describe('where there are few records', () => {
  test.each([
    ['all are read in passing', sorted(), FEW_ROWS, 'short'],
    ['with a condition, some fewer', sorted('list_price>5'), 2_700, 'short'],
    ['with a search, much fewer', filtered('name*chair'), 500, 'short'],
    ['one more', filtered('name*chair'), 501, 'long'],
    ['with many conditions, very few', filtered(Array(200).fill('name*x').join('|')), 3, 'long'],
  ])('%s: %j, %i', (_, values, rows, effort) => {
    expect(estimate(values, { rows })).toBe(effort);
  });
});
