/** Explaining a filter is limited like a filter that costs as much. */

import { expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { checkExplainCost } from '../../src/plan/explain.ts';
import { planList } from '../../src/plan/list.ts';
import { planned } from '../support/fixture.ts';

function explained(filter: string) {
  return planned(planList(product, { values: { filter, explain: 'true' }, continuations: [] }));
}

test('many cheap conditions can be explained for a million records', () => {
  const filter = Array.from({ length: 20 }, (_, n) => `id!=${n}`).join('&');
  expect(checkExplainCost(explained(filter), 1_000_000)).toBeUndefined();
});

test('many searches cannot, even next to a condition that an index supports', () => {
  const searches = (count: number) => `id=1&${Array.from({ length: count }, (_, n) => `name!*x${n}`).join('&')}`;
  expect(checkExplainCost(explained(searches(5)), 1_000_000)).toBeUndefined();
  expect(checkExplainCost(explained(searches(10)), 1_000_000)).toMatchObject({ code: 'filter_too_costly' });
});
