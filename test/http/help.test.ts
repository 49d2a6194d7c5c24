/** Common mistakes and the suggestions they get. A suggested request works if it is pasted. */

import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { planFilter } from '../../src/plan/filter.ts';
import { Problem } from '../../src/problem/problem.ts';
import { PATCH_TYPES, QUERY_TYPE } from '../../src/request/body.ts';
import {
  AGGREGATE_PARAMETERS,
  CHANGES_PARAMETERS,
  DIGEST_PARAMETERS,
  IMPORT_PARAMETERS,
  LIST_PARAMETERS,
  PAGE_PARAMETERS,
} from '../../src/request/parameters.ts';
import { oneEngine } from '../support/engines.ts';
import { bodyOf, checkReply, PARTNERS, PRODUCTS } from '../support/rows.ts';
import { bearer, type TestRequest } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

describe.each(oneEngine)('on $name', (engine) => {
  const service = sharedService(engine);

  const editing = async () => bearer(await service.issue(service.acme, { scopes: ['read', 'write', 'edit'] }));
  const filter = (text: string) => `?filter=${encodeURIComponent(text)}`;

  test.each([
    [filter('id==5'), filter('id=5')],
    [filter('id===5'), filter('id=5')],
    [filter('id!==5'), filter('id!=5')],
    [filter('id<>4'), filter('id!=4')],
    [filter('list_price > = 5'), filter('list_price>=5')],
    [filter('list_price => 5'), filter('list_price>=5')],
    [filter('list_price=<5'), filter('list_price<=5')],
    [filter('id=[1,2,3]'), filter('id[1,2,3]')],
    [filter('id!=(1,2)'), filter('id![1,2]')],
    [filter('id=1,2'), filter('id[1,2]')],
    [filter('id=1,2,'), filter('id[1,2]')],
    [filter('id=in.(1,2,3)'), filter('id[1,2,3]')],
    [filter('id=not.in.(1,2)'), filter('id![1,2]')],
    [filter('list_price=between(1,5)'), filter('list_price>=1&list_price<=5')],
    [filter('list_price=between 1 and 5'), filter('list_price>=1&list_price<=5')],
    [filter('categ_id!=1..5'), filter('(categ_id<1|categ_id>5|categ_id=null)')],
    [filter('active:true,list_price:5'), filter('active=true&list_price=5')],
    [filter('active: true; list_price>5 or id:3'), filter('active=true&list_price>5|id=3')],
    [filter('create_date=2024-01'), filter('create_date>=2024-01-01&create_date<2024-02-01')],
    [filter('create_date!=2024-01'), filter('(create_date<2024-01-01|create_date>=2024-02-01)')],
    [filter('categ_id=NULL'), filter('categ_id=null')],
    [filter('is_rsd_product!=None'), filter('is_rsd_product!=null')],
    [filter("active='true'"), filter('active=true')],
    [filter('active=yes'), filter('active=true')],
    [filter('active=true and list_price>5'), filter('active=true&list_price>5')],
    [filter('id=1 OR id=2'), filter('id=1|id=2')],
    [filter('id>1 and name*oak and active=true or id=2'), filter('id>1&name*oak&active=true|id=2')],
    [filter('id[1,2] and name*oak'), filter('id[1,2] & name*oak')],
    [filter('(id=1) OR (id=2) and (id=3)'), filter('(id=1) | (id=2) & (id=3)')],
    [filter('name*"oak" and id=1'), filter('name*"oak" & id=1')],
    [filter('list_price<9,99'), filter('list_price<9.99')],
    [filter('list_price<1,000'), filter('list_price<1000')],
    [filter('write_date>2026-2-1'), filter('write_date>2026-02-01')],
    [filter('write_date>1.2.2026'), filter('write_date>2026-02-01')],
    [filter('write_date>2026-02-01 08:00'), filter('write_date>2026-02-01T08:00')],
    [filter('name=null'), filter('name="null"')],
    [filter('id=1&&active=true'), filter('id=1&active=true')],
    [filter('(id=1|id=2'), filter('(id=1|id=2)')],
    [filter('lst_price>5'), filter('list_price>5')],
    [filter(encodeURIComponent('list_price<100&name*chair')), filter('list_price<100&name*chair')],
    ['?name=chair', filter('name*chair')],
    ['?name=Oak%20Chair', filter('name=Oak Chair')],
    ['?list_price>5&filter=name*chair&limit=3', `${filter('list_price>5&name*chair')}&limit=3`],
    ['?sort=name%20desc', '?sort=-name'],
    ['?sort=list_price:DESC,name%20asc', '?sort=-list_price,name'],
    ['?fields=id,nam&limit=2', '?fields=id,name&limit=2'],
    ['?sort=-nam', '?sort=-name'],
    ['?limit=5000&page=2', '?limit=1000&page=2'],
    ['?page=0', '?page=1'],
  ])('%s gets the request that works: %s', async (wrong, right) => {
    const { status, json } = await service.send({ path: PRODUCTS + wrong });
    expect(status).toBe(400);
    const { suggestion } = Object(json);
    const [, tried = ''] = / Try (\/\S+)$/.exec(suggestion) ?? [];
    const [, condition] = /^(?:Did you mean|Write) (\w+[=!*<>[].*?)\?? Try /.exec(suggestion) ?? [];
    expect(decodeURIComponent(tried)).toBe(decodeURIComponent(PRODUCTS + right));
    if (condition !== undefined) expect(planFilter(product, condition, [])).not.toBeInstanceOf(Problem);
    const again = await service.send({ path: tried });
    expect(again).toRespond(200);
  });

  test.each([
    [filter('name like chair'), 'name*chair'],
    [filter('name not like chair'), 'name!*chair'],
    [filter('id in (1,2)'), 'id[1,2]'],
    [filter('id not in (1,2)'), 'id![1,2]'],
    [filter('categ_id is null'), 'categ_id=null'],
    [filter('categ_id is not null'), 'categ_id!=null'],
    [filter('id between 1 and 9'), 'id>=1&id<=9'],
    [filter('id eq 5'), 'id=5'],
    [filter('active:true,list_price:5'), 'Write active=true&list_price=5 Try /'],
    [filter('list_price><5'), 'For example: list_price>99.99'],
    [filter('id=in.(a,b)'), 'For example: id=12'],
    [filter('list_price=between(1,2,3)'), 'For example: list_price=99.99'],
    [filter('id[1 x]'), 'For example: id[12]'],
    [filter('list_price ≥ 5'), 'list_price>=5'],
    [filter('name~chair'), 'name*chair'],
    [filter('id=1|2|3'), 'id[1,2,3]'],
    [filter('default_code=A & B'), 'name="A & B"'],
    [filter('colour=red'), 'The fields are id, name'],
    ['?offset=10', 'Did you mean page?'],
    ['?per_page=10', 'Did you mean limit?'],
    ['?orderBy=name', 'Did you mean sort?'],
    ['?select=id', 'Did you mean fields?'],
    ['?search=chair', 'Did you mean q?'],
    ['?api_key=abc', 'The parameters are fields, q, filter, sort, page, limit, explain, format.'],
    ['?filter=&offset=1', 'Did you mean page?'],
    ['/1?expand=all', 'The only parameter is fields.'],
  ])('%s gets the suggestion %s', async (wrong, suggestion) => {
    const { status, json } = await service.send({ path: PRODUCTS + wrong });
    expect({ status, suggestion: Object(json).suggestion }).toEqual({
      status: 400,
      suggestion: expect.stringContaining(suggestion),
    });
  });

  test.each<[string, string, readonly string[]]>([
    ['GET', PRODUCTS, LIST_PARAMETERS],
    ['GET', `${PRODUCTS}/aggregate`, AGGREGATE_PARAMETERS],
    ['GET', `${PRODUCTS}/changes`, CHANGES_PARAMETERS],
    ['GET', `${PRODUCTS}/digest`, DIGEST_PARAMETERS],
    ['POST', `${PRODUCTS}/import`, IMPORT_PARAMETERS],
    ['GET', '/api/v1/imports', PAGE_PARAMETERS],
  ])('an unknown parameter of %s %s is answered with those that it takes', async (method, path, names) => {
    checkReply(await service.send({ method, path: `${path}?nothing=1`, headers: await editing() }), {
      status: 400,
      has: { code: 'unknown_parameter', suggestion: `The parameters are ${names.join(', ')}.` },
    });
  });

  test.each([
    ['POST', PARTNERS, 'application/json'],
    ['PATCH', `${PARTNERS}/1`, PATCH_TYPES.join(' or ')],
    ['QUERY', PARTNERS, QUERY_TYPE],
    [
      'POST',
      `${PARTNERS}/import`,
      'text/csv, text/tab-separated-values, application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, application/x-ndjson, application/jsonl, application/json or application/octet-stream',
    ],
  ])('a media type that %s %s does not take is answered with those that it takes', async (method, path, types) => {
    const send = async (headers: TestRequest['headers']) =>
      service.send({ method, path, headers: { ...(await editing()), ...headers }, body: 'name=A' });
    const code = 'unsupported_media_type';
    checkReply(await send({ 'content-type': 'image/png' }), {
      status: 415,
      has: { code, suggestion: `Send the body with the Content-Type ${types}.` },
    });
    const isImport = path.endsWith('/import');
    const [type = ''] = types.split(/,? /);
    checkReply(await send({ 'content-type': type, 'content-encoding': 'br' }), {
      status: 415,
      has: { code, suggestion: isImport ? 'Compress it with gzip or zstd, or send it as it is.' : 'Send it as it is.' },
    });
  });

  test.each([
    `id in (${'1,'.repeat(10_000)}x)`,
    `id[1${' 1'.repeat(10_000)}]`,
    `name like ${'x'.repeat(20_000)}`,
    `active:true${' '.repeat(20_000)},id:1`,
    `id:${'1'.repeat(20_000)}`,
  ])('a suggestion does not repeat a filter of 20 KB: %.15s', async (text) => {
    const { status, json } = await service.send({ path: PRODUCTS + filter(text) });
    expect(status).toBe(400);
    expect(Object(json).suggestion.length).toBeLessThan(500);
  });

  describe('the header Stockbook-Hint, if a filter finds nothing', () => {
    const AND = 'Did you mean & instead of "and"?';
    const CASE = '= compares text exactly, upper and lower case included; * ignores case.';
    const formats = ['', '&format=csv', '&format=ndjson'];

    test.each([
      [PRODUCTS, 'name*oak and list_price>1', AND, 'name*oak&list_price>1'],
      [PRODUCTS, 'name*oak OR name*steel', 'Did you mean | instead of "OR"?', 'name*oak|name*steel'],
      [PRODUCTS, 'name=OAK TABLE', CASE, 'name*OAK TABLE'],
      [PRODUCTS, 'name*crème and id>1', AND, 'name*crème&id>1'],
      [PARTNERS, 'name=azure interior', CASE, 'name*azure interior'],
    ])('%s %s', async (path, wrong, text, meant) => {
      const targets = [
        ...formats.map((format) => `${path}${filter(wrong)}${format}`),
        `${path}/aggregate${filter(wrong)}`,
      ];
      // The second response may be cached.
      for (const target of [...targets, ...targets]) {
        const { status, headers } = await service.send({ path: target });
        const [, hint, tried = ''] = /^(.*) Try (\/\S+)$/.exec(headers['stockbook-hint'] ?? '') ?? [];
        expect({ status, hint, tried: decodeURIComponent(tried) }).toEqual({
          status: 200,
          hint: text,
          tried: decodeURIComponent(target).replace(wrong, meant),
        });
        const again = await service.send({ path: tried });
        expect({ status: again.status, hint: again.headers['stockbook-hint'] }).toEqual({
          status: 200,
          hint: undefined,
        });
        expect(again.text).not.toBe('');
      }
      expect(bodyOf(await service.send({ path: `${path}${filter(meant)}` })).meta.total).toBeGreaterThan(0);
    });

    test('suggests the first page, and so does a problem', async () => {
      for (const wrong of ['name=OAK TABLE&limit=2', 'name=OAK TABLE&limit=2&sort=nam']) {
        const path = `${PRODUCTS}?page=9&filter=${wrong}`;
        const { headers, json } = await service.send({ path: encodeURI(path) });
        const hint = headers['stockbook-hint'] ?? Object(json).suggestion;
        expect(hint).toMatch(/ Try \/\S+/);
        expect(hint).not.toContain('page=');
      }
    });

    test('is sent if a negated condition excludes nothing', async () => {
      const { headers } = await service.send({ path: `${PRODUCTS}${filter('name!*oak and list_price>1')}` });
      expect(headers['stockbook-hint']).toContain(AND);
    });

    test('is sent with QUERY, and without the request if that is long', async () => {
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const query = (text: string) =>
        service.send({ method: 'QUERY', path: PRODUCTS, headers: form, body: filter(text).slice(1) });
      expect((await query('name*oak and id>1')).headers['stockbook-hint']).toMatch(/ Try \/api\//);
      const long = `name*oak and id>1&id[${Array.from({ length: 150 }, (_, n) => 1 + n).join()}]`;
      expect((await query(long)).headers['stockbook-hint']).toBe(AND);
    });

    test.each(['name*oak', 'name*"oak and list_price>1"', 'name*salt and pepper', 'list_price>1000000'])(
      'is not sent for %s',
      async (text) => {
        for (const format of formats)
          expect((await service.send({ path: `${PRODUCTS}${filter(text)}${format}` })).headers).not.toHaveProperty(
            'stockbook-hint',
          );
      },
    );
  });

  test.each([
    ['/api/v1/product', PRODUCTS],
    ['/api/v1/inventory/products/5', PRODUCTS],
    ['/api/v1/inventory/partner', PARTNERS],
    ['/api/v1/inventry/product', PRODUCTS],
    ['/api/v1/warehouse', 'The lists are at'],
  ])('the path %s, which does not exist, gets the suggestion %s', async (path, suggestion) => {
    const { status, json } = await service.send({ path });
    expect({ status, suggestion: Object(json).suggestion }).toEqual({
      status: 404,
      suggestion: expect.stringContaining(suggestion),
    });
  });
});
