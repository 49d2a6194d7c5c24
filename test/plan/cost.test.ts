/** What a list costs, and which filters cost too much. */

import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { checkFilterCost, costPerRecord, estimateCost } from '../../src/plan/cost.ts';
import { planList } from '../../src/plan/list.ts';
import { planned } from '../support/fixture.ts';

const list = (values: Readonly<Record<string, string>>) => planned(planList(product, { values, continuations: [] }));
const searches = (count: number) => Array.from({ length: count }, (_, n) => `name!*x${n}`).join('&');
const MILLION = 1_000_000;

test.each([
  [{}, 1],
  [{ filter: 'id>1' }, 1.1],
  [{ filter: 'id>1&(id<9|active=true)' }, 1.3],
  [{ filter: 'name*oak&id>1' }, 6.1],
  [{ sort: '-id' }, 1],
  [{ sort: 'name' }, 11],
  [{ sort: 'name', filter: 'id>1' }, 11.1],
  [{ q: 'oak' }, 11],
  // Five conditions on texts decide what is relevant: two on codes, and three on names.
  [{ q: 'oak chair', sort: 'relevance' }, 21 + 10 + 25],
])('%j costs %d for each record', (values, cost) => {
  expect(estimateCost(list(values), 1_000)).toBeCloseTo(cost * 1_000);
});

test('without an order, there is nothing to sort', () => {
  const { where } = list({ filter: 'id>1' });
  expect(estimateCost({ where }, 1_000)).toBeCloseTo(1_100);
  expect(costPerRecord(where)).toBeCloseTo(1.1);
  expect(costPerRecord(undefined)).toBe(1);
});

describe('a filter that would have to be checked for each of a million records', () => {
  test.each([
    [{ filter: searches(49) }],
    [{ filter: `${searches(60)}&id=1` }],
    [{ filter: `${searches(60)}&name*oak` }],
    [{ sort: 'name' }],
  ])('is accepted if it costs little, or has an index: %j', (values) => {
    expect(checkFilterCost(list(values), MILLION)).toBeUndefined();
  });

  test('may cost as much as the limit, and no more', () => {
    // 16 for each record.
    const plan = list({ filter: searches(3) });
    expect(checkFilterCost(plan, 15_625_000)).toBeUndefined();
    expect(checkFilterCost(plan, 15_625_001)).toMatchObject({ code: 'filter_too_costly' });
  });

  test('is refused with the number of conditions that are possible', () => {
    expect(checkFilterCost(list({ filter: `${searches(98)}|(active=true&id>1)` }), MILLION)).toEqual({
      code: 'filter_too_costly',
      detail: 'The filter has 100 conditions, which would have to be checked for each of 1000000 products.',
      context: {
        parameter: 'filter',
        suggestion:
          'Use at most 50 such conditions, put many values of one field into a list, or add a condition that an index supports, such as id[1,2,3] or name*text.',
      },
    });
  });

  test('may always have one condition', () => {
    expect(checkFilterCost(list({ filter: 'active=true' }), 1_000 * MILLION)).toMatchObject({
      context: { suggestion: expect.stringMatching(/^Use at most 1 such/) },
    });
  });

  test('may be made of words', () => {
    const q = Array.from({ length: 16 }, (_, n) => String.fromCharCode(97 + n)).join(' ');
    expect(checkFilterCost(list({ q, filter: searches(40) }), MILLION)).toMatchObject({
      code: 'filter_too_costly',
      detail:
        'The words of q, and the filter, are 72 conditions, which would have to be checked for each of 1000000 products.',
      context: { parameter: 'q' },
    });
  });
});
