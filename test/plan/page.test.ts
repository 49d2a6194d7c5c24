/** `page` and `limit`, which are never clamped. */

import { expect, test } from 'vitest';
import { offsetOf, planLimit, planPage, planPageNumber, rowsOnPage } from '../../src/plan/page.ts';

const pageOf = (values: { readonly page?: string; readonly limit?: string }, defaultLimit?: number) =>
  planPage({ values, continuations: [] }, defaultLimit);

test.each([
  [{}, { page: 1, limit: 10 }],
  [{ page: '2' }, { page: 2, limit: 10 }],
  [{ limit: '1' }, { page: 1, limit: 1 }],
  [{ limit: '1000' }, { page: 1, limit: 1_000 }],
  [
    { page: '007', limit: '05' },
    { page: 7, limit: 5 },
  ],
  [{ page: '9007199254740991' }, { page: Number.MAX_SAFE_INTEGER, limit: 10 }],
])('%j', (values, expected) => {
  expect(pageOf(values)).toEqual(expected);
});

test('where a page has another length, that is the default', () => {
  expect(pageOf({}, 50)).toEqual({ page: 1, limit: 50 });
  expect(pageOf({ limit: '7' }, 50)).toEqual({ page: 1, limit: 7 });
  expect(pageOf({ limit: 'x' }, 50)).toMatchObject({ context: { suggestion: 'Omit it to get 50 records.' } });
});

const DIGITS = 'is not a whole number from 1 to';

test.each<readonly [page: string, fixed: object | undefined]>([
  ['0', { page: '1' }],
  ['000', { page: '1' }],
  ...['-1', '1.0', '1e3', ' 1', '+1', '٣', 'x', '9007199254740992', '10x', '0x0'].map(
    (text) => [text, undefined] as const,
  ),
])('page=%s is an error', (page, fixed) => {
  const suggestion = 'Pages start at 1; pagination.totalPages tells how many there are.';
  expect(planPageNumber(page)).toEqual({
    code: 'invalid_page',
    detail: `'${page}' ${DIGITS} 9007199254740991.`,
    context: { parameter: 'page', suggestion, ...(fixed && { fixed }) },
  });
  expect(pageOf({ page, limit: '0' })).toMatchObject({ code: 'invalid_page' });
});

const OMIT = 'Omit it to get 10 records.';

test.each<readonly [limit: string, suggestion: string, fixed: object | undefined]>([
  ['1001', 'Request at most 1000 records at once, and the rest with further requests.', { limit: '1000' }],
  ...['0', '-1', '1.5', '2000x', 'x2000', '1e9', '5000.5', ''].map((text) => [text, OMIT, undefined] as const),
])('limit=%s is an error', (limit, suggestion, fixed) => {
  const problem = {
    code: 'invalid_limit',
    detail: `'${limit}' ${DIGITS} 1000.`,
    context: { parameter: 'limit', suggestion, ...(fixed && { fixed }) },
  };
  expect(planLimit(limit)).toEqual(problem);
  expect(pageOf({ limit })).toEqual(problem);
});

test('how many records precede a page, and how many are on it', () => {
  expect([1, 2, 3].map((page) => offsetOf({ page, limit: 10 }))).toEqual([0, 10, 20]);
  expect([1, 2, 3, 4].map((page) => rowsOnPage({ page, limit: 10 }, 25))).toEqual([10, 10, 5, 0]);
  expect(rowsOnPage({ page: 1, limit: 10 }, 0)).toBe(0);
});
