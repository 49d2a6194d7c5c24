/** Which lists are fast enough to run on the serving thread. */

import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { planList } from '../../src/plan/list.ts';
import { chooseExecutor, FAST_ROWS } from '../../src/store/query-cost.ts';
import { planned } from '../support/fixture.ts';

const MANY = 1_000_000;

function estimate(
  values: Readonly<Record<string, string>>,
  { rows = MANY, skipped = 0, total = Number.NaN, hasAnchor = false } = {},
) {
  const plan = planned(planList(product, { values, continuations: [] }));
  const found = chooseExecutor(plan, { rows, skipped, hasAnchor, total: Number.isNaN(total) ? undefined : total });
  if ('executor' in found) return found.indexed === undefined ? found.executor : `${found.executor}, without an index`;
  const candidates = found.candidates.map((candidate) =>
    candidate.map((condition) => ('field' in condition ? condition.field.name : '')).join(' or '),
  );
  return `${candidates.join(', else ')}: up to ${found.maxRows}; ${found.unprobed}`;
}

const filtered = (filter: string) => ({ filter });
const sorted = (filter?: string) => ({ sort: 'name', ...(filter && { filter }) });

describe('with many records', () => {
  test.each([
    ['a page in id order is fast', {}, {}, 'fast'],
    ['so is one past the most records that may be skipped', {}, { skipped: FAST_ROWS }, 'fast'],
    ['skipping one more is slow', {}, { skipped: FAST_ROWS + 1 }, 'slow'],
    ['counting is slow', filtered('list_price>5'), {}, 'slow'],
    [
      'frequent matches after an anchor fill the page soon',
      filtered('list_price>5'),
      { total: MANY / 2, hasAnchor: true },
      'fast, without an index',
    ],
    ['without an anchor they may start far down', filtered('list_price>5'), { total: MANY / 2 }, 'slow'],
    ['unless nearly all records match', filtered('list_price>5'), { total: MANY - 5 }, 'fast, without an index'],
    ['rare matches are far apart', filtered('list_price>5'), { total: 3, hasAnchor: true }, 'slow'],
    ['an indexed value may have few records', filtered('categ_id=3'), {}, 'categ_id: up to 2727; fast'],
    ['with a known total, the index has the page', filtered('categ_id=3'), { total: MANY / 2 }, 'fast'],
    [
      'another condition is checked record by record',
      filtered('list_price>5&categ_id=3'),
      { total: 3 },
      'categ_id: up to 2500; fast',
    ],
    ['a search costs more per record', filtered('name*chair&categ_id=3'), {}, 'categ_id: up to 491; fast'],
    ['any of several indexes may do', filtered('categ_id=3&id=4'), {}, 'categ_id, else id: up to 2500; fast'],
    [
      'alternatives need an index each',
      filtered('categ_id=3|default_code=x'),
      {},
      'categ_id or default_code: up to 2500; fast',
    ],
    ['an alternative without an index is slow', filtered('categ_id=3|list_price>5'), {}, 'slow'],
    ['the default value has most records', filtered('list_price=0'), {}, 'slow'],
    ['a search is slow', filtered('name*chair'), {}, 'slow'],
    ['sorting all records is slow', sorted(), {}, 'slow'],
    ['filtering all records before sorting is slow', sorted('list_price>5'), { total: 3 }, 'slow'],
    ['sorting the records of an indexed value may be fast', sorted('categ_id=3'), {}, 'categ_id: up to 2727; slow'],
  ])('%s: %j, %j', (_, values, facts, choice) => {
    expect(estimate(values, facts)).toBe(choice);
  });
});

describe('with few records', () => {
  test.each([
    ['reading all of them is fast', sorted(), FAST_ROWS, 'fast'],
    ['with a condition, up to some fewer', sorted('list_price>5'), 2_700, 'fast'],
    ['with a search, up to far fewer', filtered('name*chair'), 500, 'fast'],
    ['one more is slow', filtered('name*chair'), 501, 'slow'],
    ['with many searches, a handful is slow', filtered(Array(200).fill('name*x').join('|')), 3, 'slow'],
  ])('%s: %j, %i', (_, values, rows, choice) => {
    expect(estimate(values, { rows })).toBe(choice);
  });
});
