/**
 * Stockbook's decisions on points that the contract leaves open, each with requests that demonstrate it. `npm run docs`
 * writes what they say to `docs/api.md`.
 */

import { expect } from 'vitest';
import { generateKey, printKey } from '../../src/access/key.ts';
import {
  COMPANIES,
  type Expected,
  filterFails,
  finds,
  get,
  getFails,
  PARTNERS,
  PRODUCTS,
  postPartner,
  type Row,
} from '../support/rows.ts';
import { bearer, type KeyOptions, keyId, type TestRequest } from '../support/service.ts';

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
    says: '`&` binds tighter. `( … )` groups: a `(` at the start of a condition opens a group, and inside one an unquoted `)` closes it',
    rows: [
      finds('id=1|id=2&active=false', [1]),
      finds('(id=1|id=2)&active=true', [1, 2]),
      finds('active=false&id=3|id=1', [1, 3]),
      finds('((id=1)|(id=2|id=3))', [1, 2, 3]),
      finds('(default_code="a)b"|id=4)', [4]),
      finds('name*(small)', [11]),
      finds('(name*"(small)")', [11]),
      filterFails('(name*(small))', 'filter_syntax'),
      filterFails('(id=1', 'filter_syntax', { position: 1 }),
      filterFails('(id=1))', 'filter_syntax', { position: 7 }),
    ],
  },
  {
    point: 'operators',
    says: 'The longest match wins: `![` `!*` `!=` `>=` `<=` before `[` `=` `*` `>` `<`. The rest, up to the next unquoted `&` or `|` (in a group also `)`, in a list also `,` and `]`), is the value, so `name=a>b` compares with `a>b`',
    rows: [
      finds('name=a>b', [13]),
      finds('default_code=a>b', [5]),
      finds('id>=14', [14, 15]),
      finds('id>14', [15]),
      finds('id<=1', [1]),
      finds('id<2', [1]),
      finds('id!=1&id<4', [2, 3]),
      finds('name!*a&id<6', [2, 4]),
      finds('id![1,2,3,4,5,6,10,11,12,13,14]', [15]),
      finds('name*small), [new]', [11]),
      filterFails('name~chair', 'filter_syntax', { position: 5 }),
      filterFails('id', 'filter_syntax', { position: 3 }),
      filterFails('id==1', 'invalid_value', { suggestion: expect.stringContaining('filter=id=1') }),
    ],
  },
  {
    point: 'values',
    says: 'Bare or quoted, with every operator and in lists. Bare: surrounding spaces are dropped, as around field names and operators; `null` is null; an empty value is the empty string for text and a 400 for other types. Quoted: `"…"` with the escapes `\\"` and `\\\\`; everything inside is literal, so `"null"` is text',
    rows: [
      finds(' name  =   Oak Chair  ', [1]),
      finds('default_code=" padded "', [14]),
      finds('default_code= padded ', []),
      finds('name="100% Wool_Rug \\"A&B|C\\""', [5]),
      finds('name*"\\\\ shade"', [12]),
      finds('name*" 24\\" ("', [11]),
      finds('id>"14"', [15]),
      finds('id["1","2"]', [1, 2]),
      finds('active="false"&id<5', [3]),
      finds('name="null"', [10]),
      finds('default_code="null"', [4]),
      finds('default_code=null', [3]),
      finds('default_code=NULL', []),
      finds('default_code=', [6]),
      finds('default_code=""', [6]),
      finds('name=', [14]),
      filterFails('id=', 'invalid_value', { position: 4 }),
      filterFails('active=""', 'invalid_value'),
      filterFails('name="open', 'filter_syntax', { position: 6 }),
      filterFails('name="a"b', 'filter_syntax', { position: 9 }),
      filterFails('name="a\\n"', 'filter_syntax', { position: 8 }),
    ],
  },
  {
    point: 'null',
    says: '`field=null`, `field!=null`, and null as a list item work on nullable fields and are a 400 on others. Negative operators are exact complements: `=` and `!=`, `*` and `!*`, `[]` and `![]` together match every record exactly once, null included',
    rows: [
      finds('categ_id=null', [3]),
      finds('categ_id!=null', allBut(3)),
      finds('categ_id!=1', allBut(1, 4)),
      finds('categ_id[1,null]', [1, 3, 4]),
      finds('categ_id![1,null]', allBut(1, 3, 4)),
      finds('categ_id![1]', allBut(1, 4)),
      finds('is_rsd_product!=true', allBut(2, 14)),
      finds('default_code!*chr', allBut(1, 10, 12)),
      finds('default_code![CHR-1]', allBut(1)),
      filterFails('id=null', 'null_not_allowed', { position: 4 }),
      filterFails('name=null', 'null_not_allowed', { suggestion: expect.stringContaining('filter=name=%22null%22') }),
      filterFails('name[a,null]', 'null_not_allowed', { position: 8 }),
      filterFails('categ_id>null', 'null_not_allowed'),
      filterFails('default_code*null', 'null_not_allowed'),
    ],
  },
  {
    point: 'contains',
    says: 'Text fields only. Both sides are folded: lowercased, final sigma replaced by sigma, then normalized to NFC. `%`, `_`, `\\` and `*` in the value are ordinary characters; an empty value is a 400',
    rows: [
      finds('name*OAK', [1, 3]),
      finds('name*brûlée', [4]),
      finds('name*BRU\u0302LE\u0301E', [4]),
      finds('name*οδος', [6]),
      finds('name*οδοσ', [6]),
      finds('name*100%', [5]),
      finds('name*wool_rug', [5]),
      finds('name*wool%', []),
      finds('name*o_k', []),
      finds('name*\\', [12]),
      finds('name**', []),
      finds('name*😀', [12]),
      filterFails('name*', 'invalid_value', { position: 6 }),
      filterFails('name!*""', 'invalid_value'),
      filterFails('list_price*5', 'operator_not_allowed', { suggestion: 'list_price supports = != > >= < <= [] ![]' }),
      filterFails('active*t', 'operator_not_allowed'),
      filterFails('create_date*2026', 'operator_not_allowed'),
    ],
  },
  {
    point: '`=` on text',
    says: 'Exact, case-sensitive, by code point, on both engines',
    rows: [
      finds('default_code=CHR-1', [1]),
      finds('default_code=chr-1', [12]),
      finds('name=Crème Brûlée', [4]),
      finds('name=Cre\u0300me Bru\u0302le\u0301e', []),
      finds('name=ΟΔΟΣ', [6]),
      finds('name=οδοσ', []),
      finds('default_code=2024', [13]),
    ],
  },
  {
    point: '`>` `>=` `<` `<=`',
    says: 'Numbers and timestamps; on text or booleans a 400 that lists the supported operators. Null never matches',
    rows: [
      finds('categ_id>=0', allBut(3)),
      finds('categ_id<2', [1, 4, 14]),
      finds('product_tmpl_id<1|product_tmpl_id>=1', allBut(2)),
      finds('write_date>2026-01-02', [3]),
      filterFails('name>a', 'operator_not_allowed', { suggestion: 'name supports = != * !* [] ![]', position: 5 }),
      filterFails('active>=true', 'operator_not_allowed', { suggestion: 'active supports = != [] ![]' }),
    ],
  },
  {
    point: 'numbers',
    says: 'Decimal notation with an optional exponent; anything else is a 400. Integer fields require integers. Responses use the shortest form that reads back to the same double, as JavaScript prints it, on both engines',
    rows: [
      finds('list_price=120.5', [1, 10]),
      finds('list_price=1.205e2', [1, 10]),
      finds('list_price=0.1', [5]),
      finds('qty_available=0.30000000000000004', [5]),
      finds('qty_available=0.3', []),
      finds('list_price=1e21', [6]),
      finds('list_price<=-12.5', [13]),
      finds('list_price<1e-300&list_price>0', [14]),
      finds('qty_available>1e308', [14]),
      finds('qty_available<1e400', all),
      finds('categ_id=9007199254740991', [6]),
      finds('categ_id>99999999999999999999', []),
      finds('id<99999999999999999999', all),
      finds('id[1e0,2,1e400]', [1, 2]),
      finds('list_price![1e999,120.5]', allBut(1, 10)),
      finds('list_price![1e999]', all),
      finds('id=1.0', [1]),
      get(`${PRODUCTS}/5?fields=qty_available`, 200, { text: '{"data":{"qty_available":0.30000000000000004}}' }),
      get(`${PRODUCTS}/6?fields=list_price,qty_available`, 200, {
        text: '{"data":{"list_price":1e+21,"qty_available":1e-7}}',
      }),
      get(`${PRODUCTS}/14?fields=list_price,qty_available`, 200, {
        text: '{"data":{"list_price":5e-324,"qty_available":1.7976931348623157e+308}}',
      }),
      filterFails('id=1.5', 'invalid_value', { position: 4 }),
      filterFails('id=1.00000000000000000001', 'invalid_value'),
      filterFails('list_price=abc', 'invalid_value'),
      filterFails('list_price=0x10', 'invalid_value'),
      filterFails('list_price=1,5', 'invalid_value'),
      filterFails('list_price=NaN', 'invalid_value'),
      filterFails('list_price=Infinity', 'invalid_value'),
      filterFails('list_price=1e', 'invalid_value'),
      filterFails('list_price=1,000', 'invalid_value', {
        suggestion: expect.stringContaining('filter=list_price=1000'),
      }),
    ],
  },
  {
    point: 'booleans',
    says: '`true` or `false`, in any case',
    rows: [
      finds('active=false', [3, 6]),
      finds('active=FALSE', [3, 6]),
      finds('active!=True', [3, 6]),
      finds('is_rsd_product[true,false]', [2, 3, 14]),
      filterFails('active=1', 'invalid_value', { suggestion: expect.stringContaining('filter=active=true') }),
      filterFails('active=maybe', 'invalid_value'),
    ],
  },
  {
    point: 'timestamps',
    says: 'ISO 8601, in UTC unless an offset is given; a date alone means 00:00 UTC on that day. Responses always use `YYYY-MM-DDTHH:MM:SS.sssZ`',
    rows: [
      finds('create_date=2026-01-01', allBut(11)),
      finds('create_date>2026-01-01T00:00:00', [11]),
      finds('create_date=2026-01-01T00:00:00.001Z', [11]),
      finds('create_date=2026-01-01T02:00:00.001+02:00', [11]),
      finds('create_date=2025-12-31T19:00:00.001-0500', [11]),
      finds('write_date>=2026-02-01T10:30+01', [3]),
      finds('write_date>2026-02-01T09:30:00.000Z', []),
      finds('create_date>2026-01-01T00:00:00.0005Z', [11]),
      finds('create_date>=2026-01-01T00:00:00.0005Z', [11]),
      finds('create_date<2026-01-01T00:00:00.0005Z', allBut(11)),
      finds('create_date<=2026-01-01T00:00:00.0005Z', allBut(11)),
      finds('create_date=2026-01-01T00:00:00.0005Z', []),
      finds('create_date!=2026-01-01T00:00:00.0005Z', all),
      finds('create_date[2026-01-01T00:00:00.0005Z,2026-01-01T00:00:00.001000Z]', [11]),
      get(`${PRODUCTS}/3?fields=write_date`, 200, { body: { data: { write_date: '2026-02-01T09:30:00.000Z' } } }),
      filterFails('write_date>2026-02-30', 'invalid_value'),
      filterFails('write_date>2026-02-01T25:00', 'invalid_value'),
      filterFails('write_date>01.02.2026', 'invalid_value'),
      filterFails('write_date>2026', 'invalid_value'),
      filterFails('write_date>2026-02-01 09:30', 'invalid_value', {
        suggestion: expect.stringContaining('filter=write_date%3E2026-02-01T09:30'),
      }),
      getFails(`${PRODUCTS}?filter=write_date>2026-02-01T09:30:00+02:00`, 400, 'invalid_value', {
        suggestion: expect.stringContaining('%2B'),
      }),
    ],
  },
  {
    point: 'lists',
    says: '`id[1,2,3]`: 1 to 1,000 items',
    rows: [
      finds('id[1,2,3]', [1, 2, 3]),
      finds('id[ 3 , 1 ]', [1, 3]),
      finds('id[1,1,1]', [1]),
      finds('name["Oak Chair",Steel Desk]', [1, 2]),
      finds('name[a>b,"Screen 24\\" (small), [new]"]', [11, 13]),
      finds('name[Oak Chair,]', [1, 14]),
      finds(`id[${Array.from({ length: 1_000 }, (_, n) => n + 11).join(',')}]`, [11, 12, 13, 14, 15]),
      filterFails(`id[${Array.from({ length: 1_001 }, (_, n) => n + 1).join(',')}]`, 'filter_list_too_long'),
      filterFails('id[]', 'filter_syntax', { position: 3 }),
      filterFails('name[ ]', 'filter_syntax'),
      filterFails('id[1,2', 'filter_syntax', { position: 3 }),
      filterFails('id[1,,2]', 'invalid_value', { position: 6 }),
      filterFails('name[a&b]', 'filter_syntax', { position: 5 }),
    ],
  },
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
        suggestion: 'Did you mean limit?',
      }),
      getFails(`${PRODUCTS}?Page=2`, 400, 'unknown_parameter', { suggestion: 'Did you mean page?' }),
      getFails(`${PRODUCTS}?q=chair`, 400, 'unknown_parameter'),
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
  {
    point: 'one product, one company',
    says: 'Work like one partner: `fields`, 400, 401, 404',
    rows: [
      get(`${PRODUCTS}/2?fields=id,name`, 200, { body: { data: { id: 2, name: 'Steel Desk' } } }),
      get(`${COMPANIES}/1?fields=company_code`, 200, { body: { data: { company_code: null } } }),
      getFails(`${COMPANIES}/1?fields=x`, 400, 'unknown_field'),
      getFails(`${PRODUCTS}/7`, 404, 'record_not_found'),
      getFails(`${COMPANIES}/3`, 404, 'record_not_found'),
      unauthenticated({ path: `${COMPANIES}/1` }),
    ],
  },
  {
    point: 'an unknown or malformed id',
    says: '404 (`abc`, `0`, `1.0`, `99999999999999999999`)',
    rows: [
      ...'abc 0 1.0 99999999999999999999 -1 01 1e0 %31x 9007199254740992 %2F 1%20'.split(' '),
      'x'.repeat(500),
    ].map((id) => getFails(`${PARTNERS}/${id}`, 404, 'record_not_found')),
  },
  {
    point: 'create',
    says: '`name` only: a string that is not blank, has at most 1,000 characters, and contains no NUL and no lone surrogates; stored as sent. Any other member is a 400, and so is a repeated one. The response is a 201 with `{"data":{"id":7}}` and `Location`. A body that is not JSON is a 400, another media type a 415, more than 64 KiB a 413',
    rows: [
      creates('{"name":"Deco Addict"}', 4),
      creates('{"name":"  padded \\u00e9 😀 \\" "}', 5),
      get(`${PARTNERS}/5?fields=name`, 200, { body: { data: { name: '  padded é 😀 " ' } } }),
      creates(JSON.stringify({ name: '😀'.repeat(1_000) }), 6),
      createFails(JSON.stringify({ name: '😀'.repeat(1_001) }), 400, 'invalid_body', { parameter: 'name' }),
      createFails('{}', 400, 'invalid_body', { parameter: 'name', detail: 'name is missing.' }),
      createFails('{"name":null}', 400, 'invalid_body', { parameter: 'name' }),
      createFails('{"name":7}', 400, 'invalid_body', { parameter: 'name' }),
      createFails('{"name":""}', 400, 'invalid_body', { detail: 'name must not be blank.' }),
      createFails('{"name":" \\t\\n\\u00a0"}', 400, 'invalid_body', { detail: 'name must not be blank.' }),
      createFails('{"name":"a\\u0000b"}', 400, 'invalid_body', { parameter: 'name' }),
      createFails('{"name":"\\ud800"}', 400, 'invalid_body', { parameter: 'name' }),
      createFails('{"name":"a","email":"a@example.com"}', 400, 'invalid_body', { parameter: 'email' }),
      createFails('{"nmae":"a"}', 400, 'invalid_body', { parameter: 'nmae', suggestion: 'Did you mean name?' }),
      createFails('{"name":"a","id":99}', 400, 'invalid_body', { parameter: 'id' }),
      createFails('{"name":"a","__proto__":{}}', 400, 'invalid_body', { parameter: '__proto__' }),
      createFails('{"name":"a","name":"b"}', 400, 'repeated_member', {
        parameter: 'name',
        detail: "The body has the member 'name' more than once.",
      }),
      createFails('{"name":"a","n\\u0061me":"a"}', 400, 'repeated_member', { parameter: 'name' }),
      createFails('{"name":{"a":1,"a":1}}', 400, 'repeated_member', { parameter: 'a' }),
      createFails('[{"name":"a"}]', 400, 'invalid_body'),
      createFails('"a"', 400, 'invalid_body'),
      createFails('null', 400, 'invalid_body'),
      createFails('{"name":', 400, 'malformed_json'),
      createFails("{'name':'a'}", 400, 'malformed_json'),
      createFails('', 400, 'malformed_json'),
      createFails(Uint8Array.of(0x7b, 0xff, 0x7d), 400, 'malformed_json'),
      createFails(`${'['.repeat(100)}${']'.repeat(100)}`, 400, 'invalid_body'),
      createFails(`${'['.repeat(101)}${']'.repeat(101)}`, 400, 'malformed_json'),
      createFails(`[${'0,'.repeat(1_000)}0]`, 400, 'invalid_body'),
      createFails(`[${'0,'.repeat(1_001)}0]`, 400, 'malformed_json'),
      createFails('name=a', 415, 'unsupported_media_type', {}, { 'content-type': 'application/x-www-form-urlencoded' }),
      unsupported({ 'content-type': undefined }),
      unsupported({ 'content-type': 'application/json; charset=latin1' }),
      unsupported({ 'content-encoding': 'gzip' }),
      creates('{"name":"with charset"}', 7, { 'content-type': 'application/json; charset=UTF-8' }),
      creates(`{"name":"at the limit"${' '.repeat(64 * 1024 - 23)}}`, 8),
      createFails(`{"name":"past the limit"${' '.repeat(64 * 1024 - 24)}}`, 413, 'body_too_large'),
      {
        name: 'POST with a parameter → 400 unknown_parameter',
        request: { ...postPartner('{"name":"a"}'), path: `${PARTNERS}?fields=id` },
        status: 400,
        has: { code: 'unknown_parameter' },
      },
      get(`${PARTNERS}?fields=id`, 200, { ids: [1, 2, 3, 4, 5, 6, 7, 8] }),
    ],
  },
  {
    point: 'safe retries',
    says: 'With `Idempotency-Key`, 1 to 255 characters, a word or a quoted string, a create can be retried for 24 hours: the same key and body get the original response with `Idempotent-Replayed: true`. The same key with another body is a 422, a key whose request is still in progress a 409 with `Retry-After`, a malformed or repeated header a 400. Keys belong to an account and a resource. Bodies are compared by what they contain, not by how it is written. A request that is refused does not use up its key',
    rows: [
      createsOnce('K1', '{"name":"Once"}', 9, false),
      createsOnce('K1', '{"name":"Once"}', 9, true),
      createsOnce('"K1"', '{"name":"Once"}', 9, true),
      createsOnce('K1', ' { "name" : "\\u004fnce" } ', 9, true),
      createFails('{"name":"Twice"}', 422, 'idempotency_key_reused', {}, { 'idempotency-key': 'K1' }),
      createsOnce('k1', '{"name":"Twice"}', 10, false),
      withKey(
        'the key of another account creates a record there',
        { account: 'globex' },
        {
          request: postPartner('{"name":"Other"}', { 'idempotency-key': 'K1' }),
          status: 201,
          body: { data: { id: 901 } },
          headers: { 'idempotent-replayed': undefined },
        },
      ),
      createFails('{"nmae":"a"}', 400, 'invalid_body', {}, { 'idempotency-key': 'K2' }),
      unsupported({ 'idempotency-key': 'K2', 'content-type': 'a/b' }),
      createsOnce('K2', '{"name":"After a refusal"}', 11, false),
      createsOnce('x'.repeat(255), '{"name":"At the limit"}', 12, false),
      ...['x'.repeat(256), '', '""', 'a b', 'a,b', '"a', 'a;b=1', 'é'].map((key) =>
        createFails('{"name":"a"}', 400, 'invalid_idempotency_key', {}, { 'idempotency-key': key }),
      ),
      get(`${PARTNERS}?filter=id>8&fields=id`, 200, { ids: [9, 10, 11, 12] }),
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
        name: 'POST with a trailing slash → 201',
        request: { ...postPartner('{"name":"slash"}'), path: `${PARTNERS}/` },
        status: 201,
      },
    ],
  },
  {
    point: 'error body',
    says: 'RFC 9457 `application/problem+json`: `type`, `title`, `status`, `detail`, and the extensions `code` (stable), `parameter`, `position` (column in the filter), `suggestion` and `requestId`. Never any internals',
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
        name: 'all members of an error body',
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
        name: 'the type links to a page',
        request: { path: '/problems/unknown_field', headers: { authorization: undefined } },
        status: 200,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
      },
      { name: 'an unknown type', request: { path: '/problems/toString' }, status: 404 },
    ],
  },
  {
    point: 'order of checks',
    says: 'Under `/api`, unless the service is [overloaded](limits.md#overload): 401, or 429 if the address has sent too many wrong keys, then 429 if the key is over its rate limit (both with `Retry-After`), then 404 and 405 (`Allow`), then 403 if the key lacks the scope, then 400',
    rows: [
      ...['/api', '/api/v1/nothing', '/api/v1/%zz', '/%61pi/v1/inventory/product'].map((path) =>
        unauthenticated({ path }),
      ),
      ...[`${PRODUCTS}?page=0`, `${PRODUCTS}/abc`].map((path) => unauthenticated({ path })),
      unauthenticated({ method: 'DELETE', path: `${PRODUCTS}/1` }),
      unauthenticated({ method: 'POST', path: PARTNERS, body: 'x', headers: { 'content-type': 'text/plain' } }),
      getFails('/api', 404, 'path_not_found'),
      getFails('/api/v1/inventory/products', 404, 'path_not_found', { suggestion: `Did you mean ${PRODUCTS}?` }),
      getFails('/api/v2/inventory/product?page=0', 404, 'path_not_found'),
      getFails(`${PRODUCTS}/1/2`, 404, 'path_not_found'),
      getFails('/api/v1/%zz', 400, 'malformed_path'),
      methodNotAllowed('POST', PRODUCTS, 'GET, HEAD, QUERY, OPTIONS'),
      methodNotAllowed('DELETE', `${PRODUCTS}?page=0`, 'GET, HEAD, QUERY, OPTIONS'),
      methodNotAllowed('PATCH', `${PARTNERS}/1`, 'GET, HEAD, OPTIONS'),
      methodNotAllowed('PUT', PARTNERS, 'GET, HEAD, QUERY, POST, OPTIONS'),
      methodNotAllowed('QUERY', `${COMPANIES}/1`, 'GET, HEAD, OPTIONS'),
      methodNotAllowed('PROPFIND', `${COMPANIES}/1`, 'GET, HEAD, OPTIONS'),
      withKey(
        'a key without the scope write → 403, whatever the body',
        { scopes: ['read'] },
        {
          request: postPartner('not json'),
          status: 403,
          has: { code: 'scope_missing' },
        },
      ),
      withKey(
        'a key without the scope read → 403, whatever the parameters',
        { scopes: ['write'] },
        {
          request: { path: `${PRODUCTS}?page=0` },
          status: 403,
          has: { code: 'scope_missing' },
        },
      ),
      withKey(
        'a method that the path does not support → 405, whatever the scope',
        { scopes: ['read'] },
        {
          request: { method: 'PUT', path: PARTNERS },
          status: 405,
        },
      ),
    ],
  },
  {
    point: 'bodies',
    says: 'The documented endpoints return exactly the documented members; additions go into headers or behind a parameter',
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
    says: 'With the setting `domain` (default `localhost`), `acme.<domain>` is the account `acme`, and the key must belong to it, otherwise 401. On any other host, the key determines the account if the domain is `localhost`; with a real domain it is a 401',
    rows: [
      ...['acme.localhost', 'ACME.LocalHost:8080', 'acme.localhost.', 'localhost'].map((host) =>
        onHost(host, 200, { ids: [1] }),
      ),
      ...['127.0.0.1:1', '[::1]:8080', 'stock.example.com', ''].map((host) => onHost(host, 200, { ids: [1] })),
      ...['globex.localhost', 'nobody.localhost', 'a.acme.localhost', '.localhost'].map((host) =>
        onHost(host, 401, { has: { code: 'key_not_accepted', detail: 'This key is not accepted for this host.' } }),
      ),
      withKey(
        'globex’s key on its own host → 200',
        { account: 'globex' },
        {
          request: { path: PRODUCTS, headers: { host: 'globex.localhost' } },
          status: 200,
          ids: [7],
        },
      ),
    ],
  },
  {
    point: 'keys',
    says: '`sbk_`, public id, secret (at least 160 bits) and checksum, in one word of letters, digits and `_`. Shown once; only the SHA-256 of the secret is stored. A key has a name, scopes (`read` and `write` by default, or for single resources, such as `product:read`), an optional expiry and a time of last use, and can be revoked, or rotated with an overlap',
    rows: [
      ...[
        ['Bearer', 'credentials_malformed'],
        ['Basic YWJj', 'credentials_malformed'],
        ['Bearer abc', 'credentials_malformed'],
        ['Bearer a b', 'credentials_malformed'],
        [`Bearer sbk_${'A'.repeat(12)}_${'B'.repeat(38)}`, 'credentials_malformed'],
        [`Bearer ${printKey(generateKey())}`, 'key_not_accepted'],
      ].map(([authorization, code]) => ({
        name: `Authorization: ${authorization?.slice(0, 20)} → 401 ${code}`,
        request: { path: PRODUCTS, headers: { authorization } },
        status: 401,
        has: { code },
        headers: { 'www-authenticate': 'Bearer realm="stockbook", error="invalid_token"' },
      })),
      {
        name: 'the scheme is case-insensitive',
        request: (service) => ({ path: `${PRODUCTS}?limit=1`, headers: { authorization: `bearer  ${service.key} ` } }),
        status: 200,
      },
      {
        name: 'an existing id with another secret → 401',
        request: (service) => ({
          path: PRODUCTS,
          headers: { authorization: `Bearer ${printKey({ id: keyId(service.key), secret: generateKey().secret })}` },
        }),
        status: 401,
        has: { code: 'key_not_accepted', detail: 'This key is not accepted for this host.' },
      },
      withKey(
        'an expired key → 401 that says so',
        { expiresAt: '2026-01-01T00:00:00.000Z' },
        {
          request: { path: PRODUCTS },
          status: 401,
          has: { code: 'key_not_accepted', detail: 'This key expired on 2026-01-01T00:00:00.000Z.' },
        },
      ),
      withKey(
        'an expired key of another account → 401 that reveals nothing',
        { account: 'globex', expiresAt: '2026-01-01T00:00:00.000Z' },
        {
          request: { path: PRODUCTS, headers: { host: 'acme.localhost' } },
          status: 401,
          has: { detail: 'This key is not accepted for this host.' },
        },
      ),
      withKey(
        'a key that expires later → 200',
        { expiresAt: '9999-01-01T00:00:00.000Z' },
        {
          request: { path: `${PRODUCTS}?limit=1` },
          status: 200,
        },
      ),
      {
        name: 'a revoked key → 401 that says so',
        request: async (service) => {
          const key = await service.issue(service.acme);
          await service.store.keys.revoke(keyId(key), '2026-01-01T00:00:00.000Z');
          return { path: PRODUCTS, headers: bearer(key) };
        },
        status: 401,
        has: { code: 'key_not_accepted', detail: 'This key was revoked on 2026-01-01T00:00:00.000Z.' },
      },
    ],
  },
];

