/** What of a view is saved, and whether it was changed since. */

import { expect, test } from 'vitest';
import { dayAfter, endOfDay, startOfDay, today } from '../../console/src/format/local-time.ts';
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

test('days that have a name are those on which the view is opened', () => {
  const days = (first: string, last = first) => `create_date>=${startOfDay(first)}&create_date<${endOfDay(last)}`;
  const filter = (query: string) => openedView(saved(query))?.filter;
  const [now, then] = [today(), dayAfter(today(), -40)];
  const queryWith = (text: string) => savedQuery({ ...view(''), filter: text });
  // What is saved today is what is opened today.
  expect(filter(queryWith(days(now)))).toBe(days(now));
  expect(queryWith(days(now))).toMatch(new RegExp(`&today=${now}$`));
  expect(queryWith('id>1')).toBe('filter=id>1');
  expect(queryWith(days(then))).not.toContain('today');
  // What was saved then has moved, wherever it is in the filter.
  const on = (text: string) => filter(`${new URLSearchParams({ filter: text })}&today=${then}`);
  expect(on(days(then))).toBe(days(now));
  expect(on(days(dayAfter(then, -6), then))).toBe(days(dayAfter(now, -6), now));
  expect(on(`active=true&${days(then)}&id>1`)).toBe(`active=true&${days(now)}&id>1`);
  expect(on(`id>1|(${days(then)})`)).toBe(`id>1|${days(now)}`);
  // Other days stay.
  expect(on(`id > 1 & ${days(dayAfter(then, -1))}`)).toBe(`id > 1 & ${days(dayAfter(then, -1))}`);
  expect(on('(id>')).toBe('(id>');
  expect(filter(`${new URLSearchParams({ filter: days(now) })}&today=2026-99-99`)).toBe(days(now));
  const opened = saved(`${new URLSearchParams({ filter: days(then) })}&today=${then}`);
  expect(isChanged({ ...view(''), filter: days(now) }, opened)).toBe(false);
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
