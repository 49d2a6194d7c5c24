/** Aggregates over HTTP: the body, its tag, and what is wrong with a request. */

import { beforeAll, describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { aboveStore } from '../support/above-store.ts';
import { addAccount, load, tabled } from '../support/fixture.ts';
import { bodyOf, PRODUCTS } from '../support/rows.ts';
import { bearer } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const furniture = tabled(
  'id name list_price qty_available categ_id create_date',
  [1, 'Chair', 0.1, 5, 3, '2026-01-31T12:00:00.000Z'],
  [2, 'Table', 0.2, 7, 3, '2026-02-01T00:00:00.000Z'],
  [3, 'a & b', 30, -1, null, '2026-02-28T00:00:00.000Z'],
);

describe.each(aboveStore)('on $name', (engine) => {
  let headers: Readonly<Record<string, string>>;
  const service = sharedService(engine);
  beforeAll(async () => {
    const account = await addAccount(service.store, 'shop');
    await load(service.store, account, product, furniture);
    headers = bearer(await service.issue(account));
  });

  const get = (query: Readonly<Record<string, string>>, more: Readonly<Record<string, string>> = {}) =>
    service.send({ path: `${PRODUCTS}/aggregate?${new URLSearchParams(query)}`, headers: { ...headers, ...more } });

  test('without parameters, it counts', async () => {
    expect((await get({})).json).toEqual({ data: { measures: { count: 3 }, facets: {} }, meta: { total: 3 } });
  });

  test('measures, groups and the rest', async () => {
    const { status, json } = await get({
      filter: 'list_price>0',
      measures: 'count,sum(list_price),avg(qty_available),min(create_date)',
      facets: 'categ_id',
      limit: '1',
    });
    expect(status).toBe(200);
    expect(json).toEqual({
      data: {
        measures: {
          count: 3,
          'sum(list_price)': 30.3,
          'avg(qty_available)': 11 / 3,
          'min(create_date)': '2026-01-31T12:00:00.000Z',
        },
        facets: {
          categ_id: {
            distinct: 2,
            groups: [
              {
                value: 3,
                filter: 'list_price>0&categ_id=3',
                measures: {
                  count: 2,
                  'sum(list_price)': 0.3,
                  'avg(qty_available)': 6,
                  'min(create_date)': '2026-01-31T12:00:00.000Z',
                },
              },
            ],
            other: {
              values: 1,
              measures: {
                count: 1,
                'sum(list_price)': 30,
                'avg(qty_available)': -1,
                'min(create_date)': '2026-02-28T00:00:00.000Z',
              },
            },
          },
        },
      },
      meta: { total: 3 },
    });
  });

  test('groups by value, range and period, with the filters that select them', async () => {
    const body = bodyOf(
      await get({
        filter: 'id=1|id=3',
        facets: 'name,categ_id,list_price:3,create_date:month',
        sort: 'value',
      }),
    );
    const found = body.data.facets;
    const groups = Object.fromEntries(
      Object.keys(found).map((facet) => [
        facet,
        found[facet].groups.map(({ measures: _, ...group }: { measures: unknown }) => group),
      ]),
    );
    expect(groups).toEqual({
      name: [
        { value: 'a & b', filter: '(id=1|id=3)&name="a & b"' },
        { value: 'Chair', filter: '(id=1|id=3)&name=Chair' },
      ],
      categ_id: [
        { value: 3, filter: '(id=1|id=3)&categ_id=3' },
        { value: null, filter: '(id=1|id=3)&categ_id=null' },
      ],
      'list_price:3': [
        { from: 0, to: 10, filter: '(id=1|id=3)&list_price>=0&list_price<10' },
        { from: 30, to: 40, filter: '(id=1|id=3)&list_price>=30&list_price<40' },
      ],
      'create_date:month': [
        {
          from: '2026-01-01T00:00:00.000Z',
          to: '2026-02-01T00:00:00.000Z',
          filter: '(id=1|id=3)&create_date>=2026-01-01T00:00:00.000Z&create_date<2026-02-01T00:00:00.000Z',
        },
        {
          from: '2026-02-01T00:00:00.000Z',
          to: '2026-03-01T00:00:00.000Z',
          filter: '(id=1|id=3)&create_date>=2026-02-01T00:00:00.000Z&create_date<2026-03-01T00:00:00.000Z',
        },
      ],
    });
  });

  test('periods may be those of a time zone', async () => {
    const body = bodyOf(await get({ filter: 'id=1', facets: 'create_date:month@Asia/Kolkata,create_date:month' }));
    expect(body.data.facets['create_date:month@Asia/Kolkata'].groups[0]).toMatchObject({
      from: '2025-12-31T18:30:00.000Z',
      to: '2026-01-31T18:30:00.000Z',
      filter: 'id=1&create_date>=2025-12-31T18:30:00.000Z&create_date<2026-01-31T18:30:00.000Z',
    });
    expect(body.data.facets['create_date:month'].groups[0]).toMatchObject({ from: '2026-01-01T00:00:00.000Z' });
  });

  test('a measure may be of a product, named as it was requested', async () => {
    const names = ['sum(list_price*qty_available)', 'avg(categ_id*categ_id)', 'min(qty_available*list_price)'];
    const { json } = await get({
      measures: `${names.join(',')},max( list_price * qty_available )`,
      facets: 'categ_id',
    });
    const measures = ([sum, avg, min, max]: readonly (number | null)[]) => ({
      'sum(list_price*qty_available)': sum,
      'avg(categ_id*categ_id)': avg,
      'min(qty_available*list_price)': min,
      'max(list_price*qty_available)': max,
    });
    expect(json).toMatchObject({
      data: {
        measures: measures([-28.1, 9, -30, 1.4]),
        facets: {
          categ_id: {
            groups: [
              { value: 3, measures: measures([1.9, 9, 0.5, 1.4]) },
              { value: null, measures: measures([-30, null, -30, -30]) },
            ],
          },
        },
      },
    });
  });

  test('nothing matches: a sum is 0, and what needs a value is null', async () => {
    const { json } = await get({ filter: 'id=99', measures: 'count,sum(id),avg(id),max(id)', facets: 'active' });
    expect(json).toEqual({
      data: {
        measures: { count: 0, 'sum(id)': 0, 'avg(id)': null, 'max(id)': null },
        facets: {
          active: {
            distinct: 0,
            groups: [],
            other: { values: 0, measures: { count: 0, 'sum(id)': 0, 'avg(id)': null, 'max(id)': null } },
          },
        },
      },
      meta: { total: 0 },
    });
  });

  test('the tag is that of the revision, and a result is computed once', async () => {
    const query = { measures: 'sum(id)', facets: 'active' };
    const replies = await Promise.all(Array.from({ length: 5 }, () => get(query)));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    const cached = await get(query);
    expect(cached.headers).toMatchObject({ 'cache-status': 'stockbook; hit' });
    const tag = cached.headers['etag'] ?? '';
    expect(await get(query, { 'if-none-match': tag })).toRespond(304);
    const listed = await service.send({ path: PRODUCTS, headers });
    expect(listed.headers['etag']).not.toBe(tag);
  });

  test('a change is seen at once', async () => {
    const account = await addAccount(service.store, 'changing');
    const own = bearer(await service.issue(account));
    await load(service.store, account, product, furniture.slice(0, 1));
    const before = await get({}, own);
    await load(service.store, account, product, furniture.slice(1, 2));
    const after = await get({}, { ...own, 'if-none-match': before.headers['etag'] ?? '' });
    expect(after).toRespond(200, { meta: { total: 2 } });
  });

  test('group filters are filters that can be sent', async () => {
    const conditions = (count: number) => Array.from({ length: count }, (_, n) => `id!=${n + 10}`);
    expect(await get({ filter: conditions(198).join('&'), facets: 'list_price:2' })).toRespond(200);
    expect(await get({ filter: conditions(199).join('&'), facets: 'list_price:2' })).toRespond(400, {
      code: 'invalid_facets',
      parameter: 'filter',
    });
    expect(await get({ filter: conditions(199).join('&') })).toRespond(200);
  });

  test('a measure can be misspelt at length', async () => {
    const spaces = ' '.repeat(30_000);
    expect(await get({ measures: `sum(${spaces}!` })).toRespond(400);
    expect(await get({ measures: `sum(${spaces}id${spaces})` })).toRespond(200);
    expect(await get({ facets: `list_price${spaces}:${spaces}2` })).toRespond(200);
  });

  test('HEAD has the headers and no body', async () => {
    const reply = await service.send({ method: 'HEAD', path: `${PRODUCTS}/aggregate`, headers });
    expect(reply).toMatchObject({ status: 200, text: '' });
  });

  test.each<[Readonly<Record<string, string>>, Readonly<Record<string, string>>]>([
    [{ measures: 'total' }, { code: 'invalid_measures', parameter: 'measures' }],
    [{ page: '2' }, { code: 'unknown_parameter' }],
    [{ group_by: 'categ_id' }, { code: 'unknown_parameter', suggestion: 'Did you mean facets?' }],
    [{ filter: 'x=1' }, { code: 'unknown_field' }],
  ])('%j is a 400', async (query, expected) => {
    const { suggestion = '', ...rest }: { readonly suggestion?: string } = expected;
    const json = { ...rest, suggestion: expect.stringContaining(suggestion) };
    expect(await get(query)).toMatchObject({ status: 400, json });
  });

  test('at the limits', async () => {
    const measures = [
      'count',
      ...['sum', 'avg', 'min', 'max'].flatMap((kind) => [`${kind}(id)`, `${kind}(list_price)`]),
    ];
    const reply = await get({
      measures: [...measures, 'sum(categ_id)'].join(','),
      facets: 'list_price:1000',
      limit: '1000',
    });
    expect(reply).toRespond(200);
  });
});
