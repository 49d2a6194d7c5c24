/** The query of a saved view: what the console shows. */

import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { fieldNames } from '../../src/catalog/resource.ts';
import { viewQueryFlaw } from '../../src/plan/view-query.ts';

const flawOf = (query: string) => viewQueryFlaw(product, query);

describe('is shown', () => {
  test.each([
    '',
    'q=oak+chair&filter=id>1&fields=id,name&sort=-name&page=2&limit=50',
    'filter=id>1%26id<5',
    '&&filter=id>1&',
    'q=oak&sort=relevance',
    'group=categ_id&order=value',
    'group=list_price:20&order=count',
    'group=create_date:month@Europe/Berlin&order=sum(list_price*qty_available)',
    'record=7',
    'record=999999999999999',
    'panel=summary',
    'panel=code',
    'panel=response',
    'panel=none',
    'live=true',
    'live=false',
    'widths=name:240',
    'widths=name:240,id:80, active:5',
    'view=A-b_9',
    `view=${'a'.repeat(64)}`,
    'today=2026-01-31',
    // An empty parameter counts as absent.
    'filter=&q&sort=&page&limit=&group=&order&record=&panel=&live=&widths=&view=&today=&fields=',
  ])('%s', (query) => {
    expect(flawOf(query)).toBeUndefined();
  });
});

describe('is not shown', () => {
  const COUNT = 'Write count, value or a figure of the groups such as sum(qty_available).';
  const RECORD = 'Write the id of a record, such as 7.';
  const PANEL = 'Write summary, code, response or none.';
  const WIDTHS = 'Write columns with their widths in pixels: name:240,id:80.';
  const VIEW = 'Write the id of a view: 1 to 64 letters, digits, - and _.';
  const DAY = 'Write a day such as 2026-01-31.';

  test.each([
    ...['up', 'counts', 'xcount', 'sum(id', 'sum()', 'sum(id)x', '(id)'].map((text) => ['order', text, COUNT] as const),
    ...['0', '07', '-1', '7x', 'x7', '1000000000000000'].map((text) => ['record', text, RECORD] as const),
    ...['left', 'summary1', 'xnone', 'codes'].map((text) => ['panel', text, PANEL] as const),
    ...['1', 'TRUE', 'trues', 'xfalse'].map((text) => ['live', text, 'Write true or false.'] as const),
    ...['name', 'name:', ':80', 'name:x', 'name:1,', ',name:1', 'name:1;id:2', '!name:1'].map(
      (text) => ['widths', text, WIDTHS] as const,
    ),
    ...['a b', 'é', 'a.b', 'a'.repeat(65)].map((text) => ['view', text, VIEW] as const),
    ...['yesterday', '2026-1-31', '2026-01-311', 'x2026-01-31', '26-01-31'].map(
      (text) => ['today', text, DAY] as const,
    ),
  ])('%s=%s', (name, text, suggestion) => {
    const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
    expect(flawOf(`${name}=${encodeURIComponent(text)}`)).toEqual({
      code: 'invalid_body',
      detail: `query cannot be shown: ${name}: '${shown}' is wrong.`,
      context: { parameter: 'query', suggestion },
    });
  });

  const ENCODING = 'Encode a literal percent sign as %25, and text as UTF-8.';
  const FIELDS = `The fields are ${fieldNames(product).join(', ')}.`;

  test.each([
    ['filter=nane*chair', "filter: product has no field 'nane'.", 'Did you mean name?'],
    ['fields=id,colour', "fields: product has no field 'colour'.", FIELDS],
    ['sort=-price', "sort: product has no field 'price'.", 'Did you mean list_price?'],
    [
      'sort=relevance',
      'sort: Without q there is nothing to be relevant to.',
      'Add q with words to search for, or remove sort.',
    ],
    [
      'page=0',
      `page: '0' is not a whole number from 1 to ${Number.MAX_SAFE_INTEGER}.`,
      'Pages start at 1; pagination.totalPages tells how many there are.',
    ],
    ['limit=0', "limit: '0' is not a whole number from 1 to 1000.", 'Omit it to get 10 records.'],
    ['group=nane:5', "group: product has no field 'nane'.", 'Did you mean name?'],
    [
      `q=${'x'.repeat(501)}&sort=relevance`,
      'q: q has 501 characters, and at most 500 are searched for.',
      'Search for fewer words.',
    ],
    ['limit=5&page=2&limit=6', 'limit appears more than once.', 'Name limit once.'],
    ['q=%00', 'A query string must not contain NUL (%00).', ENCODING],
    ['q=%ff', 'The percent-encoded bytes are not UTF-8.', ENCODING],
    ['na%zzme=1', '%zz is not a percent sign followed by two hexadecimal digits.', ENCODING],
  ])('%s: %s', (query, detail, suggestion) => {
    expect(flawOf(query)).toEqual({
      code: 'invalid_body',
      detail: `query cannot be shown: ${detail}`,
      context: { parameter: 'query', suggestion },
    });
  });

  test('the first wrong parameter is reported, in the order of the table', () => {
    expect(flawOf('limit=0&page=0&sort=x&filter=x')).toMatchObject({ detail: expect.stringMatching(/: filter: /) });
  });
});

describe('a part that is no parameter', () => {
  const written = (query: string) => `In the query of a view, & within a filter is written %26. Did you mean ${query}?`;
  const NAMES =
    'The parameters of a view are q, filter, fields, sort, page, limit, group, order, record, panel, live, widths, view, today.';

  test.each([
    ['filter=id>1&id<5', 'id<5', written('filter=id>1%26id<5')],
    [
      'sort=id&filter=active=true&list_price>5&limit=7',
      'list_price>5',
      written('filter=active=true%26list_price>5&sort=id&limit=7'),
    ],
    ['id>5&sort=id', 'id>5', written('filter=id>5&sort=id')],
    ['id>5&id<9&&', 'id>5', written('filter=id>5%26id<9')],
    ['filter=id>1&nane*x', 'nane*x', NAMES],
    ['fliter=id>1', 'fliter', 'Did you mean filter?'],
    ['colour=red', 'colour', NAMES],
    ['nonsense', 'nonsense', NAMES],
    ['=5', '', NAMES],
    ['filter=id>1&id<5&limit=0', 'id<5', NAMES],
  ])('%s', (query, name, suggestion) => {
    expect(flawOf(query)).toEqual({
      code: 'invalid_body',
      detail: `query cannot be shown: there is no parameter '${name}'.`,
      context: { parameter: 'query', suggestion },
    });
  });

  test('a long query is not repeated', () => {
    const query = (length: number) => `filter=name*${'x'.repeat(length - 'filter=name*&id>5'.length)}&id>5`;
    expect(flawOf(query(400))).toMatchObject({ context: { suggestion: expect.stringMatching(/%26id>5\?$/) } });
    expect(flawOf(query(401))).toMatchObject({ context: { suggestion: NAMES } });
  });
});
