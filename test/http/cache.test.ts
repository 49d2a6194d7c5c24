/** Answers that are given again, and how they say so. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { company } from '../../src/catalog/company.ts';
import { product } from '../../src/catalog/product.ts';
import type { Store } from '../../src/store/store.ts';
import { engines, openDatabase } from '../support/engines.ts';
import { load } from '../support/fixture.ts';
import { COMPANIES, PARTNERS, PRODUCTS } from '../support/rows.ts';
import { startService, type TestService } from '../support/service.ts';

const HIT = 'stockbook; hit';
const MISS = 'stockbook; fwd=miss';

describe.each(engines)('on $name', (engine) => {
  let service: TestService;
  let elsewhere: Store;
  beforeAll(async () => {
    service = await startService(engine);
    // What another process does to the same database.
    elsewhere = await openDatabase(service.database.url);
  });
  afterAll(async () => {
    await elsewhere.close();
    await service.close();
  });

  const ask = async (path: string, headers: Readonly<Record<string, string | undefined>> = {}) => {
    const reply = await service.send({ path, headers });
    return { ...reply, cache: reply.headers['cache-status'], timing: reply.headers['server-timing'] };
  };

  const totalOf = async (path: string) => Object((await ask(path)).json).meta.total;

  test.each([`${PRODUCTS}?filter=active=true&limit=3`, `${PRODUCTS}/1?fields=id,name`])(
    '%s is kept once it is asked a second time, and given again',
    async (path) => {
      const first = await ask(path);
      for (const made of [first, await ask(path)])
        expect(made).toMatchObject({
          status: 200,
          cache: MISS,
          timing: expect.stringMatching(/^access;dur=[\d.]+, plan;dur=[\d.]+, store;dur=/),
        });
      const again = await ask(path);
      expect(again).toMatchObject({
        status: 200,
        cache: HIT,
        timing: expect.stringMatching(/^access;dur=[\d.]+, total;desc="kept"$/),
      });
      expect(again.text).toBe(first.text);
      expect(again.headers['etag']).toBe(first.headers['etag']);
    },
  );

  test('a total says where it came from', async () => {
    const source = async (query: string) => /total;desc="(\w+)"/.exec((await ask(PRODUCTS + query)).timing ?? '')?.[1];
    expect(await source('?limit=7')).toBe('ledger');
    expect(await source('?filter=list_price>0.5&limit=2')).toBe('counted');
    expect(await source('?filter=list_price>0.5&limit=2&page=2')).toBe('known');
    expect(await source('?filter=list_price>0.5&limit=2&page=2')).toBe('known');
    expect(await source('?filter=list_price>0.5&limit=2&page=2')).toBe('kept');
  });

  test('an answer that says no tells its time as well', async () => {
    for (const [path, headers] of [
      [PRODUCTS, { authorization: undefined }],
      [`${PRODUCTS}?page=0`, {}],
      [`${PRODUCTS}/999999`, {}],
      ['/api/v1/nothing', {}],
    ] as const)
      expect((await ask(path, headers)).timing).toMatch(/^access;dur=[\d.]+/);
  });

  test('a 304 needs nothing but the revision', async () => {
    const { headers } = await ask(`${PRODUCTS}?limit=4`);
    expect(await ask(`${PRODUCTS}?limit=4`, { 'if-none-match': headers['etag'] })).toMatchObject({
      status: 304,
      cache: HIT,
    });
    expect(await ask(`${PRODUCTS}?limit=5`, { 'if-none-match': headers['etag'] })).toMatchObject({
      status: 304,
      cache: HIT,
    });
  });

  test('what was kept ends with the next write, in this process or in another', async () => {
    const names = async () => {
      const { json, cache } = await ask(`${COMPANIES}?fields=name&limit=1000`);
      return { cache, names: Object(json).data.map(({ name }: { name: string }) => name) };
    };
    const before = await names();
    await names();
    expect(await names()).toEqual({ ...before, cache: HIT });
    for (const store of [service.store, elsewhere]) {
      const name = store === elsewhere ? 'From elsewhere' : 'From here';
      await load(store, service.acme, company, [{ name, branch_user: '1' }]);
      const after = await names();
      expect(after).toEqual({ cache: MISS, names: [...(after.names.slice(0, -1) as string[]), name] });
      expect(await names()).toEqual({ ...after, cache: HIT });
    }
  });

  test('a write to one resource leaves what is kept of the others', async () => {
    for (let n = 0; n < 2; n += 1) await ask(`${PRODUCTS}?limit=6`);
    await service.send({
      method: 'POST',
      path: PARTNERS,
      headers: { 'content-type': 'application/json' },
      body: '{"name":"New"}',
    });
    expect((await ask(`${PRODUCTS}?limit=6`)).cache).toBe(HIT);
  });

  test('nothing that is kept is given to another account, to another key or without one', async () => {
    const path = `${PRODUCTS}?limit=8`;
    for (let n = 0; n < 2; n += 1) await ask(path);
    const globex = await service.issue(service.globex);
    const theirs = await ask(path, { authorization: `Bearer ${globex}` });
    expect(theirs).toMatchObject({ status: 200, cache: MISS });
    expect(theirs.text).not.toBe((await ask(path)).text);
    expect((await ask(path, { authorization: undefined })).status).toBe(401);
    const writer = await service.issue(service.acme, { scopes: ['write'] });
    expect((await ask(path, { authorization: `Bearer ${writer}` })).status).toBe(403);
  });

  test('a key that was revoked, here or elsewhere, is refused with the next request', async () => {
    for (const store of [service.store, elsewhere]) {
      const key = await service.issue(service.acme);
      const headers = { authorization: `Bearer ${key}` };
      expect((await ask(PRODUCTS, headers)).status).toBe(200);
      expect((await ask(PRODUCTS, headers)).status).toBe(200);
      await store.keys.revoke(key.split('_')[1] ?? '', '2026-01-01T00:00:00.000Z');
      expect((await ask(PRODUCTS, headers)).status).toBe(401);
      expect((await ask(`${PRODUCTS}?page=0`, headers)).status).toBe(401);
    }
  });

  test('so it is where one statement would do the work, whatever it is asked for, and nothing is written', async () => {
    const create = (headers: Readonly<Record<string, string>>, body: string) =>
      service.send({
        method: 'POST',
        path: PARTNERS,
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
    const wanted = `${PARTNERS}?filter=name=AtOnce`;
    for (const [n, store] of [service.store, elsewhere].entries()) {
      const key = await service.issue(service.acme);
      const headers = { authorization: `Bearer ${key}` };
      expect((await ask(`${PRODUCTS}/2?fields=name&fields=id`, headers)).status).toBe(400);
      expect((await ask(`${PRODUCTS}/${2 + n}?fields=active,id`, headers)).status).toBe(200);
      expect((await ask(`${PRODUCTS}/999999`, headers)).json).toMatchObject({ code: 'record_not_found' });
      expect((await create(headers, '{"name":"AtOnce"}')).status).toBe(201);
      expect((await create(headers, '{"nam":"AtOnce"}')).status).toBe(400);
      const before = await totalOf(wanted);
      await store.keys.revoke(key.split('_')[1] ?? '', '2026-01-01T00:00:00.000Z');
      for (const refused of [
        await ask(`${PRODUCTS}/${4 + n}?fields=active,id`, headers),
        await ask(`${PRODUCTS}/999998`, headers),
        await ask(`${PRODUCTS}/5?fields=nothing`, headers),
        await create(headers, '{"name":"AtOnce"}'),
        await create(headers, '{"nam":"AtOnce"}'),
        await create(headers, '{'),
      ])
        expect(refused.json).toMatchObject({ status: 401, detail: expect.stringContaining('revoked') });
      expect(await totalOf(wanted)).toBe(before);
    }
  });

  test('a key that another one of the account joins goes on working at once', async () => {
    const headers = {
      authorization: `Bearer ${await service.issue(service.acme)}`,
      'content-type': 'application/json',
    };
    for (let n = 1; n < 4; n += 1) {
      expect((await ask(`${PRODUCTS}/${n}?fields=id,list_price`, headers)).status).toBe(200);
      const made = await service.send({ method: 'POST', path: PARTNERS, headers, body: '{"name":"Joined"}' });
      expect(made.status).toBe(201);
      await service.issue(service.acme);
    }
    expect(await totalOf(`${PARTNERS}?filter=name=Joined`)).toBe(3);
  });

  test('a record is of the moment it is asked for, whatever was asked before', async () => {
    const field = `${PRODUCTS}/1?fields=list_price`;
    await ask(field);
    await load(elsewhere, service.acme, product, [{ id: 1, name: 'Now', list_price: 7.25 }]);
    expect((await ask(field)).json).toEqual({ data: { list_price: 7.25 } });
    expect((await ask(`${PRODUCTS}/1?fields=list_price,name`)).json).toEqual({
      data: { list_price: 7.25, name: 'Now' },
    });
  });

  test('a key that expires is refused from then on, though it was let in before', async () => {
    const key = await service.issue(service.acme, { expiresAt: new Date(Date.now() + 400).toISOString() });
    const headers = { authorization: `Bearer ${key}` };
    expect((await ask(PRODUCTS, headers)).status).toBe(200);
    await expect.poll(async () => (await ask(PRODUCTS, headers)).status).toBe(401);
  });
});
