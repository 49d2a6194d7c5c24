/** Cached responses: when a response comes from the cache, what it says about that, and what outdates it. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rotateKey } from '../../src/access/issue-key.ts';
import { company } from '../../src/catalog/company.ts';
import { product } from '../../src/catalog/product.ts';
import { timestamp } from '../../src/schedule/clock.ts';
import type { Store } from '../../src/store/store.ts';
import { aboveStore } from '../support/above-store.ts';
import { openDatabase } from '../support/engines.ts';
import { load } from '../support/fixture.ts';
import { bodyOf, COMPANIES, createPartner, PARTNERS, PRODUCTS, postPartner } from '../support/rows.ts';
import { bearer, keyId, type TestRequest } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';
import { TestClock } from '../support/test-clock.ts';

const HIT = 'stockbook; hit';
const MISS = 'stockbook; fwd=miss';

describe.each(aboveStore)('on $name', (engine) => {
  /** Another process with the same database. */
  let elsewhere: Store;
  const clock = new TestClock();
  const service = sharedService(engine, { settings: { 'server-timing': 'true' }, clock });
  beforeAll(async () => {
    elsewhere = await openDatabase(service.database.url);
  });
  afterAll(() => elsewhere.close());

  const get = async (path: string, headers: TestRequest['headers'] = {}) => {
    const reply = await service.send({ path, headers });
    return { ...reply, cache: reply.headers['cache-status'], timing: reply.headers['server-timing'] };
  };

  const totalOf = async (path: string) => bodyOf(await get(path)).meta.total;

  test.each([`${PRODUCTS}?filter=active=true&limit=3`, `${PRODUCTS}/1?fields=id,name`])(
    '%s is cached when it is requested a second time',
    async (path) => {
      const first = await get(path);
      for (const computed of [first, await get(path)])
        expect(computed).toMatchObject({
          status: 200,
          cache: expect.stringMatching(/^stockbook; fwd=miss(; detail=(counted|cached))?$/),
          timing: expect.stringMatching(/^access;dur=[\d.]+, plan;dur=[\d.]+, store;dur=/),
        });
      const cached = await get(path);
      expect(cached).toMatchObject({
        status: 200,
        cache: HIT,
        timing: expect.stringMatching(/^access;dur=[\d.]+, total;desc="response cache"$/),
      });
      expect(cached.text).toBe(first.text);
      expect(cached.headers['etag']).toBe(first.headers['etag']);
    },
  );

  test('Server-Timing says where the total came from', async () => {
    const source = async (query: string) =>
      /total;desc="([^"]+)"/.exec((await get(PRODUCTS + query)).timing ?? '')?.[1];
    expect(await source('?limit=7')).toBe('ledger');
    expect(await source('?filter=list_price>0.5&limit=2')).toBe('counted');
    expect(await source('?filter=list_price>0.5&limit=2&page=2')).toBe('cached');
    expect(await source('?filter=list_price>0.5&limit=2&page=2')).toBe('cached');
    expect(await source('?filter=list_price>0.5&limit=2&page=2')).toBe('response cache');
  });

  test('Cache-Status says where the total came from', async () => {
    const source = async (query: string, headers: TestRequest['headers'] = {}) =>
      (await get(PRODUCTS + query, headers)).cache;
    expect(await source('?limit=8')).toBe(`${MISS}; detail=ledger`);
    expect(await source('?filter=list_price>0.25&limit=2')).toBe(`${MISS}; detail=counted`);
    expect(await source('?filter=list_price>0.25&limit=2&page=2')).toBe(`${MISS}; detail=cached`);
    expect(await source('?filter=list_price>0.25&limit=2&page=2')).toBe(`${MISS}; detail=cached`);
    expect(await source('?filter=list_price>0.25&limit=2&page=2')).toBe(HIT);
    expect(await source('?filter=list_price>0.125', { accept: 'text/csv' })).toBe(`${MISS}; detail=counted`);
    expect(await source('/aggregate?filter=list_price>0.125')).toMatch(/; detail=(counted|cached)$/);
    expect(await source('/aggregate?filter=list_price>0.125')).toBe(HIT);
    expect(await source('/digest?fields=id')).toBe(`${MISS}; detail=ledger`);
    // A record has no total.
    expect(await source('/2?fields=id')).toBe(MISS);
  });

  test('errors have a Server-Timing header as well', async () => {
    for (const [path, headers] of [
      [PRODUCTS, { authorization: undefined }],
      [`${PRODUCTS}?page=0`, {}],
      [`${PRODUCTS}/999999`, {}],
      ['/api/v1/nothing', {}],
    ] as const)
      expect((await get(path, headers)).timing).toMatch(/^access;dur=[\d.]+/);
  });

  test('a 304 needs only the revision, so it is one for every page and every filter', async () => {
    const { headers } = await get(`${PRODUCTS}?limit=4`);
    for (const query of ['limit=4', 'limit=5', 'filter=name*chair'])
      expect(await get(`${PRODUCTS}?${query}`, { 'if-none-match': headers['etag'] })).toMatchObject({
        status: 304,
        cache: HIT,
      });
  });

  test('a write, in this process or another, outdates cached responses at once', async () => {
    const names = async () => {
      const { json, cache } = await get(`${COMPANIES}?fields=name&limit=1000`);
      return { cache, names: Object(json).data.map(({ name }: { name: string }) => name) };
    };
    const expected = (await names()).names;
    await names();
    expect(await names()).toEqual({ names: expected, cache: HIT });
    for (const store of [service.store, elsewhere]) {
      const name = store === elsewhere ? 'From elsewhere' : 'From here';
      await load(store, service.acme, company, [{ name, branch_user: '1' }]);
      expected.push(name);
      expect(await names()).toEqual({ names: expected, cache: `${MISS}; detail=ledger` });
      expect(await names()).toEqual({ names: expected, cache: HIT });
    }
  });

  test('a write to one resource leaves the cached responses of others', async () => {
    for (let n = 0; n < 2; n += 1) await get(`${PRODUCTS}?limit=6`);
    await service.send(createPartner('New'));
    expect((await get(`${PRODUCTS}?limit=6`)).cache).toBe(HIT);
  });

  test('a cached response is never sent to another account, without a key or without the scope', async () => {
    const path = `${PRODUCTS}?limit=8`;
    for (let n = 0; n < 2; n += 1) await get(path);
    const theirs = await get(path, bearer(await service.issue(service.globex)));
    expect(theirs).toMatchObject({ status: 200, cache: `${MISS}; detail=ledger` });
    const mine = await get(path);
    expect(mine.cache).toBe(HIT);
    expect(theirs.text).not.toBe(mine.text);
    expect(await get(path, { authorization: undefined })).toRespond(401);
    const writer = await service.issue(service.acme, { scopes: ['write'] });
    expect(await get(path, bearer(writer))).toRespond(403);
  });

  test('a record is read at its current version, whatever was requested before', async () => {
    const path = `${PRODUCTS}/1?fields=list_price`;
    for (let n = 0; n < 3; n += 1) await get(path);
    await load(elsewhere, service.acme, product, [{ id: 1, name: 'Renamed', list_price: 7.25 }]);
    expect((await get(path)).json).toEqual({ data: { list_price: 7.25 } });
    expect((await get(`${PRODUCTS}/1?fields=list_price,name`)).json).toEqual({
      data: { list_price: 7.25, name: 'Renamed' },
    });
  });

  describe('a cached session', () => {
    test('ends with the next request if the key was revoked, here or elsewhere', async () => {
      for (const store of [service.store, elsewhere]) {
        const key = await service.issue(service.acme);
        for (let n = 0; n < 2; n += 1) expect(await get(PRODUCTS, bearer(key))).toRespond(200);
        await store.keys.revoke(keyId(key), '2026-01-01T00:00:00.000Z');
        expect(await get(PRODUCTS, bearer(key))).toRespond(401);
        expect(await get(`${PRODUCTS}?page=0`, bearer(key))).toRespond(401);
      }
    });

    test.each([
      ['an hour ahead', 3_600_000],
      ['set back by an hour', -3_600_000],
    ])('ends with the next request if the clock of the machine that revoked the key is %s', async (_, difference) => {
      const key = await service.issue(service.acme);
      for (let n = 0; n < 2; n += 1) expect(await get(PRODUCTS, bearer(key))).toRespond(200);
      await elsewhere.keys.revoke(keyId(key), new Date(clock.wall() + difference).toISOString());
      for (let n = 0; n < 2; n += 1) expect(await get(PRODUCTS, bearer(key))).toRespond(401);
    });

    test('ends with the next request if the key is revoked and the clock is then set back', async () => {
      const key = await service.issue(service.acme);
      expect(await get(PRODUCTS, bearer(key))).toRespond(200);
      await elsewhere.keys.revoke(keyId(key), timestamp(clock));
      clock.set(clock.wall() - 3_600_000);
      for (let n = 0; n < 2; n += 1) expect(await get(PRODUCTS, bearer(key))).toRespond(401);
      clock.set(clock.wall() + 3_600_000);
    });

    test('of a key that was rotated ends with the overlap', async () => {
      const key = await service.issue(service.acme);
      const old = (await elsewhere.keys.find(keyId(key)))?.key;
      const rotated = old && (await rotateKey(elsewhere.keys, old, clock.wall(), 60_000));
      for (let n = 0; n < 2; n += 1) expect(await get(PRODUCTS, bearer(key))).toRespond(200);
      expect(await get(PRODUCTS, bearer(rotated ?? ''))).toRespond(200);
      clock.elapse(60_000);
      expect((await get(PRODUCTS, bearer(key))).json).toMatchObject({
        status: 401,
        detail: expect.stringContaining('expired'),
      });
      expect(await get(PRODUCTS, bearer(rotated ?? ''))).toRespond(200);
    });

    test('of a key that was rotated without an overlap ends with the next request', async () => {
      const key = await service.issue(service.acme);
      expect(await get(PRODUCTS, bearer(key))).toRespond(200);
      const old = (await elsewhere.keys.find(keyId(key)))?.key;
      const rotated = old && (await rotateKey(elsewhere.keys, old, clock.wall() + 3_600_000, 0));
      expect((await get(PRODUCTS, bearer(key))).json).toMatchObject({
        status: 401,
        detail: expect.stringContaining('revoked'),
      });
      expect(await get(PRODUCTS, bearer(rotated ?? ''))).toRespond(200);
    });

    test('of a revoked key neither reads nor writes, whatever is requested', async () => {
      const created = `${PARTNERS}?filter=name=Revoked`;
      for (const [n, store] of [service.store, elsewhere].entries()) {
        const key = await service.issue(service.acme);
        const headers = bearer(key);
        expect(await get(`${PRODUCTS}/2?fields=name&fields=id`, headers)).toRespond(400);
        expect(await get(`${PRODUCTS}/${2 + n}?fields=active,id`, headers)).toRespond(200);
        expect((await get(`${PRODUCTS}/999999`, headers)).json).toMatchObject({ code: 'record_not_found' });
        expect(await service.send(createPartner('Revoked', headers))).toRespond(201);
        expect(await service.send(postPartner('{"nam":"Revoked"}', headers))).toRespond(400);
        const before = await totalOf(created);
        await store.keys.revoke(keyId(key), '2026-01-01T00:00:00.000Z');
        for (const reply of [
          await get(`${PRODUCTS}/${4 + n}?fields=active,id`, headers),
          await get(`${PRODUCTS}/999998`, headers),
          await get(`${PRODUCTS}/5?fields=nothing`, headers),
          await service.send(createPartner('Revoked', headers)),
          await service.send(postPartner('{"nam":"Revoked"}', headers)),
          await service.send(postPartner('{', headers)),
        ])
          expect(reply.json).toMatchObject({ status: 401, detail: expect.stringContaining('revoked') });
        expect(await totalOf(created)).toBe(before);
      }
    });

    test.each<[string, TestRequest, number]>([
      ['a list', { path: `${PRODUCTS}?fields=id,active` }, 200],
      ['a record', { path: `${PRODUCTS}/1?fields=id,active` }, 200],
      ['an export', { path: PRODUCTS, headers: { accept: 'text/csv' } }, 200],
      ['an error', { path: `${PRODUCTS}?page=0` }, 400],
    ])('is renewed without an error when the account gets another key: %s', async (_, request, status) => {
      const headers = bearer(await service.issue(service.acme));
      for (let n = 0; n < 3; n += 1) {
        expect(await service.send({ ...request, headers: { ...request.headers, ...headers } })).toRespond(status);
        await service.issue(service.acme);
      }
    });

    test('is renewed for a create, which is written once', async () => {
      const headers = bearer(await service.issue(service.acme));
      for (let n = 0; n < 3; n += 1) {
        expect(await service.send(createPartner('Renewed', headers))).toRespond(201);
        await service.issue(service.acme);
      }
      expect(await totalOf(`${PARTNERS}?filter=name=Renewed`)).toBe(3);
    });

    test('ends when the key expires', async () => {
      const expiry = clock.wall() + 1_000;
      const headers = bearer(await service.issue(service.acme, { expiresAt: new Date(expiry).toISOString() }));
      for (let n = 0; n < 2; n += 1) expect(await get(PRODUCTS, headers)).toRespond(200);
      clock.set(expiry - 1);
      expect(await get(PRODUCTS, headers)).toRespond(200);
      clock.set(expiry);
      expect((await get(PRODUCTS, headers)).json).toMatchObject({
        status: 401,
        detail: `This key expired on ${new Date(expiry).toISOString()}.`,
      });
    });
  });
});
