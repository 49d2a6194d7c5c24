/** How the width of the table is divided among its columns. */

import { expect, test } from 'vitest';
import { type ColumnNeeds, fitColumns } from '../../console/src/table/fit-columns.ts';

const number: ColumnNeeds = { minimum: 80, wanted: 80, canGrow: false };
const name: ColumnNeeds = { minimum: 200, wanted: 300, canGrow: true };
const city: ColumnNeeds = { minimum: 50, wanted: 100, canGrow: true };

test('text takes what is left, in proportion to what it needs', () => {
  expect(fitColumns([number, name, city], 880)).toEqual([80, 600, 200]);
});

test('text gives way as far as it can be read', () => {
  expect(fitColumns([number, name, city], 405)).toEqual([80, 250, 75]);
  expect(fitColumns([number, name, city], 330)).toEqual([80, 200, 50]);
});

test('a table that has to scroll cuts nothing', () => {
  expect(fitColumns([number, name, city], 329)).toEqual([80, 300, 100]);
});

test('numbers alone stay where they are', () => {
  expect(fitColumns([number, number], 1_000)).toEqual([80, 80]);
});
