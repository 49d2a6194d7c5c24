/** Conditions that words in the search box could mean. */

import { expect, test } from 'vitest';
import { endOfDay, startOfDay, today } from '../../console/src/format/local-time.ts';
import { suggestConditions } from '../../console/src/query/suggest-conditions.ts';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';

test.each([
  ['product', '', []],
  ['product', 'oak', []],
  ['product', 'true', []],
  [
    'product',
    '100',
    ['list_price=100', 'list_price>=100', 'qty_available=100', 'qty_available>=100', 'id=100', 'categ_id=100'],
  ],
  [
    'product',
    '1,000.50',
    ['list_price=1000.50', 'list_price>=1000.50', 'qty_available=1000.50', 'qty_available>=1000.50'],
  ],
  ['product', '<5', ['list_price<5', 'qty_available<5']],
  ['product', '>€1,000', ['list_price>1000', 'qty_available>1000']],
  ['product', 'price > 100', ['list_price>100']],
  ['product', 'Quantity on hand <= -5', ['qty_available<=-5']],
  ['product', 'weight > 100', ['list_price>100', 'qty_available>100']],
  ['product', 'active', ['active=true']],
  ['product', 'inactive', ['active=false']],
  ['product', '2026-06-23', [`write_date>=${startOfDay('2026-06-23')}&write_date<${startOfDay('2026-06-24')}`]],
  ['product', 'today', [`write_date>=${startOfDay(today())}&write_date<${endOfDay(today())}`]],
  ['product', 'CHR-00012', ['default_code=CHR-00012']],
  // Somebody who types in lowercase may not know the case.
  ['product', 'chr-00012', ['default_code*chr-00012']],
  ['product', 'list_price>100', ['list_price>100']],
  ['product', 'list_price > 100 & active=true', ['list_price>100&active=true']],
  ['product', 'list_prize>100', []],
  ['partner', 'info@example.com', ['email=info@example.com']],
  ['partner', '@example.com', ['email*@example.com']],
  ['partner', 'Berlin', ['city*Berlin']],
  ['partner', 'yes', []],
  ['partner', '+49-30-1234', ['phone*+49-30-1234']],
] as const)('in a list of each %s, "%s" suggests conditions that it could mean', (name, text, expected) => {
  expect(suggestConditions({ product, partner }[name], text).map(({ filter }) => filter)).toEqual(expected);
});

test('the last word may be a value, and the others stay a search', () => {
  expect(suggestConditions(product, 'oak chair price>100')).toEqual([
    { filter: 'list_price>100', words: 'Sales price is more than 100', q: 'oak chair' },
  ]);
  const [first, second] = suggestConditions(product, 'oak  chair 100');
  expect(first).toEqual({ filter: 'list_price=100', words: 'Sales price is 100', q: 'oak chair' });
  expect(second?.words).toBe('Sales price is at least 100');
});
