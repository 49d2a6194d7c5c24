/** Decisions on the parameters of lists. */

import { expect } from 'vitest';
import { COMPANIES, get, getFails, PARTNERS, PRODUCTS } from '../../support/rows.ts';
import type { Decision } from './decision.ts';

const all = [1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 14, 15];

export const lists: readonly Decision[] = [
  {
    point: 'the query string',
    says: '`+` and `%20` are spaces. Malformed percent-encoding, invalid UTF-8 and NUL are a 400. A filter that is still percent-encoded after decoding (it has no operator, but `%3D` or the like) is decoded once more',
    rows: [
      get(`${PRODUCTS}?filter=name=Oak+Chair`, 200, { ids: [1] }),
      get(`${PRODUCTS}?filter=name=Oak%20Chair`, 200, { ids: [1] }),
      get(`${PRODUCTS}?%66ilter=id%3d1`, 200, { ids: [1] }),
      get(`${PRODUCTS}?filter=name%253DOak%2520Chair`, 200, { ids: [1] }),
      get(`${PRODUCTS}?filter=id%255B1%252C2%255D`, 200, { ids: [1, 2] }),
      get(`${PRODUCTS}?filter=name*%2525`, 200, { ids: [] }),
      get(`${PRODUCTS}?filter=name*100%25`, 200, { ids: [5] }),
      getFails(`${PRODUCTS}?filter=name=%zz`, 400, 'malformed_encoding', { parameter: 'filter' }),
      getFails(`${PRODUCTS}?filter=name=%`, 400, 'malformed_encoding'),
      getFails(`${PRODUCTS}?filter=name=%ff`, 400, 'malformed_encoding'),
      getFails(`${PRODUCTS}?filter=name=%ed%a0%80`, 400, 'malformed_encoding'),
      getFails(`${PRODUCTS}?filter=name=%c0%80`, 400, 'malformed_encoding'),
      getFails(`${PRODUCTS}?filter=name=a%00`, 400, 'malformed_encoding'),
      getFails(`${PRODUCTS}?fields=%zz`, 400, 'malformed_encoding', { parameter: 'fields' }),
      getFails(`${PRODUCTS}?%zz=1`, 400, 'malformed_encoding'),
    ],
  },
  {
    point: 'a raw `&` in the filter',
    says: 'A segment after `filter=…` that is not a known parameter continues the filter: `filter=a=1&b>2&page=2` means `a=1&b>2`. Nothing is dropped: a segment that is neither a parameter nor a condition is a 400 with a suggestion',
    rows: [
      get(`${PRODUCTS}?filter=active=true&list_price>150&limit=2`, 200, { ids: [2, 11] }),
      get(`${PRODUCTS}?filter=active=true&limit=2&list_price>150`, 200, { ids: [2, 11] }),
      get(`${PRODUCTS}?filter=name*%22A&B%22`, 200, { ids: [5] }),
      get(`${PRODUCTS}?filter=id=1|id=2&active=true`, 200, { ids: [1, 2] }),
      getFails(`${PRODUCTS}?filter=active=true&pgae=2`, 400, 'unknown_field', {
        suggestion: expect.stringContaining('page'),
        position: 13,
      }),
      getFails(`${PRODUCTS}?filter=active=true&foo`, 400, 'filter_syntax', {
        detail: expect.stringContaining('raw &'),
      }),
      getFails(`${PRODUCTS}?filter=active=true&&id=1`, 400, 'filter_syntax', {
        suggestion: expect.stringContaining('filter=active=true%26id=1'),
      }),
      getFails(`${PRODUCTS}?list_price>150`, 400, 'unknown_parameter', {
        suggestion: expect.stringContaining('filter=list_price%3E150'),
      }),
    ],
  },
  {
    point: 'parameters',
    says: 'Unknown and repeated parameters are a 400. An empty `fields`, `filter`, `page`, `limit` or `sort` counts as absent',
    rows: [
      get(`${PRODUCTS}?fields=&filter=&page=&limit=&sort=`, 200, { has: { meta: { count: 10, total: 12 } } }),
      get(`${PRODUCTS}?page`, 200, { has: { pagination: { currentPage: 1 } } }),
      get(`${PRODUCTS}?`, 200),
      get(`${PRODUCTS}?&page=2&`, 200, { has: { pagination: { currentPage: 2 } } }),
      getFails(`${PRODUCTS}?limits=5`, 400, 'unknown_parameter', {
        parameter: 'limits',
        suggestion: 'Did you mean limit? Try /api/v1/inventory/product?limit=5',
      }),
      getFails(`${PRODUCTS}?Page=2`, 400, 'unknown_parameter', {
        suggestion: 'Did you mean page? Try /api/v1/inventory/product?page=2',
      }),
      getFails(`${PRODUCTS}?search=chair`, 400, 'unknown_parameter'),
      getFails(`${PRODUCTS}?page=1&page=2`, 400, 'repeated_parameter', { parameter: 'page' }),
      getFails(`${PRODUCTS}?page=&page=2`, 400, 'repeated_parameter'),
      getFails(`${PRODUCTS}?filter=id=1&filter=id=2`, 400, 'repeated_parameter', { parameter: 'filter' }),
      getFails(`${PRODUCTS}/1?page=2`, 400, 'unknown_parameter'),
      getFails(`${PRODUCTS}/1?fields=id&fields=name`, 400, 'repeated_parameter'),
    ],
  },
  {
    point: '`fields`',
    says: 'Members appear in the requested order, once each; an unknown name is a 400 that suggests the nearest one',
    rows: [
      get(`${PRODUCTS}?fields=list_price,id,list_price&filter=id=1`, 200, {
        has: { data: [{ list_price: 120.5, id: 1 }] },
      }),
      get(`${COMPANIES}/2?fields=branch_user,%20name`, 200, {
        body: { data: { branch_user: '0042', name: 'Northwind Suomi' } },
      }),
      getFails(`${PRODUCTS}?fields=id,nmae`, 400, 'unknown_field', {
        parameter: 'fields',
        suggestion: `Did you mean name? Try ${PRODUCTS}?fields=id,name`,
      }),
      getFails(`${PRODUCTS}?fields=id,,name`, 400, 'unknown_field'),
      getFails(`${PRODUCTS}?fields=Name`, 400, 'unknown_field', { suggestion: expect.stringContaining('name') }),
      getFails(`${PARTNERS}/1?fields=price`, 400, 'unknown_field', { parameter: 'fields' }),
    ],
  },
  {
    point: '`limit`, `page`',
    says: 'Positive whole numbers in plain digits. 0, negative numbers, more than 1000 (`limit`) or 2^53 − 1 (`page`), and anything that is not a number are a 400; nothing is clamped',
    rows: [
      get(`${PRODUCTS}?limit=1000`, 200, { has: { meta: { count: 12 } } }),
      getFails(`${PRODUCTS}?limit=1001`, 400, 'invalid_limit', {
        parameter: 'limit',
        suggestion: expect.stringContaining('limit=1000'),
      }),
      get(`${PRODUCTS}?limit=1`, 200, { ids: [1] }),
      get(`${PRODUCTS}?limit=007`, 200, { has: { meta: { count: 7 } } }),
      ...['0', '-1', '1.5', '1e2', 'ten', '%2B5', '5%20', '99999999999999999999', '٥'].map((limit) =>
        getFails(`${PRODUCTS}?limit=${encodeURI(limit).replaceAll('%25', '%')}`, 400, 'invalid_limit'),
      ),
      get(`${PRODUCTS}?page=9007199254740991`, 200, { has: { pagination: { currentPage: 9007199254740991 } } }),
      get(`${PRODUCTS}?page=9007199254740991&limit=1000`, 200, { ids: [] }),
      getFails(`${PRODUCTS}?page=9007199254740992`, 400, 'invalid_page', { parameter: 'page' }),
      ...['0', '-1', '1.5', 'last'].map((page) => getFails(`${PRODUCTS}?page=${page}`, 400, 'invalid_page')),
    ],
  },
  {
    point: 'page after the last',
    says: '200 with empty `data` and the real `total` and `totalPages`; `nextPage` is null, `previousPage` is the last page (null if there are no pages)',
    rows: [
      get(`${PRODUCTS}?limit=5&page=4`, 200, {
        body: {
          data: [],
          meta: { count: 0, total: 12 },
          pagination: { previousPage: 3, currentPage: 4, nextPage: null, totalPages: 3 },
        },
      }),
      get(`${PRODUCTS}?limit=5&page=100`, 200, { has: { pagination: { previousPage: 3, currentPage: 100 } } }),
      get(`${PRODUCTS}?filter=id=999&page=2`, 200, {
        body: {
          data: [],
          meta: { count: 0, total: 0 },
          pagination: { previousPage: null, currentPage: 2, nextPage: null, totalPages: 0 },
        },
      }),
    ],
  },
  {
    point: '`sort`',
    says: 'Comma-separated fields, `-` for descending. `id` ascending is added as the last key unless `id` is named. Text sorts by its folded form, by code point; null sorts last in either direction. Default: `id` ascending',
    rows: [
      get(`${PRODUCTS}?limit=1000`, 200, { ids: all }),
      get(`${PRODUCTS}?sort=-id&limit=3`, 200, { ids: [15, 14, 13] }),
      get(`${PRODUCTS}?sort=-list_price,id&limit=4`, 200, { ids: [6, 2, 3, 11] }),
      get(`${PRODUCTS}?sort=list_price&filter=list_price=120.5`, 200, { ids: [1, 10] }),
      get(`${PRODUCTS}?sort=list_price,-id&filter=list_price=120.5`, 200, { ids: [10, 1] }),
      get(`${PRODUCTS}?sort=name&limit=1000`, 200, { ids: [14, 5, 13, 4, 10, 1, 3, 11, 2, 15, 6, 12] }),
      get(`${PRODUCTS}?sort=categ_id&limit=1000`, 200, { ids: [14, 1, 4, 2, 10, 5, 11, 12, 13, 15, 6, 3] }),
      get(`${PRODUCTS}?sort=-categ_id&limit=1000`, 200, { ids: [6, 13, 15, 11, 12, 5, 2, 10, 1, 4, 14, 3] }),
      get(`${PRODUCTS}?sort=-default_code&limit=1000`, 200, { ids: [11, 15, 4, 2, 10, 1, 12, 5, 13, 14, 6, 3] }),
      get(`${PRODUCTS}?sort=active,-write_date&limit=4`, 200, { ids: [3, 6, 1, 2] }),
      getFails(`${PRODUCTS}?sort=nam`, 400, 'unknown_field', {
        parameter: 'sort',
        suggestion: expect.stringContaining('sort=name'),
      }),
      getFails(`${PRODUCTS}?sort=name,-name`, 400, 'invalid_sort', { parameter: 'sort' }),
      getFails(`${PRODUCTS}?sort=name,`, 400, 'unknown_field'),
      getFails(`${PRODUCTS}?sort=--name`, 400, 'unknown_field'),
    ],
  },
];
