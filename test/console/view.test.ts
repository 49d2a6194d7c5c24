/** What a URL says about the view, and what the view says in the URL and in the title. */

import { expect, test } from 'vitest';
import { hrefOf, readView } from '../../console/src/view/view.ts';
import { viewTitle } from '../../console/src/view/view-title.ts';

const read = (search: string) => readView('/products', search);

test('a field sorts once, as where it is first', () => {
  expect(read('sort=name,-list_price,-name,name').sort).toEqual([
    { field: 'name', isDescending: false },
    { field: 'list_price', isDescending: true },
  ]);
});

test.each([
  ['1', 1],
  ['10', 10],
  ['1000', 1_000],
  ['1001', 100],
  ['0', 100],
  ['x', 100],
])('limit=%s shows %i rows', (text, limit) => {
  const view = read(`limit=${text}`);
  expect(view.limit).toBe(limit);
  expect(hrefOf(view)).toBe(limit === 100 ? '/products' : `/products?limit=${limit}`);
});

test('the title names the records and the filter', () => {
  expect(viewTitle(read('sort=name'))).toBe('Products - Stockbook');
  expect(viewTitle(readView('/partners', 'filter=name*a%26active=true'))).toBe(
    'Partners, name*a&active=true - Stockbook',
  );
});
