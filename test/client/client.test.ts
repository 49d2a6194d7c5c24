/** The client on a real service: lists, records, creating, aggregates, streams. */

import { beforeAll, describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { filter, Stockbook, StockbookError } from '../../src/client/index.ts';
import { aboveStore } from '../support/above-store.ts';
import { companies, load, partners, products } from '../support/fixture.ts';
import { startProxy, startTruncatingProxy } from '../support/proxy.ts';
import { bodyOf } from '../support/rows.ts';
import { sharedService } from '../support/shared.ts';
import { rowsOf } from '../support/workbooks.ts';

async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** What was thrown; fails if nothing was. */
async function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );
}

describe.each(aboveStore)('on $name', (engine) => {
  let url: string;
  let stockbook: Stockbook;
  const service = sharedService(engine);
  beforeAll(async () => {
    url = `http://127.0.0.1:${service.port}`;
    stockbook = new Stockbook({ url: `${url}/`, key: service.key });
  });

  /** A client of a new account with this many partners, which are named after their number. */
  const accountWith = async (count: number) => {
    accounts += 1;
    const account = await service.store.accounts.add(`client-${accounts}`, '2026-03-01T12:00:00.000Z');
    if (account === undefined) throw new Error('the account exists already');
    await load(
      service.store,
      account,
      partner,
      Array.from({ length: count }, (_, n) => ({ name: `${n + 1}` })),
    );
    return { account, key: await service.issue(account) };
  };
  let accounts = 0;

  describe('a list', () => {
    test('has records, the total and the pages', async () => {
      const page = await stockbook.products.list({ fields: ['id', 'name'], sort: ['-name'], limit: 2, page: 2 });
      const sent = await service.send({ path: '/api/v1/inventory/product?fields=id,name&sort=-name&limit=2&page=2' });
      expect(page).toEqual({ ...Object(sent.json), etag: sent.headers['etag'] });
    });

    test('has every field by default', async () => {
      expect((await stockbook.companies.list()).data).toEqual(companies);
      expect((await stockbook.products.list({ limit: 1000 })).data).toEqual(products);
    });

    test('is filtered by text, a template or conditions', async () => {
      const { products: resource } = stockbook;
      const ids = async (query: Parameters<typeof resource.list>[0]) =>
        (await resource.list({ ...query, limit: 100 })).data.map(({ id }) => id);
      expect(await ids({ filter: 'name*oak' })).toEqual([1, 3]);
      expect(await ids({ filter: filter`name*${'A&B|C'}` })).toEqual([5]);
      expect(await ids({ filter: resource.where('name', '=', '100% Wool_Rug "A&B|C"') })).toEqual([5]);
      expect(await ids({ filter: resource.where('categ_id', '=', null).or('categ_id', '[]', [5, 3]) })).toEqual([
        3, 5, 13, 15,
      ]);
      expect(await ids({ filter: resource.where('write_date', '>', new Date('2026-01-15')) })).toEqual([3]);
    });

    test('says what a filter was probably meant to be', async () => {
      const { meta, hint } = await stockbook.products.list({ filter: 'name*oak and id>0' });
      expect({ total: meta.total, hint }).toEqual({ total: 0, hint: expect.stringContaining('Did you mean &') });
      expect(await stockbook.products.list({ filter: 'name*oak' })).toMatchObject({ hint: undefined });
    });

    test('explains its filter', async () => {
      const { meta } = await stockbook.products.list({ filter: 'name*oak&categ_id=2', explain: true });
      expect(meta.conditions).toEqual([
        { filter: 'name*oak', alone: 2, others: 2 },
        { filter: 'categ_id=2', alone: 2, others: 2 },
      ]);
    });

    test('is undefined while it is unchanged, and can be waited for', async () => {
      const { partners: resource } = stockbook;
      const { etag } = await resource.list();
      expect(await resource.list({ ifNoneMatch: etag })).toBeUndefined();
      const waiting = resource.list({ ifNoneMatch: etag, wait: 60, limit: 1000 });
      const id = await resource.create({ name: 'Awaited' });
      expect((await waiting)?.data.at(-1)).toMatchObject({ id, name: 'Awaited' });
      expect(await resource.list({ ifNoneMatch: undefined })).toBeDefined();
    });
  });

  test('the fields are those of all resources', async () => {
    const fields = await stockbook.fields();
    expect(fields).toEqual(bodyOf(await service.send({ path: '/api/v1/fields' })).data);
    expect(fields.filter(({ resource }) => resource === 'product').map(({ name }) => name)).toEqual(
      stockbook.products.fields,
    );
  });

  test('a fetch of the caller gets every request, and can record its response', async () => {
    const exchanges: { url: string; status: number; cache: string | null; bytes: number }[] = [];
    const recording = new Stockbook({
      url,
      key: service.key,
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        const { status, headers } = response;
        const { byteLength: bytes } = await response.clone().arrayBuffer();
        exchanges.push({ url: String(input), status, cache: headers.get('cache-status'), bytes });
        return response;
      },
    });
    const page = await recording.companies.list({ fields: ['id'], filter: 'id>0', limit: 1 });
    expect(page.data).toEqual([{ id: 1 }]);
    await expect(recording.companies.list({ filter: 'x' })).rejects.toMatchObject({ code: 'filter_syntax' });
    expect(await collected(await recording.companies.stream({ fields: ['id'] }))).toHaveLength(companies.length);
    expect(exchanges).toMatchObject([
      {
        url: expect.stringContaining('/api/v1/resources/company?'),
        status: 200,
        cache: expect.stringMatching(/^stockbook; /),
      },
      { status: 400 },
      { status: 200 },
    ]);
    const { text } = await service.send({ path: '/api/v1/resources/company?fields=id&filter=id>0&limit=1' });
    expect(exchanges[0]?.bytes).toBe(text.length);
  });

  test('a request that the fetch of the caller does not send is repeated', async () => {
    let attempts = 0;
    const flaky = new Stockbook({
      url,
      key: service.key,
      fetch: (input, init) => {
        attempts += 1;
        return attempts < 3 ? Promise.reject(new TypeError('no network')) : fetch(input, init);
      },
    });
    expect((await flaky.companies.list()).data).toEqual(companies);
    expect(attempts).toBe(3);
  });

  test('a record that does not exist is undefined', async () => {
    expect(await stockbook.partners.get(1)).toEqual(partners[0]);
    expect(await stockbook.partners.get(1, { fields: ['city'] })).toEqual({ city: 'Berlin' });
    expect(await stockbook.partners.get(999_999)).toBeUndefined();
    expect(await stockbook.partners.get(0.5)).toBeUndefined();
  });

  describe('creating', () => {
    test('resolves to the id', async () => {
      const id = await stockbook.partners.create({ name: 'Azure "Interior"' });
      expect(await stockbook.partners.get(id, { fields: ['name'] })).toEqual({ name: 'Azure "Interior"' });
    });

    test('with the same key creates nothing', async () => {
      const create = () => stockbook.partners.create({ name: 'Once' }, { idempotencyKey: 'order "7" \\ a' });
      expect(await create()).toBe(await create());
    });
  });

  test('aggregates', async () => {
    const result = await stockbook.products.aggregate({
      filter: stockbook.products.where('active', '=', true),
      measures: ['count', 'max(write_date)'],
      facets: ['categ_id', 'list_price:2'],
      limit: 1,
    });
    expect(result).toMatchObject({
      total: 10,
      measures: { count: 10, 'max(write_date)': '2026-01-02T00:00:00.000Z' },
      facets: { categ_id: { groups: [{ value: 1, filter: 'active=true&categ_id=1' }] } },
    });
    const [group] = result.facets.categ_id.groups;
    expect((await stockbook.products.list({ filter: group?.filter })).meta.total).toBe(group?.measures.count);
  });

  describe('each', () => {
    test.each([
      { count: 0, limit: 3 },
      { count: 2, limit: 3 },
      { count: 3, limit: 3 },
      { count: 10, limit: 3, prefetch: 0 },
      { count: 10, limit: 3, prefetch: 5 },
    ])('has all records: %o', async ({ count, ...options }) => {
      const { key } = await accountWith(count);
      const names = Array.from({ length: count }, (_, n) => ({ name: `${n + 1}` }));
      const client = new Stockbook({ url, key });
      expect(await collected(client.partners.each({ ...options, fields: ['name'] }))).toEqual(names);
      expect(await collected(client.partners.each({ ...options, fields: ['name'], filter: '' }))).toEqual(names);
      expect(await collected(client.partners.each({ ...options, fields: ['name'], filter: 'id=1|id>2' }))).toEqual(
        names.filter(({ name }) => name !== '2'),
      );
    });

    test.each(['name!="(a"&(id<9|id=10)', '((id>0))', 'name!=":)"', 'name!*(', 'id%3E3', ' id>1 & id < 9 '])(
      'the filter %s selects the same on every page',
      async (filter) => {
        const { key } = await accountWith(10);
        const client = new Stockbook({ url, key });
        const { data } = await client.partners.list({ filter, limit: 1_000 });
        expect(data.length).toBeGreaterThan(5);
        expect(await collected(client.partners.each({ filter, limit: 2 }))).toEqual(data);
      },
    );

    test.each(['name=x)|id>0', 'name!*:)', 'name!=a(b)'])('the filter %s needs quotes', async (filter) => {
      const error = collected(stockbook.partners.each({ filter }));
      await expect(error).rejects.toThrow(`Quote values that contain parentheses: ${filter}`);
    });

    test('misses and repeats nothing if records are removed and added while it runs', async () => {
      const { key, account } = await accountWith(20);
      const seen: number[] = [];
      for await (const { id } of new Stockbook({ url, key }).partners.each({ limit: 5, prefetch: 0 })) {
        seen.push(id);
        if (id !== 5) continue;
        // The first records go, so a page number would now be somewhere else.
        const rows = Array.from({ length: 20 }, (_, n) => ({ id: n + 4, name: `${n + 4}` }));
        await load(service.store, account, partner, rows, { replace: true });
      }
      expect(seen).toEqual(Array.from({ length: 23 }, (_, n) => n + 1));
    });

    test.each([0, 1, 3])('reads at most %i pages ahead', async (prefetch) => {
      const { key } = await accountWith(50);
      const proxy = await startProxy(service.port, []);
      const records = new Stockbook({ url: proxy.url, key }).partners.each({ limit: 5, prefetch });
      for (let n = 1; n <= 11; n += 1) await records.next();
      // Two pages are read, and the third is in use.
      await expect.poll(() => proxy.requests.length).toBe(3 + prefetch);
      await records.return();
      await proxy.close();
      expect(proxy.requests).toHaveLength(3 + prefetch);
    });
  });

  describe('a stream', () => {
    test('has all records, and the revision', async () => {
      const { key } = await accountWith(2_500);
      const records = new Stockbook({ url, key }).partners.stream({ fields: ['id'], sort: ['-id'] });
      let [rows, next] = [0, await records.next()];
      for (; !next.done; next = await records.next()) {
        expect(next.value).toEqual({ id: 2_500 - rows });
        rows += 1;
      }
      expect(next.value).toEqual({ rows: 2_500, revision: 1 });
    });

    test.each([0, 1, 2])('that a proxy truncates after line %i is an error', async (lines) => {
      const proxy = await startTruncatingProxy(service.port, lines);
      const client = new Stockbook({ url: proxy.url, key: service.key });
      expect(await errorOf(collected(client.companies.stream()))).toMatchObject({
        code: 'incomplete_stream',
        detail: `The stream ended after ${lines} records.`,
      });
      await proxy.close();
    });

    test.each([0, 1, 2])('of CSV that a proxy truncates after line %i is an error', async (lines) => {
      const proxy = await startTruncatingProxy(service.port, lines);
      const client = new Stockbook({ url: proxy.url, key: service.key });
      expect(await errorOf(collected(client.companies.csv()))).toMatchObject({ code: 'incomplete_stream' });
      await proxy.close();
    });

    test('whose connection breaks is an error', async () => {
      const { key } = await accountWith(5_000);
      const proxy = await startProxy(service.port, [{ cutAfter: 30_000 }]);
      const read = collected(new Stockbook({ url: proxy.url, key }).partners.stream());
      expect(await errorOf(read)).toMatchObject({ code: 'incomplete_stream' });
      await proxy.close();
    });

    test('of CSV has the bytes of the service', async () => {
      const { text } = await service.send({
        path: '/api/v1/inventory/product?fields=id,name',
        headers: { accept: 'text/csv; excel-safe=true' },
      });
      const progress: number[] = [];
      const onProgress = (records: number) => progress.push(records);
      const chunks = await collected(stockbook.products.csv({ fields: ['id', 'name'], excelSafe: true, onProgress }));
      expect(Buffer.concat(chunks).toString()).toBe(text);
      expect(progress.at(-1)).toBe(products.length);
    });

    test('of a workbook has the bytes of the service, and is an error if it is truncated', async () => {
      const chunks = await collected(stockbook.products.xlsx({ fields: ['name', 'id'], filter: 'id=1' }));
      expect(await rowsOf(Buffer.concat(chunks))).toMatchObject([
        { cells: [{ text: 'Name' }, { text: 'ID' }] },
        { cells: [{ text: products[0]?.['name'] }, { value: 1 }] },
      ]);
      const proxy = await startTruncatingProxy(service.port, 0);
      const client = new Stockbook({ url: proxy.url, key: service.key });
      expect(await errorOf(collected(client.products.xlsx()))).toMatchObject({ code: 'incomplete_stream' });
      await proxy.close();
    });

    test('that the caller leaves is disconnected', async () => {
      const { key } = await accountWith(5_000);
      const proxy = await startProxy(service.port, []);
      for await (const { id } of new Stockbook({ url: proxy.url, key }).partners.stream()) if (id === 3) break;
      await expect.poll(() => proxy.open()).toBe(0);
      await proxy.close();
    });
  });

  describe('an error', () => {
    test('carries the problem', async () => {
      const error = await errorOf(stockbook.products.list({ filter: 'active=true&nam*x' }));
      expect(error).toBeInstanceOf(StockbookError);
      expect(error).toMatchObject({
        code: 'unknown_field',
        status: 400,
        title: 'Unknown field',
        parameter: 'filter',
        position: 13,
        suggestion: expect.stringContaining('Did you mean name?'),
        requestId: expect.stringMatching(/^\S+$/),
        isTemporary: false,
        message: expect.stringContaining("product has no field 'nam'. Did you mean name?"),
      });
    });

    test('is thrown by streams and feeds, too', async () => {
      const { products: resource } = stockbook;
      const bad = { filter: 'nam*x' };
      for (const records of [resource.stream(bad), resource.csv(bad), resource.each(bad), resource.changes(bad)])
        expect(await errorOf(records.next())).toMatchObject({ code: 'unknown_field' });
    });

    test('says that a key is wrong', async () => {
      expect(await errorOf(new Stockbook({ url, key: 'sbk_wrong' }).products.get(1))).toMatchObject({
        code: 'credentials_malformed',
        status: 401,
      });
    });

    test('is thrown at once if a request cannot be sent at all', async () => {
      expect(() => new Stockbook({ url: 'acme', key: 'a' })).toThrow(TypeError);
      expect(await errorOf(new Stockbook({ url, key: 'line\nbreak' }).products.list())).toBeInstanceOf(TypeError);
      expect(await errorOf(stockbook.products.list({ fields: [] }))).toBeInstanceOf(TypeError);
    });

    test('says that something else has responded', async () => {
      const elsewhere = new Stockbook({ url: `${url}/problems/unknown_field`, key: service.key });
      expect(await errorOf(elsewhere.products.list())).toMatchObject({ code: 'path_not_found', status: 404 });
    });
  });
});
