/** What a live view highlights, and says. */

import { expect, test } from 'vitest';
import { describeChanges } from '../../console/src/table/describe-changes.ts';
import { type PagePlace, pageDifference, type RowChange } from '../../console/src/table/page-difference.ts';
import { product } from '../../src/catalog/product.ts';

const chair = { id: 1, name: 'Oak Chair', list_price: 120 };
const desk = { id: 2, name: 'Steel Desk', list_price: null };
const lamp = { id: 3, name: 'Lamp', list_price: 40 };

const ONLY: PagePlace = { isFirst: true, isLast: true };
const MIDDLE: PagePlace = { isFirst: false, isLast: false };

test('the fields that have another value, also if a row has moved', () => {
  const difference = pageDifference([chair, desk], [{ ...desk, list_price: 0 }, { ...chair }], ONLY);
  expect([...difference]).toEqual([[2, new Set(['list_price'])]]);
});

test('a record that was not on the page is new; one that is gone leaves nothing', () => {
  expect([...pageDifference([chair], [desk], ONLY)]).toEqual([[2, 'new']]);
  expect(pageDifference([chair, desk], [chair], ONLY).size).toBe(0);
});

test('a record at the edge of the page has moved there from the page beside it', () => {
  expect([...pageDifference([chair, desk], [lamp, chair], MIDDLE)]).toEqual([[3, 'moved']]);
  expect([...pageDifference([chair, desk], [desk, lamp], MIDDLE)]).toEqual([[3, 'moved']]);
  expect([...pageDifference([chair, desk], [chair, lamp, desk], MIDDLE)]).toEqual([[3, 'new']]);
  expect([...pageDifference([chair, desk], [lamp, chair], { isFirst: true, isLast: false })]).toEqual([[3, 'new']]);
  expect([...pageDifference([chair], [chair, lamp], { isFirst: false, isLast: true })]).toEqual([[3, 'new']]);
});

test('changes in words', () => {
  const describe = (...changes: (readonly [number, RowChange])[]) => describeChanges(new Map(changes), 1_234, product);
  expect(describe()).toBe('');
  expect(describe([1, 'new'])).toBe('1 new row, 1,234 products.');
  expect(describe([1, 'moved'])).toBe('1 row moved onto this page, 1,234 products.');
  expect(describe([1, 'new'], [2, new Set(['name'])], [3, 'moved'], [4, 'moved'])).toBe(
    '1 new row, 1 row changed, 2 rows moved onto this page, 1,234 products.',
  );
});
