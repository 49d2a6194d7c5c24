/** Changing and removing single records. */

import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { Stockbook, StockbookError } from '../../src/client/index.ts';
import { aboveStore } from '../support/above-store.ts';
import { addAccount, load } from '../support/fixture.ts';
import { type Fault, type FaultyProxy, startProxy } from '../support/proxy.ts';
import { sharedService } from '../support/shared.ts';

describe.each(aboveStore)('on $name', (engine) => {
  const service = sharedService(engine);
  let key: string;
  let products: Stockbook['products'];
  let ids = 0;
  beforeAll(async () => {
    const account = await addAccount(service.store, 'edited');
    key = await service.issue(account, { scopes: ['read', 'edit'] });
    const rows = Array.from({ length: 40 }, (_, n) => ({ id: n + 1, name: `Chair ${n + 1}`, default_code: 'C' }));
    await load(service.store, account, product, rows);
    products = new Stockbook({ url: `http://127.0.0.1:${service.port}`, key }).products;
  });
  /** One that no other test has. */
  const newId = () => {
    ids += 1;
    return ids;
  };

  const proxies: FaultyProxy[] = [];
  afterEach(async () => {
    for (const proxy of proxies.splice(0)) await proxy.close();
  });
  const through = async (faults: readonly Fault[]) => {
    const proxy = await startProxy(service.port, faults);
    proxies.push(proxy);
    return { proxy, ...new Stockbook({ url: proxy.url, key }) };
  };

  test('an update sets what the patch has, and returns the record with its tag', async () => {
    const id = newId();
    const before = await products.getTagged(id);
    const { data, etag } = await products.update(id, { list_price: 9.5, default_code: null, name: undefined });
    expect(data).toEqual({
      ...before?.data,
      list_price: 9.5,
      default_code: null,
      write_date: expect.not.stringMatching(before?.data.write_date ?? ''),
    });
    expect(etag).not.toBe(before?.etag);
    expect(await products.getTagged(id)).toEqual({ data, etag });
    expect(await products.get(id)).toEqual(data);
  });

  test('an update that changes nothing leaves the tag as it was', async () => {
    const id = newId();
    const before = await products.getTagged(id);
    expect(await products.update(id, { name: `Chair ${id}` })).toEqual(before);
  });

  test('a tag does not depend on the fields', async () => {
    const id = newId();
    const read = await products.getTagged(id, { fields: ['name'] });
    expect(read?.data).toEqual({ name: `Chair ${id}` });
    const { data } = await products.update(id, { active: false }, { ifMatch: read?.etag });
    expect(data.active).toBe(false);
    expect(await products.getTagged(999)).toBeUndefined();
  });

  test('a tag that a proxy has made weak can be used', async () => {
    const id = newId();
    const compressed = new Stockbook({
      url: `http://127.0.0.1:${service.port}`,
      key,
      fetch: async (...request) => {
        const response = await fetch(...request);
        const etag = response.headers.get('etag');
        const headers = new Headers(response.headers);
        headers.delete('content-encoding');
        if (etag !== null) headers.set('etag', `W/${etag}`);
        return new Response(await response.arrayBuffer(), { status: response.status, headers });
      },
    });
    const read = await compressed.products.getTagged(id);
    await compressed.products.update(id, { list_price: 1 }, { ifMatch: read?.etag });
    expect((await products.get(id))?.list_price).toBe(1);
  });

  test('if somebody else has changed the record, the error has the current tag', async () => {
    const id = newId();
    const read = await products.getTagged(id);
    const { etag } = await products.update(id, { list_price: 1 });
    const changed = { code: 'record_changed', status: 412, etag };
    const refused = products.update(id, { list_price: 2 }, { ifMatch: read?.etag });
    await expect(refused).rejects.toBeInstanceOf(StockbookError);
    await expect(refused).rejects.toMatchObject(changed);
    await expect(products.remove(id, { ifMatch: read?.etag })).rejects.toMatchObject(changed);
    expect((await products.get(id))?.list_price).toBe(1);
    await products.remove(id, { ifMatch: etag });
    expect(await products.get(id)).toBeUndefined();
  });

  test('a removed record is gone, and is in the change feed', async () => {
    const id = newId();
    const { cursor } = await products.digest();
    await products.remove(id);
    expect(await products.get(id)).toBeUndefined();
    expect((await products.changes({ since: cursor }).next()).value).toMatchObject({ removed: [id] });
    await expect(products.remove(id)).rejects.toMatchObject({ code: 'record_not_found' });
    await expect(products.update(id, { name: 'A' })).rejects.toMatchObject({ code: 'record_not_found' });
    await expect(products.update(id, { name: 'A' }, { ifMatch: '*' })).rejects.toMatchObject({ status: 404 });
  });

  test('a tag or a number that is missing never becomes another write', async () => {
    const id = newId();
    await expect(products.update(id, { name: 'A' }, { ifMatch: undefined })).rejects.toThrow('ifMatch is undefined');
    await expect(products.remove(id, { ifMatch: undefined })).rejects.toThrow('ifMatch is undefined');
    await expect(products.update(id, { categ_id: Number.NaN })).rejects.toThrow('categ_id cannot be NaN');
    expect((await products.get(id))?.name).toBe(`Chair ${id}`);
  });

  test('a value that a field cannot have is an error that names it', async () => {
    const patch: object = { name: null };
    await expect(products.update(newId(), patch)).rejects.toMatchObject({ code: 'invalid_body', parameter: 'name' });
  });

  test.each<Fault>(['request lost', 'response lost', { cutAfter: 60 }])(
    'what is repeated with the same key is made once: %o',
    async (fault) => {
      const id = newId();
      const read = await products.getTagged(id);
      const { proxy, ...client } = await through([fault, fault, 'none', fault, fault]);
      // Its tag was the current one when it was sent first.
      const { data, etag } = await client.products.update(id, { list_price: 3 }, { ifMatch: read?.etag });
      expect(data.list_price).toBe(3);
      expect(await products.getTagged(id)).toEqual({ data, etag });
      proxy.disconnect();
      await client.products.remove(id, { ifMatch: etag });
      expect(await products.get(id)).toBeUndefined();
      const keys = proxy.requests.flatMap((head) => /^idempotency-key: (.*)$/im.exec(head)?.[1] ?? []);
      expect([keys.length, new Set(keys).size]).toEqual([6, 2]);
    },
  );

  test('a call with a key of the caller can be repeated, too', async () => {
    const id = newId();
    await products.remove(id, { idempotencyKey: `remove ${engine.name}` });
    await products.remove(id, { idempotencyKey: `remove ${engine.name}` });
    await expect(products.remove(id, { idempotencyKey: `once more ${engine.name}` })).rejects.toMatchObject({
      status: 404,
    });
  });
});
