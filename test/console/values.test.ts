/** Values as people read them. */

import { expect, test } from 'vitest';
import { formatValue, roundedFrom } from '../../console/src/format/values.ts';
import { findField } from '../../src/catalog/catalog.ts';
import { product } from '../../src/catalog/product.ts';

test('prices have two decimals, whatever other prices there are; those with more keep them', () => {
  const decimals = findField(product, 'list_price')?.decimals;
  expect([338.5, 820.27, 51, 0.125, null].map((price) => formatValue(price, 'number', decimals))).toEqual([
    ...['338.50', '820.27', '51.00', '0.125', 'not set'],
  ]);
});

test('other numbers have as many as they need', () => {
  const decimals = findField(product, 'qty_available')?.decimals;
  expect([12, 1.5, 0.1 + 0.2].map((number) => formatValue(number, 'number', decimals))).toEqual(['12', '1.5', '0.3']);
});

test('numbers that are too large or too small to be written out', () => {
  expect(formatValue(1e300, 'number', 2)).toBe('1E300');
  expect(formatValue(1e-9, 'number', 2)).toBe('1E-9');
});

test('what is shown with fewer digits than it has', () => {
  expect([0.1 + 0.2, 1 / 3, 1.7976931348623157e308].map((value) => roundedFrom(value, 'number'))).toEqual([
    ...['0.30000000000000004', '0.3333333333333333', '1.7976931348623157e+308'],
  ]);
  for (const exact of [338.5, 0, -0.000001, 1e21, 123_456_789_012.125, null])
    expect(roundedFrom(exact, 'number')).toBeUndefined();
  expect(roundedFrom(9_007_199_254_740_991, 'integer')).toBeUndefined();
});
