/** Imports: what can be imported, how it is sent, and what callers learn. */

import { createReadStream, openAsBlob, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import type { ConnectionOptions } from '../../src/client/connection.ts';
import {
  type ImportOptions,
  type ImportProgress,
  type Product,
  Stockbook,
  StockbookError,
} from '../../src/client/index.ts';
import { aboveStore } from '../support/above-store.ts';
import { addAccount, load } from '../support/fixture.ts';
import { type Fault, type FaultyProxy, startProxy } from '../support/proxy.ts';
import { awaitedLater } from '../support/service.ts';
import { sharedFolder, sharedService } from '../support/shared.ts';
import { TestClock } from '../support/test-clock.ts';

/** More than is sent whole. */
const MANY = 1_800;

interface Row {
  readonly id: number;
  readonly name: string;
}

const rowsUpTo = (count: number): Row[] =>
  Array.from({ length: count }, (_, n) => ({ id: n + 1, name: `Product ${n + 1} ${'x'.repeat(180)}` }));

async function* each<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  yield* items;
}

describe.each(aboveStore)('on $name', (engine) => {
  const service = sharedService(engine);
  const limited = sharedService(engine, { settings: { 'max-import-size': '2' } });
  const folder = sharedFolder();
  let accounts = 0;
  const proxies: FaultyProxy[] = [];
  afterEach(async () => {
    for (const proxy of proxies.splice(0)) await proxy.close();
  });

  /** A client of an account with so many products. */
  const accountWith = async (count: number, options: Partial<ConnectionOptions> = {}) => {
    accounts += 1;
    const account = await addAccount(service.store, `importing-${accounts}`);
    if (count > 0)
      await load(
        service.store,
        account,
        product,
        rowsUpTo(count).map((row) => ({ ...row })),
      );
    const key = await service.issue(account, { scopes: ['read', 'edit'] });
    const stockbook = new Stockbook({ url: `http://127.0.0.1:${service.port}`, key, ...options });
    const { products, imports, sources } = stockbook;
    const through = async (faults: readonly Fault[]) => {
      const proxy = await startProxy(service.port, faults);
      proxies.push(proxy);
      return { proxy, products: new Stockbook({ url: proxy.url, key, ...options }).products };
    };
    const total = async () => (await products.list({ limit: 1 })).meta.total;
    return { products, imports, sources, through, total };
  };

  const none = { created: 0, updated: 0, unchanged: 0, removed: 0, skipped: 0, errors: [] };
  const counts = (expected: Partial<typeof none>) => ({
    ...none,
    ...expected,
    revision: expect.any(Number),
    cursor: expect.any(String),
  });

  test('rows create, change and remove records', async () => {
    const { products } = await accountWith(3);
    const result = await products.import([
      { id: 1, name: 'Changed' },
      { id: 2, removed: true },
      { id: 3, name: rowsUpTo(3)[2]?.name },
      { name: 'New', list_price: 5, categ_id: null },
    ]);
    expect(result).toMatchObject(counts({ created: 1, updated: 1, unchanged: 1, removed: 1 }));
    const { data } = await products.list({ fields: ['id', 'name'] });
    expect(data.map(({ name }) => name)).toEqual(['Changed', rowsUpTo(3)[2]?.name, 'New']);
    expect((await products.changes({ since: result.cursor, follow: false }).next()).value).toMatchObject({
      records: [],
    });
  });

  test('a page of the change feed can be imported', async () => {
    const from = await accountWith(5);
    const to = await accountWith(7);
    const { cursor } = await from.products.digest();
    await from.products.remove(2);
    await from.products.update(3, { name: 'Three' });
    const { value } = await from.products.changes({ since: cursor }).next();
    const { records = [], removed = [] } = value ?? {};
    expect(await to.products.import([...records, ...removed.map((id) => ({ id, removed: true }))])).toEqual(
      counts({ updated: 1, removed: 1 }),
    );
    expect(await to.products.get(3)).toEqual(await from.products.get(3));
  });

  describe('what can be imported', () => {
    const csv = 'id,name\n1,One\n2,Two\n';
    const bytes = new TextEncoder().encode(csv);
    test.each<[string, (products: Stockbook['products']) => Promise<unknown>]>([
      [
        'an array',
        (products) =>
          products.import([
            { id: 1, name: 'One' },
            { id: 2, name: 'Two' },
          ]),
      ],
      ['an iterable', (products) => products.import(new Set(rowsUpTo(2)))],
      ['an async iterable', (products) => products.import(each(rowsUpTo(2)))],
      ['a stream of rows', (products) => products.import(ReadableStream.from<Row>(rowsUpTo(2)))],
      ['a function', (products) => products.import(() => each(rowsUpTo(2)))],
      ['text', (products) => products.import(csv, { format: 'csv' })],
      ['text without a format', (products) => products.import(csv)],
      ['a file with a name that says nothing', (products) => products.import(new File([csv], 'rows.txt'))],
      ['bytes', (products) => products.import(bytes, { format: 'csv' })],
      ['a buffer', (products) => products.import(bytes.buffer, { format: 'csv' })],
      ['a blob', (products) => products.import(new Blob([csv], { type: 'text/csv' }))],
      ['a file', (products) => products.import(new File([csv], 'rows.CSV'))],
      ['a compressed file', (products) => products.import(new File([gzipSync(csv)], 'rows.csv.gz'))],
      ['a stream of bytes', (products) => products.import(new Blob([csv]).stream(), { format: 'csv' })],
      ['parts of text', (products) => products.import(each([...csv]), { format: 'csv' })],
      ['NDJSON', (products) => products.import('{"id":1,"name":"One"}\n{"id":2,"name":"Two"}', { format: 'ndjson' })],
      ['JSON', (products) => products.import('[{"id":1,"name":"One"},{"id":2,"name":"Two"}]', { format: 'json' })],
      ['with compression', (products) => products.import(rowsUpTo(2), { gzip: true })],
    ])('%s is imported', async (_, call) => {
      const { products, total } = await accountWith(0);
      expect(await call(products)).toMatchObject(counts({ created: 2 }));
      expect(await total()).toBe(2);
    });

    test('nothing changes nothing', async () => {
      const { products } = await accountWith(1);
      expect(await products.import([])).toMatchObject(counts({}));
    });

    test.each<[string, (products: Stockbook['products']) => Promise<unknown>]>([
      ['bytes without a format', (products) => products.import(each([bytes]))],
      ['rows with a format', (products) => products.import(rowsUpTo(1), { format: 'csv' })],
      ['a number that is none', (products) => products.import([{ id: 1, name: 'A', list_price: Number.NaN }])],
      [
        'a position that is undefined',
        (products) => products.import([], Object({ source: 'a', position: 'b', expect: undefined })),
      ],
    ])('%s is refused', async (_, call) => {
      const { products, total } = await accountWith(0);
      await expect(call(products)).rejects.toThrow(TypeError);
      expect(await total()).toBe(0);
    });
  });

  describe('many rows', () => {
    const rows = rowsUpTo(MANY);
    const csv = `id,name\n${rows.map(({ id, name }) => `${id},${name}\n`).join('')}`;
    const path = () => join(folder.path, `${engine.name}.csv`);
    beforeAll(() => writeFileSync(path(), csv));

    test.each<[string, (products: Stockbook['products']) => Promise<unknown>]>([
      ['an array', (products) => products.import(rows)],
      ['an async iterable', (products) => products.import(each(rows))],
      ['a file', async (products) => products.import(await openAsBlob(path()), { format: 'csv' })],
      ['a stream of Node', (products) => products.import(createReadStream(path()), { format: 'csv' })],
      ['compressed rows', (products) => products.import(each(rows), { gzip: true })],
    ])('of %s arrive', async (_, call) => {
      const { products, total, imports } = await accountWith(0);
      expect(await call(products)).toMatchObject(counts({ created: MANY }));
      expect(await total()).toBe(MANY);
      expect(await imports.list()).toMatchObject([{ state: 'done', rows: MANY, result: { created: MANY } }]);
    });

    test('are read while they are sent, and reported', async () => {
      const { products } = await accountWith(0);
      const seen: ImportProgress[] = [];
      await products.import(each(rows), { onProgress: (progress) => seen.push(progress) });
      expect(seen.length).toBeGreaterThan(4);
      expect(seen[0]?.rows).toBeLessThan(MANY / 2);
      expect(seen.at(-1)).toEqual({ bytes: expect.any(Number), totalBytes: undefined, rows: MANY });
      seen.length = 0;
      const lines = csv.match(/.*\n/g) ?? [];
      await products.import(new Blob(lines), { format: 'csv', onProgress: (progress) => seen.push(progress) });
      expect(seen[0]?.bytes).toBeLessThan(csv.length);
      expect(seen.at(-1)).toEqual({ bytes: csv.length, totalBytes: csv.length, rows: MANY });
    });

    test('that the caller cannot provide change nothing, and the error is that of the caller', async () => {
      const { products, total, imports } = await accountWith(0);
      const failing = async function* () {
        yield* rows;
        throw new StockbookError('connection_failed', { detail: 'The other service is gone.' });
      };
      await expect(products.import(failing())).rejects.toThrow('The other service is gone.');
      await expect(products.import(failing(), { gzip: true })).rejects.toThrow('The other service is gone.');
      expect(await total()).toBe(0);
      await expect
        .poll(async () => (await imports.list()).map(({ state }) => state))
        .toEqual(expect.not.arrayContaining(['running', 'done']));
    });

    test('are let go if the service does not want them', async () => {
      const { products, total } = await accountWith(0);
      let isClosed = false;
      const watched = async function* () {
        try {
          yield { id: 1, name: 'A' };
          for (;;) yield* rows;
        } finally {
          isClosed = true;
        }
      };
      const options: object = { key: 'active' };
      await expect(products.import(watched(), options)).rejects.toMatchObject({ code: 'invalid_import_option' });
      await expect.poll(() => isClosed).toBe(true);
      expect(await total()).toBe(0);
    });

    test.each<Fault>(['request lost', 'response lost', { cutAfter: 60 }])(
      'are sent again with the same key: %o',
      async (fault) => {
        const { through, total } = await accountWith(0);
        const { proxy, products } = await through([fault, fault]);
        const saved = { source: 'Odoo', position: '2', expect: null };
        expect(await products.import(rows, saved)).toMatchObject(counts({ created: MANY }));
        expect(await total()).toBe(MANY);
        const keys = proxy.requests.flatMap((part) => /^idempotency-key: (.*)$/im.exec(part)?.[1] ?? []);
        expect(keys.length).toBeGreaterThanOrEqual(3);
        expect(new Set(keys).size).toBe(1);
      },
    );

    test('of an iterator are sent again if not much of them was sent', async () => {
      const { through, total } = await accountWith(0);
      const { products } = await through(['request lost', 'request lost']);
      expect(await products.import(each(rows))).toMatchObject(counts({ created: MANY }));
      expect(await total()).toBe(MANY);
    });

    test('of an iterator are an error once they are gone, and never imported in part', async () => {
      const { through, total } = await accountWith(0);
      const long = rowsUpTo(4 * MANY);
      const { products } = await through(['response lost', 'response lost']);
      await expect(products.import(each(long))).rejects.toMatchObject({ code: 'connection_failed', isTemporary: true });
      await expect.poll(total).toBe(long.length);
      // A function has them again.
      const again = await through(['response lost']);
      expect(await again.products.import(() => each(long))).toMatchObject(counts({ unchanged: long.length }));
    });

    test('that were refused for now are sent again, from the first one', async () => {
      let attempts = 0;
      const { products, total } = await accountWith(0, {
        fetch: async (input, init) => {
          attempts += 1;
          const { body } = init ?? {};
          if (attempts > 2 || !(body instanceof ReadableStream)) return fetch(input, init);
          const reader = body.getReader();
          for (let part = 1; part <= attempts; part += 1) await reader.read();
          await reader.cancel();
          const headers = { 'content-type': 'application/problem+json', 'retry-after': '0' };
          return new Response('{"code":"too_many_imports"}', { status: 429, headers });
        },
      });
      expect(await products.import(each(rows))).toMatchObject(counts({ created: MANY }));
      expect(await total()).toBe(MANY);
    });

    test('that are too many are an error, while they are being sent', async () => {
      const key = await limited.issue(limited.acme, { scopes: ['read', 'edit'] });
      const { products } = new Stockbook({ url: `http://127.0.0.1:${limited.port}`, key });
      const endless = async function* () {
        for (;;) yield* rows;
      };
      await expect(products.import(endless())).rejects.toMatchObject({ code: 'body_too_large', status: 413 });
    });

    test('may take longer than the timeout if it is the caller who takes it', async () => {
      const clock = new TestClock({ isPassing: true });
      const { products } = await accountWith(0, { timeout: 1_000, retries: 0, clock });
      const slow = async function* () {
        yield* rows;
        await clock.advance(1_500);
      };
      expect(await products.import(slow)).toMatchObject({ skipped: 0, removed: 0 });
    });

    test('that nobody takes are a timeout', async () => {
      const clock = new TestClock();
      const { through } = await accountWith(0, { clock });
      const { proxy, products } = await through(['silence']);
      const importing = awaitedLater(products.import(rows, { timeout: 1_000, retries: 0 }));
      await expect.poll(() => proxy.requests.length).toBeGreaterThan(0);
      await clock.advance(1_000);
      await expect(importing).rejects.toMatchObject({ code: 'timeout' });
    });

    test('end with the signal', async () => {
      const { products, total } = await accountWith(0);
      const controller = new AbortController();
      const endless = async function* () {
        yield* rows;
        controller.abort(new Error('enough'));
        await new Promise(() => {});
      };
      await expect(products.import(endless(), { signal: controller.signal })).rejects.toThrow('enough');
      const silent = async function* (): AsyncGenerator<Row> {
        await new Promise(() => {});
      };
      const signal = AbortSignal.timeout(10);
      await expect(products.import(silent(), { signal })).rejects.toMatchObject({ name: 'TimeoutError' });
      expect(await total()).toBe(0);
    });
  });

  test('the options are those of the service', async () => {
    const { products, total } = await accountWith(20);
    const rows = [
      { code: 'A', price: 5, note: 'x' },
      { code: 'B', price: 6, note: 'y' },
    ];
    const map = { code: 'default_code', price: 'list_price', note: null } as const;
    const named = rows.map((row) => ({ ...row, name: row.code }));
    expect(await products.import(named, { key: 'default_code', map })).toMatchObject(counts({ created: 2 }));
    expect(await products.import(named, { key: 'default_code', map, dryRun: true })).toMatchObject(
      counts({ unchanged: 2 }),
    );
    const replacing = { key: 'default_code', map, replace: true } as const;
    await expect(products.import(named, replacing)).rejects.toMatchObject({ code: 'confirmation_required' });
    expect(await products.import(named, { ...replacing, dryRun: true })).toMatchObject({
      removed: 20,
      refusal: { code: 'confirmation_required' },
    });
    expect(await products.import(named, { ...replacing, confirm: true })).toEqual(
      counts({ unchanged: 2, removed: 20 }),
    );
    expect(await total()).toBe(2);
  });

  describe('rows that cannot be imported', () => {
    const wrong = (count: number) => [
      ...rowsUpTo(count),
      { id: count + 1, name: '  ', list_price: 1 },
      { id: 1, name: 'A' },
    ];

    test.each([1, MANY])('stop the import of %i others', async (count) => {
      const { products, total } = await accountWith(0);
      const refused = products.import(wrong(count));
      await expect(refused).rejects.toBeInstanceOf(StockbookError);
      await expect(refused).rejects.toMatchObject({
        code: 'rows_rejected',
        status: 422,
        errors: expect.arrayContaining([
          expect.objectContaining({ line: count + 1, column: 'name', reason: expect.stringContaining('blank') }),
        ]),
        errorCount: expect.any(Number),
      });
      expect(await total()).toBe(0);
    });

    test.each([1, MANY])(
      'are in the message, with the option of the client that helps, after %i others',
      async (count) => {
        const { products } = await accountWith(0);
        await expect(products.import(wrong(count))).rejects.toThrow(
          `Line ${count + 1}, column name: must not be blank. Fix the rows in errors, which has the first 20, or skip them with onError: 'skip'.`,
        );
      },
    );

    test.each([1, MANY])('are skipped, with the same errors for %i others', async (count) => {
      const { products, imports, total } = await accountWith(0);
      const result = await products.import(wrong(count), { onError: 'skip' });
      expect(result).toMatchObject(counts({ created: count, skipped: 2, errors: expect.any(Array) }));
      const errors = [
        expect.objectContaining({ line: count + 1, column: 'name', reason: expect.stringContaining('blank') }),
        { line: count + 2, column: 'id', reason: 'duplicate 1, first in line 1' },
      ];
      if (count === 1) expect(result.errors).toEqual(errors);
      await expect.poll(() => imports.list()).toMatchObject([{ state: 'done', result: { skipped: 2, errors } }]);
      expect(await total()).toBe(count);
    });
  });

  describe('messages name options of the client', () => {
    test.each<[string, string, ImportOptions<Product, string> & { readonly wait?: true }, RegExp]>([
      [
        'an unknown column',
        'id,Farbe\n1,red\n',
        {},
        /rename it with map: \{ 'Farbe': 'FIELD' \}, .*ignoreUnknown: true/,
      ],
      [
        'a date with two meanings',
        'id,name,create_date\n1,A,01/02/2026\n',
        {},
        /Add dates: 'DD\/MM\/YYYY' \(.*dates: 'MM/,
      ],
      [
        'a wrong option',
        'id,name\n1,A\n',
        { emptyText: Object('zero') },
        /^emptyText must be null or keep, not 'zero'\./,
      ],
      [
        'options that exclude each other',
        'id\n1\n',
        { replace: true, onError: 'skip' },
        /^With replace: true, .* Leave onError out/,
      ],
      ['too many removals', 'id,name\n1,A\n', { replace: true }, /Add confirm: true if they are to be removed\.$/],
    ])('of %s', async (_, file, options, message) => {
      const { products } = await accountWith(20);
      await expect(products.import(file, options)).rejects.toThrow(message);
    });
  });

  test('positions are saved with the rows', async () => {
    const { products, sources, total } = await accountWith(0);
    expect(await sources.get('Odoo/1')).toBeUndefined();
    await products.import(rowsUpTo(1), { source: 'Odoo/1', position: 'a b', expect: null });
    const saved = {
      name: 'Odoo/1',
      resource: 'product',
      position: 'a b',
      savedAt: expect.any(String),
      checkedAt: null,
      lag: null,
      failure: null,
    };
    expect(await sources.get('Odoo/1')).toEqual(saved);
    expect(await sources.list()).toEqual([saved]);
    const moved = { code: 'position_changed', status: 409, currentPosition: 'a b' };
    for (const expected of [null, 'a'])
      await expect(
        products.import(rowsUpTo(2), { source: 'Odoo/1', position: 'c', expect: expected }),
      ).rejects.toMatchObject(moved);
    await expect(products.import(rowsUpTo(2), { source: 'CSV', position: 'c', expect: 'a' })).rejects.toMatchObject({
      ...moved,
      currentPosition: null,
    });
    await products.import(rowsUpTo(2), { source: 'Odoo/1', position: 'c', expect: 'a b' });
    expect([await total(), (await sources.get('Odoo/1'))?.position]).toEqual([2, 'c']);
    await sources.remove('Odoo/1');
    expect(await sources.list()).toEqual([]);
    await expect(sources.remove('Odoo/1')).rejects.toMatchObject({ code: 'source_not_found' });
    await products.import(rowsUpTo(2), { source: 'Odoo/1', position: 'd', expect: null });
  });

  describe('without waiting', () => {
    test('the import goes on, and its result can be awaited', async () => {
      const { products, imports } = await accountWith(0);
      const started = await products.import(rowsUpTo(MANY), { wait: false });
      const rows: number[] = [];
      expect(await started.done({ onProgress: (count) => rows.push(count) })).toMatchObject(counts({ created: MANY }));
      expect(rows.at(-1)).toBe(MANY);
      const { id = '' } = started;
      expect(await imports.get(id)).toMatchObject({ id, resource: 'product', state: 'done', rows: MANY, source: null });
      expect(await imports.done(id)).toMatchObject(counts({ created: MANY }));
      await expect(started.cancel()).rejects.toMatchObject({ code: 'import_ended' });
      expect(await imports.get('nothing')).toBeUndefined();
    });

    test('awaiting it rejects with the reason of the failure', async () => {
      const { products, imports } = await accountWith(0);
      const started = await products
        .import([...rowsUpTo(1), ...rowsUpTo(1)], { wait: false })
        .catch((error: unknown) => error);
      // Depends on what the service is faster with.
      const error =
        started instanceof StockbookError
          ? started
          : await Object(started)
              .done()
              .catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'rows_rejected', status: 422, errorCount: 1, errors: [{ line: 2 }] });
      expect(await imports.list()).toMatchObject([{ state: 'failed', problem: { code: 'rows_rejected' } }]);
    });

    test('what is repeated has its result already', async () => {
      const { products } = await accountWith(0);
      const options = { wait: false, idempotencyKey: 'rows' } as const;
      const first = await (await products.import(rowsUpTo(2), options)).done();
      const again = await products.import(rowsUpTo(2), options);
      expect([again.id, await again.done()]).toEqual([undefined, first]);
      await expect(again.cancel()).rejects.toMatchObject({ code: 'import_ended' });
      const dry = await products.import(rowsUpTo(3), { wait: false, dryRun: true });
      expect(await dry.done()).toMatchObject(counts({ created: 1, unchanged: 2 }));
    });

    test('it can be cancelled while it runs', async () => {
      const { products, imports, total } = await accountWith(0);
      const gate = Promise.withResolvers<void>();
      const slow = async function* () {
        yield* rowsUpTo(MANY);
        await gate.promise;
      };
      const importing = awaitedLater(products.import(slow()));
      const ids = async () => (await imports.list()).filter(({ state }) => state === 'running').map(({ id }) => id);
      await expect.poll(ids).toHaveLength(1);
      const [id = ''] = await ids();
      await imports.cancel(id);
      gate.resolve();
      await expect(importing).rejects.toMatchObject({ code: 'import_cancelled', status: 409 });
      await expect(imports.done(id)).rejects.toMatchObject({ code: 'import_cancelled' });
      await expect(imports.cancel(id)).rejects.toMatchObject({ code: 'import_ended' });
      expect(await total()).toBe(0);
    });
  });

  test('a caller who waits for a large import and gives up cancels it', async () => {
    const controller = new AbortController();
    const cancelled: unknown[] = [];
    const { products, imports } = await accountWith(0, {
      fetch: (input, init) => {
        if (!String(input).includes('/imports/')) return fetch(input, init);
        if (init?.method === 'DELETE') cancelled.push(input);
        else controller.abort(new Error('enough'));
        return fetch(input, init);
      },
    });
    await expect(products.import(rowsUpTo(MANY), { signal: controller.signal })).rejects.toThrow('enough');
    await expect.poll(() => cancelled.length).toBe(1);
    await expect.poll(async () => (await imports.list()).map(({ state }) => state)).not.toContain('running');
  });
});
