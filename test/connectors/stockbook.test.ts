/** `stockbook mirror stockbook`: an account that is kept equal to one of another service. */

import { describe, expect, onTestFinished, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { OtherMirror } from '../../src/connectors/mirror/account.ts';
import {
  mirrorForever,
  StockbookMirror,
  type StockbookMirrorOptions,
} from '../../src/connectors/stockbook/mirror-stockbook.ts';
import { systemClock } from '../../src/schedule/clock.ts';
import { aboveStore } from '../support/above-store.ts';
import { addAccount, load } from '../support/fixture.ts';
import { type Fault, startProxy, startTruncatingProxy } from '../support/proxy.ts';
import { bearer, startService } from '../support/service.ts';
import { TestClock } from '../support/test-clock.ts';

describe.each(aboveStore)('on $name', (engine) => {
  test('all records are copied, then what changes, and the digest proves it', async () => {
    const service = await startService(engine);
    onTestFinished(() => service.close());
    const [office, copy] = [await addAccount(service.store, 'office'), await addAccount(service.store, 'copy')];
    await load(
      service.store,
      office,
      product,
      Array.from({ length: 30 }, (_, n) => ({ id: n + 1, name: `P${n}`, list_price: n / 8 })),
    );
    await load(service.store, office, partner, [{ id: 1, name: 'Acme', email: 'a@example.com' }]);
    const url = `http://127.0.0.1:${service.port}`;
    const options: StockbookMirrorOptions = {
      from: { url, key: await service.issue(office, { scopes: ['read'] }) },
      to: { url, key: await service.issue(copy, { scopes: ['read', 'edit'] }) },
      resources: ['product', 'partner', 'company'],
      source: 'office',
      confirmRemovals: false,
      log: { event: () => {}, warning: () => {} },
      onProgress: () => {},
      signal: new AbortController().signal,
      clock: systemClock,
    };
    const mirrors = await StockbookMirror.open(options);
    const others = await StockbookMirror.open(options);
    for (const mirror of mirrors) {
      expect(await mirror.bringUpToDate()).toBe(true);
    }
    // Two that read the same do no harm.
    expect(await others[0]?.bringUpToDate()).toBe(true);
    await load(service.store, office, product, [{ id: 1, name: 'Changed' }]);
    const [first, second] = [await StockbookMirror.open(options), await StockbookMirror.open(options)];
    await first[0]?.bringUpToDate();
    await load(service.store, office, product, [{ id: 1, name: 'Changed again' }]);
    await expect(second[0]?.bringUpToDate()).rejects.toThrow(OtherMirror);
    await load(service.store, office, product, [{ id: 1, name: 'Renamed' }]);
    await load(service.store, office, partner, [{ id: 1, name: 'Renamed' }]);
    const editing = bearer(await service.issue(office, { scopes: ['edit'] }));
    await service.send({ method: 'DELETE', path: '/api/v1/inventory/product/2', headers: editing });
    // Whatever somebody does to the copy is undone.
    await load(service.store, copy, partner, [{ id: 7, name: 'Mine' }]);
    for (const mirror of await StockbookMirror.open(options)) expect(await mirror.bringUpToDate()).toBe(true);
    const elsewhere = { ...options, from: { url, key: await service.issue(service.acme, { scopes: ['read'] }) } };
    for (const mirror of await StockbookMirror.open(elsewhere))
      await expect(mirror.bringUpToDate()).rejects.toThrow('has been read from another account');
    const mine = { ...options, source: 'other', confirmRemovals: true };
    await expect(StockbookMirror.open({ ...mine, confirmRemovals: false })).rejects.toThrow(
      'that no mirror has written',
    );
    for (const mirror of await StockbookMirror.open(mine)) expect(await mirror.bringUpToDate()).toBe(true);
  });

  test('fields that only one of the two has are left out, and named', async () => {
    const service = await startService(engine);
    onTestFinished(() => service.close());
    const other = await startService(engine);
    onTestFinished(() => other.close());
    const office = await addAccount(service.store, 'office');
    await load(service.store, office, product, [{ id: 1, name: 'Chair' }]);
    const { fields } = service.store;
    const catalog = await fields.catalog();
    const resource = catalog.find('product');
    if (resource === undefined) throw new Error('there are no products');
    const own = { name: 'x_brand', label: 'Brand', type: 'text', meaning: 'who makes it', initial: null } as const;
    await fields.add(catalog, resource, own);
    const copy = await addAccount(other.store, 'copy');
    const warnings: string[] = [];
    const done: number[] = [];
    const mirrors = await StockbookMirror.open({
      from: { url: `http://127.0.0.1:${service.port}`, key: await service.issue(office, { scopes: ['read'] }) },
      to: { url: `http://127.0.0.1:${other.port}`, key: await other.issue(copy, { scopes: ['read', 'edit'] }) },
      resources: ['product', 'partner'],
      source: 'office',
      confirmRemovals: false,
      log: { event: () => {}, warning: (text) => warnings.push(text) },
      onProgress: (_, { total }) => done.push(total),
      signal: new AbortController().signal,
      clock: systemClock,
    });
    for (const mirror of mirrors) expect(await mirror.bringUpToDate()).toBe(true);
    expect(mirrors.map(({ leftOut }) => leftOut)).toEqual([['x_brand'], []]);
    expect(warnings).toEqual([expect.stringMatching(/^product: only one of the accounts has x_brand, /)]);
    expect(done).toEqual([1]);
  });

  test('an error names the side that it is from, also in the middle of a copy', async () => {
    const service = await startService(engine);
    onTestFinished(() => service.close());
    const [office, copy] = [await addAccount(service.store, 'office'), await addAccount(service.store, 'copy')];
    const rows = Array.from({ length: 30 }, (_, n) => ({ id: n + 1, name: `P${n}` }));
    await load(service.store, office, product, rows);
    const proxy = await startTruncatingProxy(service.port, 10);
    onTestFinished(() => proxy.close());
    const [mirror] = await StockbookMirror.open({
      from: { url: proxy.url, key: await service.issue(office, { scopes: ['read'] }), retries: 0 },
      to: {
        url: `http://127.0.0.1:${service.port}`,
        key: await service.issue(copy, { scopes: ['read', 'edit'] }),
        retries: 0,
      },
      resources: ['product'],
      source: 'office',
      confirmRemovals: false,
      log: { event: () => {}, warning: () => {} },
      onProgress: () => {},
      signal: new AbortController().signal,
      clock: systemClock,
    });
    await expect(mirror?.bringUpToDate()).rejects.toThrow(
      `Stockbook at ${proxy.url}: The stream ended after 10 records.`,
    );
  });

  test('changes follow as long as it runs, and what it fails with is reported', async () => {
    const service = await startService(engine);
    onTestFinished(() => service.close());
    const [office, copy] = [await addAccount(service.store, 'office'), await addAccount(service.store, 'copy')];
    const faults: Fault[] = [];
    const proxy = await startProxy(service.port, faults);
    onTestFinished(() => proxy.close());
    const url = `http://127.0.0.1:${service.port}`;
    const running = new AbortController();
    const mirroring = mirrorForever({
      from: { url: proxy.url, key: await service.issue(office, { scopes: ['read'] }), retries: 0 },
      to: { url, key: await service.issue(copy, { scopes: ['read', 'edit'] }) },
      resources: ['product'],
      source: 'office',
      confirmRemovals: false,
      log: { event: () => {}, warning: () => {} },
      onProgress: () => {},
      signal: running.signal,
      clock: new TestClock({ isPassing: true }),
    });
    const source = async () => Object(await service.store.imports.source({ account: copy.id }, 'office/product'));
    const reading = bearer(await service.issue(copy, { scopes: ['read'] }));
    const names = async () => {
      const { json } = await service.send({ path: '/api/v1/inventory/product?fields=name', headers: reading });
      return Object(json).data.map((record: { readonly name: string }) => record.name);
    };
    await load(service.store, office, product, [{ id: 1, name: 'Chair' }]);
    await expect.poll(names).toEqual(['Chair']);
    await expect.poll(async () => (await source()).checkedAt).toEqual(expect.any(String));
    faults.push(...Array<Fault>(1_000).fill('request lost'));
    proxy.disconnect();
    await expect.poll(async () => (await source()).failure?.error).toMatch(/^Stockbook cannot be reached at /);
    await load(service.store, office, product, [{ id: 1, name: 'Oak chair' }]);
    faults.length = 0;
    await expect.poll(names).toEqual(['Oak chair']);
    await expect.poll(async () => (await source()).failure).toBe(null);
    running.abort();
    await mirroring;
  });
});
