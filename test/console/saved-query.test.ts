/** What of a view is saved, and whether it was changed since. */

import { expect, test } from 'vitest';
import { isChanged, openedView, savedQuery } from '../../console/src/saved-views/saved-query.ts';
import { readLink } from '../../console/src/view/read-link.ts';
import { hrefOf } from '../../console/src/view/view.ts';

const SAVED = { id: 'low', name: 'Low stock', isFirstPage: false, savedAt: '', etag: '' };
const saved = (query: string, resource = 'product') => ({ ...SAVED, resource, query });
const view = (search: string) => readLink('/products', search).view;

test('everything but the page, the record, and whether changes are followed', () => {
  expect(savedQuery(view('filter=id>1&fields=id,name&sort=-id&limit=25&panel=none&widths=id:90'))).toBe(
    'filter=id>1&fields=id,name&sort=-id&limit=25&panel=none&widths=id:90',
  );
  expect(savedQuery(view('page=3&record=7&live=true&view=low'))).toBe('');
});

test('an opened view has its query, and says which one it is', () => {
  const opened = openedView(saved('filter=id>1&sort=-id'));
  expect(opened && hrefOf(opened)).toBe('/products?filter=id>1&sort=-id&view=low');
  expect(openedView(saved('', 'invoice'))).toBeUndefined();
});

test.each([
  ['filter=id>1&sort=-id', false],
  // In another order, or encoded, it is the same.
  ['sort=-id&filter=id%3E1', false],
  ['filter=id>1&sort=-id&page=2&record=5&live=true', false],
  ['filter=id>1', true],
  ['filter=id>1&sort=-id&panel=none', true],
])('%s is changed: %s', (search, expected) => {
  expect(isChanged(view(`${search}&view=low`), saved('filter=id>1&sort=-id'))).toBe(expected);
});

test('what a newer version has saved, and this one does not know, does not count as changed', () => {
  expect(isChanged(view('filter=id>1'), saved('filter=id>1&shape=round'))).toBe(false);
});
