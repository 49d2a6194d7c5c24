/** What a live view highlights. */

import { expect, test } from 'vitest';
import { pageDifference } from '../../console/src/table/page-difference.ts';

const chair = { id: 1, name: 'Oak Chair', list_price: 120 };
const desk = { id: 2, name: 'Steel Desk', list_price: null };

test('the fields that have another value, also if a row has moved', () => {
  const difference = pageDifference([chair, desk], [{ ...desk, list_price: 0 }, { ...chair }]);
  expect([...difference]).toEqual([[2, new Set(['list_price'])]]);
});

test('a record that was not on the page is new; one that is gone leaves nothing', () => {
  expect([...pageDifference([chair], [desk])]).toEqual([[2, 'new']]);
  expect(pageDifference([chair, desk], [chair]).size).toBe(0);
});
