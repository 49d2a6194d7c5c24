/** Values as people read them. */

import { expect, test } from 'vitest';
import { linkOf } from '../../console/src/format/link-of.ts';
import { formatField, formatMoment, formatValue, roundedFrom } from '../../console/src/format/values.ts';
import { findField } from '../../src/catalog/catalog.ts';
import { partner } from '../../src/catalog/partner.ts';
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

test('amounts of money are in the currency of the account, with its decimals; other numbers are not', () => {
  const [price, quantity] = ['list_price', 'qty_available'].map((name) => findField(product, name));
  if (price === undefined || quantity === undefined) throw new Error('the fields are gone');
  expect(formatField(1234.5, price, 'EUR')).toBe('€1,234.50');
  expect(formatField(-1234.5, price, 'USD')).toBe('-$1,234.50');
  expect(formatField(1234, price, 'JPY')).toBe('¥1,234');
  expect(formatField(0.125, price, 'EUR')).toBe('€0.125');
  expect(formatField(1234.5, price, null)).toBe('1,234.50');
  expect(formatField(12, quantity, 'EUR')).toBe('12');
});

test('times that are recent say how long ago they were, and others their day', () => {
  const now = new Date(2026, 2, 10, 15, 0);
  const ago = (...parts: readonly [number, number, number, number, number]) =>
    formatMoment(new Date(...parts).toISOString(), now.getTime());
  expect(ago(2026, 2, 10, 15, 0)).toBe('now');
  expect(ago(2026, 2, 10, 14, 1)).toBe('59 minutes ago');
  expect(ago(2026, 2, 10, 0, 30)).toBe('14 hours ago');
  // Of the calendar, not by the hour.
  expect(ago(2026, 2, 9, 23, 0)).toBe('yesterday');
  expect(ago(2026, 2, 4, 0, 0)).toBe('6 days ago');
  expect(ago(2026, 2, 3, 23, 0)).toBe('Mar 3, 2026');
  expect(ago(2026, 2, 10, 15, 5)).toBe('in 5 minutes');
  expect(ago(2026, 2, 11, 9, 0)).toBe('tomorrow');
});

test.each([
  ['email', 'mei@example.com', 'mailto:mei@example.com'],
  ['email', 'a?subject=x&b@example.com', 'mailto:a%3Fsubject%3Dx%26b@example.com'],
  ['email', 'unknown', undefined],
  ['email', 'a@b@c', undefined],
  ['phone', '+49 (30) 1234-56', 'tel:+4930123456'],
  ['phone', 'ask Mei', undefined],
  ['city', 'mei@example.com', undefined],
])('%s %s leads to %s', (name, value, link) => {
  const field = findField(partner, name);
  expect(field && linkOf(field, value)).toBe(link);
});
