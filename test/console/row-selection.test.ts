/** Rows that are selected, with the box, with Shift, and all at once. */

import { expect, test } from 'vitest';
import { added, allToggled, extended, NOTHING_SELECTED, toggled } from '../../console/src/table/row-selection.ts';

const PAGE = [11, 12, 13, 14, 15];

test('a row is selected, and no longer', () => {
  const one = toggled(NOTHING_SELECTED, 12);
  expect([...one.ids]).toEqual([12]);
  expect(toggled(one, 12).ids.size).toBe(0);
});

test('a range begins at the row that was selected last, in either direction, and keeps what is selected', () => {
  const two = toggled(toggled(NOTHING_SELECTED, 11), 14);
  expect([...extended(two, 12, PAGE).ids].sort()).toEqual([11, 12, 13, 14]);
  expect([...extended(two, 15, PAGE).ids].sort()).toEqual([11, 14, 15]);
  expect(extended(two, 15, PAGE).anchor).toBe(14);
});

test('a range without a row before it begins where it ends', () => {
  const one = extended(NOTHING_SELECTED, 12, PAGE);
  expect([...one.ids]).toEqual([12]);
  expect([...extended(one, 14, PAGE).ids]).toEqual([12, 13, 14]);
});

test('rows that are added with the arrow keys do not depend on what was selected elsewhere', () => {
  expect([...added(toggled(NOTHING_SELECTED, 11), 14, 15).ids]).toEqual([11, 14, 15]);
});

test('a range whose first row is gone is the last row alone', () => {
  expect([...extended({ ids: new Set(), anchor: 99 }, 13, PAGE).ids]).toEqual([13]);
});

test('all rows of the page, or none', () => {
  const all = allToggled(toggled(NOTHING_SELECTED, 12), PAGE);
  expect([...all.ids]).toEqual(PAGE);
  expect(allToggled(all, PAGE)).toBe(NOTHING_SELECTED);
});
