/** Values as people read them. */

import { expect, test } from 'vitest';
import { decimalsOf, formatValue } from '../../console/src/format/values.ts';

test('the numbers of a column have the same decimals, as many as the longest needs', () => {
  const prices = [820.27, 338.5, 51, null];
  const decimals = decimalsOf(prices);
  expect(prices.map((price) => formatValue(price, 'number', decimals))).toEqual(['820.27', '338.50', '51.00', '–']);
  expect(decimalsOf([1, 2_000])).toBe(0);
  expect(decimalsOf([0.1 + 0.2])).toBe(1);
  expect(decimalsOf([1 / 3])).toBe(6);
  expect(decimalsOf([null, 'text', true])).toBe(0);
});

test('numbers that are too large or too small to be written out have no part in it', () => {
  expect(decimalsOf([1e-9, 2.5, 1e300])).toBe(1);
  expect(formatValue(1e300, 'number', 1)).toBe('1E300');
});