function creates(body: string, id: number, headers: TestRequest['headers'] = {}): Row {
  return {
    name: `POST ${body.slice(0, 40)} → 201, partner ${id}`,
    request: postPartner(body, headers),
    status: 201,
    body: { data: { id } },
    headers: { location: `${PARTNERS}/${id}`, 'content-type': 'application/json' },
  };
}

function unsupported(headers: TestRequest['headers']): Row {
  return createFails('{"name":"a"}', 415, 'unsupported_media_type', {}, headers);
}

function createsOnce(key: string, body: string, id: number, isReplayed: boolean): Row {
  const row = creates(body, id, { 'idempotency-key': key });
  const headers = { ...row.headers, 'idempotent-replayed': isReplayed ? 'true' : undefined };
  return { ...row, name: `${row.name} with the key ${key}${isReplayed ? ', replayed' : ''}`, headers };
}

function createFails(
  body: string | Uint8Array,
  status: number,
  code: string,
  has: object = {},
  headers: TestRequest['headers'] = {},
): Row {
  return {
    name: `POST ${String(body).slice(0, 60)} → ${status} ${code}`,
    request: postPartner(body, headers),
    status,
    has: { code, ...has },
  };
}

function methodNotAllowed(method: string, path: string, allow: string): Row {
  return {
    name: `${method} ${path} → 405`,
    request: { method, path },
    status: 405,
    has: { code: 'method_not_allowed' },
    headers: { allow },
  };
}

function unauthenticated(request: TestRequest): Row {
  return {
    name: `${request.method ?? 'GET'} ${request.path} without a key → 401`,
    request: { ...request, headers: { ...request.headers, authorization: undefined } },
    status: 401,
    has: { code: 'authentication_required' },
    headers: { 'www-authenticate': 'Bearer realm="stockbook"' },
  };
}

function onHost(host: string, status: number, expected: Omit<Expected, 'status'>): Row {
  const request = { path: `${PRODUCTS}?limit=1`, headers: { host } };
  return { name: `acme’s key on ${host || 'an empty host'} → ${status}`, request, status, ...expected };
}

/** Sent with a new key, of acme unless another account is named. */
function withKey(
  name: string,
  { account = 'acme', ...options }: KeyOptions & { readonly account?: 'acme' | 'globex' },
  { request, ...expected }: Expected & { readonly request: TestRequest },
): Row {
  return {
    name,
    request: async (service) => ({
      ...request,
      headers: { ...request.headers, ...bearer(await service.issue(service[account], options)) },
    }),
    ...expected,
  };
}
