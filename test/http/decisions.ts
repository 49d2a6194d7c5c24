/**
 * What Stockbook decides where the contract leaves something open: each point in its own words, with requests that show it.
 * `docs/api.md` has the same table for readers; a test keeps the two the same.
 */

import { expect } from 'vitest';
import { mintKey, printKey, readKey } from '../../src/access/key.ts';
import { COMPANIES, filtered, get, PARTNERS, PRODUCTS, type Row, refused, refusedFilter } from '../support/rows.ts';
import type { TestRequest } from '../support/service.ts';

export interface Decision {
  readonly point: string;
  readonly says: string;
  readonly rows: readonly Row[];
}

const all = [1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 14, 15];
const allBut = (...ids: number[]) => all.filter((id) => !ids.includes(id));

export const decisions: readonly Decision[] = [
  {
    point: '`&` and `|` mixed',
    says: '`&` binds tighter. `( … )` groups: a `(` where a condition may start opens a group, and inside one an unquoted `)` closes it',
    rows: [
      filtered('id=1|id=2&active=false', [1]),
      filtered('(id=1|id=2)&active=true', [1, 2]),
      filtered('active=false&id=3|id=1', [1, 3]),
      filtered('((id=1)|(id=2|id=3))', [1, 2, 3]),
      filtered('(default_code="a)b"|id=4)', [4]),
      filtered('name*(small)', [11]),
      filtered('(name*"(small)")', [11]),
      refusedFilter('(name*(small))', 'filter_syntax'),
      refusedFilter('(id=1', 'filter_syntax', { position: 1 }),
      refusedFilter('(id=1))', 'filter_syntax', { position: 7 }),
    ],
  },
  {
    point: 'operators',
    says: 'Longest match first: `![` `[` `!*` `!=` `>=` `<=`, then `=` `*` `>` `<`; the rest up to the next unquoted `&`, `|` (or `)` in a group, `,` and `]` in a list) is the value, so `name=a>b` compares with `a>b`',
    rows: [
      filtered('name=a>b', [13]),
      filtered('default_code=a>b', [5]),
      filtered('id>=14', [14, 15]),
      filtered('id>14', [15]),
      filtered('id<=1', [1]),
      filtered('id<2', [1]),
      filtered('id!=1&id<4', [2, 3]),
      filtered('name!*a&id<6', [2, 4]),
      filtered('id![1,2,3,4,5,6,10,11,12,13,14]', [15]),
      filtered('name*small), [new]', [11]),
      refusedFilter('name~chair', 'filter_syntax', { position: 5 }),
      refusedFilter('id', 'filter_syntax', { position: 3 }),
      refusedFilter('id==1', 'invalid_value', { suggestion: expect.stringContaining('filter=id=1') }),
    ],
  },
  {
    point: 'values',
    says: 'Bare or quoted. Bare: outer spaces dropped, as around field names and operators. Quoted: `"…"` with `\\"` and `\\\\`, for every operator and list item; whatever stands inside is text. `null` bare is null, `"null"` is text; a bare empty value is the empty string for text and a 400 for other types',
    rows: [
      filtered(' name  =   Oak Chair  ', [1]),
      filtered('default_code=" padded "', [14]),
      filtered('default_code= padded ', []),
      filtered('name="100% Wool_Rug \\"A&B|C\\""', [5]),
      filtered('name*"\\\\ shade"', [12]),
      filtered('name*" 24\\" ("', [11]),
      filtered('id>"14"', [15]),
      filtered('id["1","2"]', [1, 2]),
      filtered('active="false"&id<5', [3]),
      filtered('name="null"', [10]),
      filtered('default_code="null"', [4]),
      filtered('default_code=null', [3]),
      filtered('default_code=NULL', []),
      filtered('default_code=', [6]),
      filtered('default_code=""', [6]),
      filtered('name=', [14]),
      refusedFilter('id=', 'invalid_value', { position: 4 }),
      refusedFilter('active=""', 'invalid_value'),
      refusedFilter('name="open', 'filter_syntax', { position: 6 }),
      refusedFilter('name="a"b', 'filter_syntax', { position: 9 }),
      refusedFilter('name="a\\n"', 'filter_syntax', { position: 8 }),
    ],
  },
  {
    point: 'null',
    says: '`field=null`, `field!=null`, and null as a list item work on nullable fields (400 on others). Negative operators are the exact complement: `x=v` and `x!=v`, `*` and `!*`, `[]` and `![]` together give every record once, null included',
    rows: [
      filtered('categ_id=null', [3]),
      filtered('categ_id!=null', allBut(3)),
      filtered('categ_id!=1', allBut(1, 4)),
      filtered('categ_id[1,null]', [1, 3, 4]),
      filtered('categ_id![1,null]', allBut(1, 3, 4)),
      filtered('categ_id![1]', allBut(1, 4)),
      filtered('is_rsd_product!=true', allBut(2, 14)),
      filtered('default_code!*chr', allBut(1, 10, 12)),
      filtered('default_code![CHR-1]', allBut(1)),
      refusedFilter('id=null', 'null_not_allowed', { position: 4 }),
      refusedFilter('name=null', 'null_not_allowed', { suggestion: expect.stringContaining('filter=name=%22null%22') }),
      refusedFilter('name[a,null]', 'null_not_allowed', { position: 8 }),
      refusedFilter('categ_id>null', 'null_not_allowed'),
      refusedFilter('default_code*null', 'null_not_allowed'),
    ],
  },
  {
    point: 'contains',
    says: 'Text fields; both sides folded: NFC, lower case, final sigma as sigma. `%`, `_`, `\\` and `*` in the value are ordinary characters; an empty value is a 400',
    rows: [
      filtered('name*OAK', [1, 3]),
      filtered('name*brûlée', [4]),
      filtered('name*BRU\u0302LE\u0301E', [4]),
      filtered('name*οδος', [6]),
      filtered('name*οδοσ', [6]),
      filtered('name*100%', [5]),
      filtered('name*wool_rug', [5]),
      filtered('name*wool%', []),
      filtered('name*o_k', []),
      filtered('name*\\', [12]),
      filtered('name**', []),
      filtered('name*😀', [12]),
      refusedFilter('name*', 'invalid_value', { position: 6 }),
      refusedFilter('name!*""', 'invalid_value'),
      refusedFilter('list_price*5', 'operator_not_allowed', { suggestion: 'list_price takes = != > >= < <= [] ![]' }),
      refusedFilter('active*t', 'operator_not_allowed'),
      refusedFilter('create_date*2026', 'operator_not_allowed'),
    ],
  },
  {
    point: '`=` on text',
    says: 'Exact, case-sensitive, by code point; the same in both engines',
    rows: [
      filtered('default_code=CHR-1', [1]),
      filtered('default_code=chr-1', [12]),
      filtered('name=Crème Brûlée', [4]),
      filtered('name=Cre\u0300me Bru\u0302le\u0301e', []),
      filtered('name=ΟΔΟΣ', [6]),
      filtered('name=οδοσ', []),
      filtered('default_code=2024', [13]),
    ],
  },
  {
    point: '`>` `>=` `<` `<=`',
    says: 'Numbers and timestamps; on text or boolean a 400 that lists what the field allows. A record whose value is null never matches',
    rows: [
      filtered('categ_id>=0', allBut(3)),
      filtered('categ_id<2', [1, 4, 14]),
      filtered('product_tmpl_id<1|product_tmpl_id>=1', allBut(2)),
      filtered('write_date>2026-01-02', [3]),
      refusedFilter('name>a', 'operator_not_allowed', { suggestion: 'name takes = != * !* [] ![]', position: 5 }),
      refusedFilter('active>=true', 'operator_not_allowed', { suggestion: 'active takes = != [] ![]' }),
    ],
  },
  {
    point: 'numbers',
    says: 'Decimal notation with optional exponent; anything else is a 400. Integer fields want integers',
    rows: [
      filtered('list_price=120.5', [1, 10]),
      filtered('list_price=1.205e2', [1, 10]),
      filtered('list_price=0.1', [5]),
      filtered('qty_available=0.30000000000000004', [5]),
      filtered('qty_available=0.3', []),
      filtered('list_price=1e21', [6]),
      filtered('list_price<=-12.5', [13]),
      filtered('list_price<1e-300&list_price>0', [14]),
      filtered('qty_available>1e308', [14]),
      filtered('qty_available<1e400', all),
      filtered('categ_id=9007199254740991', [6]),
      filtered('categ_id>99999999999999999999', []),
      filtered('id<99999999999999999999', all),
      filtered('id[1e0,2,1e400]', [1, 2]),
      filtered('list_price![1e999,120.5]', allBut(1, 10)),
      filtered('list_price![1e999]', all),
      filtered('id=1.0', [1]),
      refusedFilter('id=1.5', 'invalid_value', { position: 4 }),
      refusedFilter('id=1.00000000000000000001', 'invalid_value'),
      refusedFilter('list_price=abc', 'invalid_value'),
      refusedFilter('list_price=0x10', 'invalid_value'),
      refusedFilter('list_price=1,5', 'invalid_value'),
      refusedFilter('list_price=NaN', 'invalid_value'),
      refusedFilter('list_price=Infinity', 'invalid_value'),
      refusedFilter('list_price=1e', 'invalid_value'),
      refusedFilter('list_price=1,000', 'invalid_value', {
        suggestion: expect.stringContaining('filter=list_price=1000'),
      }),
    ],
  },
  {
    point: 'booleans',
    says: '`true`, `false`, any case',
    rows: [
      filtered('active=false', [3, 6]),
      filtered('active=FALSE', [3, 6]),
      filtered('active!=True', [3, 6]),
      filtered('is_rsd_product[true,false]', [2, 3, 14]),
      refusedFilter('active=1', 'invalid_value', { suggestion: expect.stringContaining('filter=active=true') }),
      refusedFilter('active=ja', 'invalid_value'),
    ],
  },
  {
    point: 'timestamps',
    says: 'ISO 8601; without an offset they are UTC; a date alone is that day at 00:00 UTC. Answers are always `YYYY-MM-DDTHH:MM:SS.sssZ`',
    rows: [
      filtered('create_date=2026-01-01', allBut(11)),
      filtered('create_date>2026-01-01T00:00:00', [11]),
      filtered('create_date=2026-01-01T00:00:00.001Z', [11]),
      filtered('create_date=2026-01-01T02:00:00.001+02:00', [11]),
      filtered('create_date=2025-12-31T19:00:00.001-0500', [11]),
      filtered('write_date>=2026-02-01T10:30+01', [3]),
      filtered('write_date>2026-02-01T09:30:00.000Z', []),
      filtered('create_date>2026-01-01T00:00:00.0005Z', [11]),
      filtered('create_date>=2026-01-01T00:00:00.0005Z', [11]),
      filtered('create_date<2026-01-01T00:00:00.0005Z', allBut(11)),
      filtered('create_date<=2026-01-01T00:00:00.0005Z', allBut(11)),
      filtered('create_date=2026-01-01T00:00:00.0005Z', []),
      filtered('create_date!=2026-01-01T00:00:00.0005Z', all),
      filtered('create_date[2026-01-01T00:00:00.0005Z,2026-01-01T00:00:00.001000Z]', [11]),
      get(`${PRODUCTS}/3?fields=write_date`, 200, { body: { data: { write_date: '2026-02-01T09:30:00.000Z' } } }),
      refusedFilter('write_date>2026-02-30', 'invalid_value'),
      refusedFilter('write_date>2026-02-01T25:00', 'invalid_value'),
      refusedFilter('write_date>01.02.2026', 'invalid_value'),
      refusedFilter('write_date>2026', 'invalid_value'),
      refusedFilter('write_date>2026-02-01 09:30', 'invalid_value', {
        suggestion: expect.stringContaining('filter=write_date%3E2026-02-01T09:30'),
      }),
      refused(`${PRODUCTS}?filter=write_date>2026-02-01T09:30:00+02:00`, 400, 'invalid_value', {
        suggestion: expect.stringContaining('%2B'),
      }),
    ],
  },
  {
    point: 'lists',
    says: '`id[1,2,3]`, at least one item, at most 1,000',
    rows: [
      filtered('id[1,2,3]', [1, 2, 3]),
      filtered('id[ 3 , 1 ]', [1, 3]),
      filtered('id[1,1,1]', [1]),
      filtered('name["Oak Chair",Steel Desk]', [1, 2]),
      filtered('name[a>b,"Screen 24\\" (small), [new]"]', [11, 13]),
      filtered('name[Oak Chair,]', [1, 14]),
      filtered(`id[${Array.from({ length: 1_000 }, (_, n) => n + 11).join(',')}]`, [11, 12, 13, 14, 15]),
      refusedFilter(`id[${Array.from({ length: 1_001 }, (_, n) => n + 1).join(',')}]`, 'filter_list_too_long'),
      refusedFilter('id[]', 'filter_syntax', { position: 3 }),
      refusedFilter('name[ ]', 'filter_syntax'),
      refusedFilter('id[1,2', 'filter_syntax', { position: 3 }),
      refusedFilter('id[1,,2]', 'invalid_value', { position: 6 }),
      refusedFilter('name[a&b]', 'filter_syntax', { position: 5 }),
    ],
  },
  {
    point: 'the query string',
    says: '`+` and `%20` are spaces. Malformed percent-encoding, invalid UTF-8 and NUL are 400. A filter that is still percent-encoded after decoding (no operator in it, but `%3D` and the like) is decoded once more',
    rows: [
      get(`${PRODUCTS}?filter=name=Oak+Chair`, 200, { ids: [1] }),
      get(`${PRODUCTS}?filter=name=Oak%20Chair`, 200, { ids: [1] }),
      get(`${PRODUCTS}?%66ilter=id%3d1`, 200, { ids: [1] }),
      get(`${PRODUCTS}?filter=name%253DOak%2520Chair`, 200, { ids: [1] }),
      get(`${PRODUCTS}?filter=id%255B1%252C2%255D`, 200, { ids: [1, 2] }),
      get(`${PRODUCTS}?filter=name*%2525`, 200, { ids: [] }),
      get(`${PRODUCTS}?filter=name*100%25`, 200, { ids: [5] }),
      refused(`${PRODUCTS}?filter=name=%zz`, 400, 'malformed_encoding', { parameter: 'filter' }),
      refused(`${PRODUCTS}?filter=name=%`, 400, 'malformed_encoding'),
      refused(`${PRODUCTS}?filter=name=%ff`, 400, 'malformed_encoding'),
      refused(`${PRODUCTS}?filter=name=%ed%a0%80`, 400, 'malformed_encoding'),
      refused(`${PRODUCTS}?filter=name=%c0%80`, 400, 'malformed_encoding'),
      refused(`${PRODUCTS}?filter=name=a%00`, 400, 'malformed_encoding'),
      refused(`${PRODUCTS}?fields=%zz`, 400, 'malformed_encoding', { parameter: 'fields' }),
      refused(`${PRODUCTS}?%zz=1`, 400, 'malformed_encoding'),
    ],
  },
  {
    point: 'a raw `&` in the filter',
    says: 'A segment after `filter=…` that is no known parameter continues the filter: `filter=a=1&b>2&page=2` means `a=1&b>2`. So nothing is dropped: what is neither a parameter nor a condition is a 400 with a suggestion',
    rows: [
      get(`${PRODUCTS}?filter=active=true&list_price>150&limit=2`, 200, { ids: [2, 11] }),
      get(`${PRODUCTS}?filter=active=true&limit=2&list_price>150`, 200, { ids: [2, 11] }),
      get(`${PRODUCTS}?filter=name*%22A&B%22`, 200, { ids: [5] }),
      get(`${PRODUCTS}?filter=id=1|id=2&active=true`, 200, { ids: [1, 2] }),
      refused(`${PRODUCTS}?filter=active=true&pgae=2`, 400, 'unknown_field', {
        suggestion: expect.stringContaining('page'),
        position: 13,
      }),
      refused(`${PRODUCTS}?filter=active=true&foo`, 400, 'filter_syntax', { detail: expect.stringContaining('raw &') }),
      refused(`${PRODUCTS}?filter=active=true&&id=1`, 400, 'filter_syntax', {
        suggestion: expect.stringContaining('filter=active=true%26id=1'),
      }),
      refused(`${PRODUCTS}?list_price>150`, 400, 'unknown_parameter', {
        suggestion: expect.stringContaining('filter=list_price%3E150'),
      }),
    ],
  },
  {
    point: 'parameters',
    says: 'Unknown or repeated: 400. An empty `fields`, `filter`, `page`, `limit` or `sort` counts as absent',
    rows: [
      get(`${PRODUCTS}?fields=&filter=&page=&limit=&sort=`, 200, { has: { meta: { count: 10, total: 12 } } }),
      get(`${PRODUCTS}?page`, 200, { has: { pagination: { currentPage: 1 } } }),
      get(`${PRODUCTS}?`, 200),
      get(`${PRODUCTS}?&page=2&`, 200, { has: { pagination: { currentPage: 2 } } }),
      refused(`${PRODUCTS}?limits=5`, 400, 'unknown_parameter', {
        parameter: 'limits',
        suggestion: 'Did you mean limit?',
      }),
      refused(`${PRODUCTS}?Page=2`, 400, 'unknown_parameter', { suggestion: 'Did you mean page?' }),
      refused(`${PRODUCTS}?q=chair`, 400, 'unknown_parameter'),
      refused(`${PRODUCTS}?page=1&page=2`, 400, 'repeated_parameter', { parameter: 'page' }),
      refused(`${PRODUCTS}?page=&page=2`, 400, 'repeated_parameter'),
      refused(`${PRODUCTS}?filter=id=1&filter=id=2`, 400, 'repeated_parameter', { parameter: 'filter' }),
      refused(`${PRODUCTS}/1?page=2`, 400, 'unknown_parameter'),
      refused(`${PRODUCTS}/1?fields=id&fields=name`, 400, 'repeated_parameter'),
    ],
  },
  {
    point: '`fields`',
    says: 'Keys come in the order asked for, once each; an unknown name is a 400 with the nearest one',
    rows: [
      get(`${PRODUCTS}?fields=list_price,id,list_price&filter=id=1`, 200, {
        has: { data: [{ list_price: 120.5, id: 1 }] },
      }),
      get(`${COMPANIES}/2?fields=branch_user,%20name`, 200, {
        body: { data: { branch_user: '0042', name: 'Northwind Suomi' } },
      }),
      refused(`${PRODUCTS}?fields=id,nmae`, 400, 'unknown_field', {
        parameter: 'fields',
        suggestion: `Did you mean name? Try ${PRODUCTS}?fields=id,name`,
      }),
      refused(`${PRODUCTS}?fields=id,,name`, 400, 'unknown_field'),
      refused(`${PRODUCTS}?fields=Name`, 400, 'unknown_field', { suggestion: expect.stringContaining('name') }),
      refused(`${PARTNERS}/1?fields=price`, 400, 'unknown_field', { parameter: 'fields' }),
    ],
  },
  {
    point: '`limit`, `page`',
    says: 'Positive whole numbers in plain digits; 0, negative, above 1000 (`limit`) or above 2^53 - 1 (`page`), not a number: 400, never clamped',
    rows: [
      get(`${PRODUCTS}?limit=1000`, 200, { has: { meta: { count: 12 } } }),
      refused(`${PRODUCTS}?limit=1001`, 400, 'invalid_limit', {
        parameter: 'limit',
        suggestion: expect.stringContaining('limit=1000'),
      }),
      get(`${PRODUCTS}?limit=1`, 200, { ids: [1] }),
      get(`${PRODUCTS}?limit=007`, 200, { has: { meta: { count: 7 } } }),
      ...['0', '-1', '1.5', '1e2', 'ten', '%2B5', '5%20', '99999999999999999999', '٥'].map((limit) =>
        refused(`${PRODUCTS}?limit=${encodeURI(limit).replaceAll('%25', '%')}`, 400, 'invalid_limit'),
      ),
      get(`${PRODUCTS}?page=9007199254740991`, 200, { has: { pagination: { currentPage: 9007199254740991 } } }),
      get(`${PRODUCTS}?page=9007199254740991&limit=1000`, 200, { ids: [] }),
      refused(`${PRODUCTS}?page=9007199254740992`, 400, 'invalid_page', { parameter: 'page' }),
      ...['0', '-1', '1.5', 'last'].map((page) => refused(`${PRODUCTS}?page=${page}`, 400, 'invalid_page')),
    ],
  },
  {
    point: 'page after the last',
    says: '200, empty `data`, true `total` and `totalPages`, `nextPage` null, `previousPage` the last real page (null if there is none)',
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
    says: 'Comma-separated fields, `-` for descending; `id` is always the last key, ascending when not named; text sorts by its folded form, by code point; null sorts last either way. Without it: `id` ascending',
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
      refused(`${PRODUCTS}?sort=nam`, 400, 'unknown_field', {
        parameter: 'sort',
        suggestion: expect.stringContaining('sort=name'),
      }),
      refused(`${PRODUCTS}?sort=name,-name`, 400, 'invalid_sort', { parameter: 'sort' }),
      refused(`${PRODUCTS}?sort=name,`, 400, 'unknown_field'),
      refused(`${PRODUCTS}?sort=--name`, 400, 'unknown_field'),
    ],
  },
  {
    point: 'one product, one company',
    says: 'Like one partner: `fields`, 400, 401, 404',
    rows: [
      get(`${PRODUCTS}/2?fields=id,name`, 200, { body: { data: { id: 2, name: 'Steel Desk' } } }),
      get(`${COMPANIES}/1?fields=company_code`, 200, { body: { data: { company_code: null } } }),
      refused(`${COMPANIES}/1?fields=x`, 400, 'unknown_field'),
      refused(`${PRODUCTS}/7`, 404, 'record_not_found'),
      refused(`${COMPANIES}/3`, 404, 'record_not_found'),
      {
        name: 'one company without a key is a 401',
        request: { path: `${COMPANIES}/1`, headers: { authorization: undefined } },
        status: 401,
        has: { code: 'authentication_required' },
      },
    ],
  },
  {
    point: 'an id that is no record id',
    says: '404 (`abc`, `0`, `1.0`, `99999999999999999999`)',
    rows: [
      'abc',
      '0',
      '1.0',
      '99999999999999999999',
      '-1',
      '01',
      '1e0',
      '%31x',
      '9007199254740992',
      '%2F',
      '1%20',
      'x'.repeat(500),
    ].map((id) => refused(`${PARTNERS}/${id}`, 404, 'record_not_found')),
  },
  {
    point: 'create',
    says: '`name` only: a string, not blank, at most 1,000 characters, no NUL and no lone surrogate; stored as sent. Any other key: 400. Answer 201, `{"data":{"id":7}}`, `Location`. Body not JSON 400, other media type 415, over 1 MiB 413',
    rows: [
      created('{"name":"Deco Addict"}', 4),
      created('{"name":"  padded \\u00e9 😀 \\" "}', 5),
      get(`${PARTNERS}/5?fields=name`, 200, { body: { data: { name: '  padded é 😀 " ' } } }),
      created(JSON.stringify({ name: '😀'.repeat(1_000) }), 6),
      notCreated(JSON.stringify({ name: '😀'.repeat(1_001) }), 400, 'invalid_body', { parameter: 'name' }),
      notCreated('{}', 400, 'invalid_body', { parameter: 'name', detail: 'name is missing.' }),
      notCreated('{"name":null}', 400, 'invalid_body', { parameter: 'name' }),
      notCreated('{"name":7}', 400, 'invalid_body', { parameter: 'name' }),
      notCreated('{"name":""}', 400, 'invalid_body', { detail: expect.stringContaining('not a space') }),
      notCreated('{"name":" \\t\\n\\u00a0"}', 400, 'invalid_body', { detail: expect.stringContaining('not a space') }),
      notCreated('{"name":"a\\u0000b"}', 400, 'invalid_body', { parameter: 'name' }),
      notCreated('{"name":"\\ud800"}', 400, 'invalid_body', { parameter: 'name' }),
      notCreated('{"name":"a","email":"a@example.com"}', 400, 'invalid_body', { parameter: 'email' }),
      notCreated('{"nmae":"a"}', 400, 'invalid_body', { parameter: 'nmae', suggestion: 'Did you mean name?' }),
      notCreated('{"name":"a","id":99}', 400, 'invalid_body', { parameter: 'id' }),
      notCreated('{"name":"a","__proto__":{}}', 400, 'invalid_body', { parameter: '__proto__' }),
      notCreated('[{"name":"a"}]', 400, 'invalid_body'),
      notCreated('"a"', 400, 'invalid_body'),
      notCreated('null', 400, 'invalid_body'),
      notCreated('{"name":', 400, 'malformed_json'),
      notCreated("{'name':'a'}", 400, 'malformed_json'),
      notCreated('', 400, 'malformed_json'),
      notCreated(Uint8Array.of(0x7b, 0xff, 0x7d), 400, 'malformed_json'),
      notCreated('name=a', 415, 'unsupported_media_type', {}, { 'content-type': 'application/x-www-form-urlencoded' }),
      notCreated('{"name":"a"}', 415, 'unsupported_media_type', {}, { 'content-type': undefined }),
      notCreated(
        '{"name":"a"}',
        415,
        'unsupported_media_type',
        {},
        { 'content-type': 'application/json; charset=latin1' },
      ),
      notCreated('{"name":"a"}', 415, 'unsupported_media_type', {}, { 'content-encoding': 'gzip' }),
      created('{"name":"with charset"}', 7, { 'content-type': 'application/json; charset=UTF-8' }),
      created(`{"name":"at the limit"${' '.repeat(1024 * 1024 - 23)}}`, 8),
      notCreated(`{"name":"past the limit"${' '.repeat(1024 * 1024 - 24)}}`, 413, 'body_too_large'),
      {
        name: 'a parameter on a create is a 400',
        request: { ...post('{"name":"a"}'), path: `${PARTNERS}?fields=id` },
        status: 400,
        has: { code: 'unknown_parameter' },
      },
      get(`${PARTNERS}?fields=id`, 200, { ids: [1, 2, 3, 4, 5, 6, 7, 8] }),
    ],
  },
  {
    point: 'trailing slash',
    says: 'Accepted on every path',
    rows: [
      get(`${PRODUCTS}/?limit=1`, 200, { ids: [1] }),
      get(`${PARTNERS}/?limit=1`, 200, { ids: [1] }),
      get(`${COMPANIES}/?limit=1`, 200, { ids: [1] }),
      get(`${PRODUCTS}/1/`, 200),
      get(`${PARTNERS}/1/`, 200),
      get(`${COMPANIES}/1/`, 200),
      {
        name: 'POST with a trailing slash',
        request: { ...post('{"name":"slash"}'), path: `${PARTNERS}/` },
        status: 201,
      },
    ],
  },
  {
    point: 'error body',
    says: 'RFC 9457 `application/problem+json`: `type`, `title`, `status`, `detail`, and ours: `code` (stable), `parameter`, `position` (column in the filter), `suggestion`, `requestId`. No internals, ever',
    rows: [
      {
        name: 'an unknown field in a filter',
        request: {
          path: `${PRODUCTS}?filter=id=1%26😀list_prize>5`.replace('😀', encodeURIComponent('😀')),
          headers: { 'x-request-id': 'my-id-1' },
        },
        status: 400,
        headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', 'x-request-id': 'my-id-1' },
        has: { code: 'unknown_field', position: 6 },
      },
      {
        name: 'every key',
        request: {
          path: `${PRODUCTS}?filter=name=%22😀%22%26list_prize>5`.replace('😀', encodeURIComponent('😀')),
          headers: { 'x-request-id': 'my-id-2' },
        },
        status: 400,
        body: {
          type: '/problems/unknown_field',
          title: 'Unknown field',
          status: 400,
          detail: "product has no field 'list_prize'.",
          code: 'unknown_field',
          parameter: 'filter',
          position: 10,
          suggestion: `Did you mean list_price? Try ${PRODUCTS}?filter=name=%22%F0%9F%98%80%22%26list_price%3E5`,
          requestId: 'my-id-2',
        },
      },
      {
        name: 'the type leads to a page',
        request: { path: '/problems/unknown_field', headers: { authorization: undefined } },
        status: 200,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
      },
      { name: 'an unknown type', request: { path: '/problems/toString' }, status: 404 },
    ],
  },
  {
    point: 'order of checks',
    says: '401 before anything else under `/api`; then 404/405 (`Allow`), then 403 where the scope is missing and 429 (`Retry-After`) where there are too many requests, then 400',
    rows: [
      ...[
        '/api',
        '/api/v1/nothing',
        `${PRODUCTS}?page=0`,
        `${PRODUCTS}/abc`,
        '/api/v1/%zz',
        '/%61pi/v1/inventory/product',
      ].map((path) => ({
        name: `${path} without a key is a 401`,
        request: { path, headers: { authorization: undefined } },
        status: 401,
        has: { code: 'authentication_required' },
        headers: { 'www-authenticate': 'Bearer realm="stockbook"' },
      })),
      {
        name: 'DELETE without a key is a 401',
        request: { method: 'DELETE', path: `${PRODUCTS}/1`, headers: { authorization: undefined } },
        status: 401,
      },
      {
        name: 'a body of the wrong type without a key is a 401',
        request: {
          method: 'POST',
          path: PARTNERS,
          body: 'x',
          headers: { authorization: undefined, 'content-type': 'text/plain' },
        },
        status: 401,
      },
      refused('/api', 404, 'path_not_found'),
      refused('/api/v1/inventory/products', 404, 'path_not_found', { suggestion: `Did you mean ${PRODUCTS}?` }),
      refused('/api/v2/inventory/product?page=0', 404, 'path_not_found'),
      refused(`${PRODUCTS}/1/2`, 404, 'path_not_found'),
      refused('/api/v1/%zz', 400, 'malformed_path'),
      notAllowed('POST', PRODUCTS, 'GET, HEAD'),
      notAllowed('DELETE', `${PRODUCTS}?page=0`, 'GET, HEAD'),
      notAllowed('PATCH', `${PARTNERS}/1`, 'GET, HEAD'),
      notAllowed('PUT', PARTNERS, 'GET, HEAD, POST'),
      notAllowed('OPTIONS', COMPANIES, 'GET, HEAD'),
      notAllowed('PROPFIND', `${COMPANIES}/1`, 'GET, HEAD'),
      {
        name: 'a key that may only read cannot create, whatever the body',
        request: async (service) => ({
          ...post('not json'),
          headers: await bearer(service.issue(service.acme, { scopes: ['read'] })),
        }),
        status: 403,
        has: { code: 'scope_missing' },
      },
      {
        name: 'a key that may only write cannot read, whatever the parameters',
        request: async (service) => ({
          path: `${PRODUCTS}?page=0`,
          headers: await bearer(service.issue(service.acme, { scopes: ['write'] })),
        }),
        status: 403,
        has: { code: 'scope_missing' },
      },
      {
        name: 'a method that the path does not take is a 405 before the scope is looked at',
        request: async (service) => ({
          method: 'PUT',
          path: PARTNERS,
          headers: await bearer(service.issue(service.acme, { scopes: ['read'] })),
        }),
        status: 405,
      },
    ],
  },
  {
    point: 'bodies',
    says: 'The documented endpoints answer exactly the documented keys; whatever we add rides in headers or behind a parameter',
    rows: [
      get(`${COMPANIES}?limit=1`, 200, {
        body: {
          data: [
            {
              id: 1,
              name: 'Northwind',
              company_code: null,
              branch_user: '1001',
              create_date: '2026-01-01T00:00:00.000Z',
              write_date: '2026-01-02T00:00:00.000Z',
            },
          ],
          meta: { count: 1, total: 2 },
          pagination: { previousPage: null, currentPage: 1, nextPage: 2, totalPages: 2 },
        },
        headers: { 'content-type': 'application/json', etag: /^"[\w-]+"$/, 'cache-control': 'private, no-cache' },
      }),
      get(`${COMPANIES}/2`, 200, {
        body: {
          data: {
            id: 2,
            name: 'Northwind Suomi',
            company_code: 'NW02',
            branch_user: '0042',
            create_date: '2026-01-01T00:00:00.000Z',
            write_date: '2026-01-02T00:00:00.000Z',
          },
        },
      }),
    ],
  },
  {
    point: 'accounts and hosts',
    says: 'Setting `domain` (default `localhost`): `acme.<domain>` is account `acme`, and the key must be acme’s, else 401. A host that is not under the domain: the key decides while the domain is `localhost`; with a real domain 401',
    rows: [
      ...[
        'acme.localhost',
        'ACME.LocalHost:8080',
        'acme.localhost.',
        'localhost',
        '127.0.0.1:1',
        '[::1]:8080',
        'stock.example.com',
        '',
      ].map((host) => ({
        name: `the key of acme at ${host || 'no host'}`,
        request: { path: `${PRODUCTS}?limit=1`, headers: { host } },
        status: 200,
        ids: [1],
      })),
      ...['globex.localhost', 'nobody.localhost', 'a.acme.localhost', '.localhost'].map((host) => ({
        name: `the key of acme at ${host} is a 401`,
        request: { path: `${PRODUCTS}?limit=1`, headers: { host } },
        status: 401,
        has: { code: 'key_not_accepted', detail: 'This key is not accepted for this host.' },
      })),
      {
        name: 'the key of globex at its own host',
        request: async (service) => ({
          path: PRODUCTS,
          headers: { host: 'globex.localhost', ...(await bearer(service.issue(service.globex))) },
        }),
        status: 200,
        ids: [7],
      },
    ],
  },
  {
    point: 'keys',
    says: '`sbk_` + public id + secret (160 bits or more) + checksum, one word of letters, digits and `_`; SHA-256 of the secret at rest; shown once; name, scopes (`read`, `write`; both unless told otherwise), optional expiry, last use, revoke, rotate with overlap',
    rows: [
      ...[
        ['Bearer', 'credentials_malformed'],
        ['Basic YWJj', 'credentials_malformed'],
        ['Bearer abc', 'credentials_malformed'],
        ['Bearer a b', 'credentials_malformed'],
        [`Bearer sbk_${'A'.repeat(12)}_${'B'.repeat(38)}`, 'credentials_malformed'],
        [`Bearer ${printKey(mintKey())}`, 'key_not_accepted'],
      ].map(([authorization, code]) => ({
        name: `${authorization?.slice(0, 20)} is a ${code}`,
        request: { path: PRODUCTS, headers: { authorization } },
        status: 401,
        has: { code },
        headers: { 'www-authenticate': 'Bearer realm="stockbook", error="invalid_token"' },
      })),
      {
        name: 'the scheme is bearer in any case',
        request: (service) => ({ path: `${PRODUCTS}?limit=1`, headers: { authorization: `bearer  ${service.key} ` } }),
        status: 200,
      },
      {
        name: 'the right id with another secret is a 401',
        request: (service) => ({
          path: PRODUCTS,
          headers: {
            authorization: `Bearer ${printKey({ id: readKey(service.key)?.id ?? '', secret: mintKey().secret })}`,
          },
        }),
        status: 401,
        has: { code: 'key_not_accepted', detail: 'This key is not accepted for this host.' },
      },
      {
        name: 'an expired key is a 401 that says so',
        request: async (service) => ({
          path: PRODUCTS,
          headers: await bearer(service.issue(service.acme, { expiresAt: '2026-01-01T00:00:00.000Z' })),
        }),
        status: 401,
        has: { code: 'key_not_accepted', detail: 'This key expired on 2026-01-01T00:00:00.000Z.' },
      },
      {
        name: 'an expired key of another account tells nothing',
        request: async (service) => ({
          path: PRODUCTS,
          headers: {
            host: 'acme.localhost',
            ...(await bearer(service.issue(service.globex, { expiresAt: '2026-01-01T00:00:00.000Z' }))),
          },
        }),
        status: 401,
        has: { detail: 'This key is not accepted for this host.' },
      },
      {
        name: 'a key that expires later works',
        request: async (service) => ({
          path: `${PRODUCTS}?limit=1`,
          headers: await bearer(service.issue(service.acme, { expiresAt: '9999-01-01T00:00:00.000Z' })),
        }),
        status: 200,
      },
      {
        name: 'a revoked key is a 401 that says so',
        request: async (service) => {
          const key = await service.issue(service.acme);
          await service.store.keys.revoke(readKey(key)?.id ?? '', '2026-01-01T00:00:00.000Z');
          return { path: PRODUCTS, headers: await bearer(Promise.resolve(key)) };
        },
        status: 401,
        has: { code: 'key_not_accepted', detail: 'This key was revoked on 2026-01-01T00:00:00.000Z.' },
      },
    ],
  },
];

function post(body: string | Uint8Array, headers: TestRequest['headers'] = {}): TestRequest {
  return { method: 'POST', path: PARTNERS, body, headers: { 'content-type': 'application/json', ...headers } };
}

function created(body: string, id: number, headers: TestRequest['headers'] = {}): Row {
  return {
    name: `POST ${body.slice(0, 40)} makes partner ${id}`,
    request: post(body, headers),
    status: 201,
    body: { data: { id } },
    headers: { location: `${PARTNERS}/${id}`, 'content-type': 'application/json' },
  };
}

function notCreated(
  body: string | Uint8Array,
  status: number,
  code: string,
  has: object = {},
  headers: TestRequest['headers'] = {},
): Row {
  return {
    name: `POST ${String(body).slice(0, 60)} is a ${code}`,
    request: post(body, headers),
    status,
    has: { code, ...has },
  };
}

function notAllowed(method: string, path: string, allow: string): Row {
  return {
    name: `${method} ${path} is a 405`,
    request: { method, path },
    status: 405,
    has: { code: 'method_not_allowed' },
    headers: { allow },
  };
}

async function bearer(key: Promise<string>): Promise<{ authorization: string }> {
  return { authorization: `Bearer ${await key}` };
}
