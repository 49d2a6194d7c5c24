import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { engines } from '../support/engines.ts';
import { companies, load, partners, products } from '../support/fixture.ts';
import { COMPANIES, checkRow, PARTNERS, PRODUCTS } from '../support/rows.ts';
import { startService, type TestService } from '../support/service.ts';

describe.each(engines)('on $name', (engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(engine);
  });
  afterAll(() => service.close());

  describe('records', () => {
    test.each([
      [PRODUCTS, products],
      [PARTNERS, partners],
      [COMPANIES, companies],
    ])('of %s come as they were stored, with all their fields in order', async (path, records) => {
      const list = await service.send({ path: `${path}?limit=1000` });
      expect(list.headers).toMatchObject({ 'x-content-type-options': 'nosniff', vary: 'authorization, accept' });
      const count = records.length;
      expect(list.json).toStrictEqual({
        data: records,
        meta: { count, total: count },
        pagination: { previousPage: null, currentPage: 1, nextPage: null, totalPages: 1 },
      });
      expect(list.text.match(/\{"id":[^}]*\}/g)?.map((text) => Object.keys(JSON.parse(text)))).toEqual(
        records.map((record) => Object.keys(record)),
      );
      for (const record of records) {
        expect((await service.send({ path: `${path}/${record['id']}` })).json).toStrictEqual({ data: record });
      }
    });

    test('fields come in the order asked for', async () => {
      const { text } = await service.send({ path: `${PRODUCTS}/1?fields=write_date,id,name,active` });
      expect(text).toBe('{"data":{"write_date":"2026-01-02T00:00:00.000Z","id":1,"name":"Oak Chair","active":true}}');
    });
  });

  describe('pages', () => {
    test('together hold every record once, in order', async () => {
      for (let limit = 1; limit <= products.length + 1; limit += 1) {
        const totalPages = Math.ceil(products.length / limit);
        const seen: unknown[] = [];
        for (let page = 1; page <= totalPages; page += 1) {
          const { json } = await service.send({ path: `${PRODUCTS}?limit=${limit}&page=${page}&fields=id` });
          const { data, meta, pagination } = Object(json);
          seen.push(...data);
          expect(meta).toEqual({ count: data.length, total: products.length });
          expect(pagination).toEqual({
            previousPage: page === 1 ? null : page - 1,
            currentPage: page,
            nextPage: page === totalPages ? null : page + 1,
            totalPages,
          });
        }
        expect(seen).toEqual(products.map(({ id }) => ({ id })));
      }
    });
  });

  describe('HEAD', () => {
    test.each([PRODUCTS, `${PRODUCTS}/1`, `${PRODUCTS}?page=0`, `${PRODUCTS}/999`])(
      '%s is GET without the body',
      async (path) => {
        const get = await service.send({ path });
        const head = await service.send({
          method: 'HEAD',
          path,
          headers: { 'x-request-id': get.headers['x-request-id'] },
        });
        expect(head.status).toBe(get.status);
        expect(head.text).toBe('');
        const { date: _, 'server-timing': __, 'cache-status': ___, ...headers } = get.headers;
        expect(head.headers).toMatchObject(headers);
      },
    );
  });

  describe('X-Request-Id', () => {
    test.each(['abc', '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e', 'a.b:c/d+e=f@g-h_i', 'x'.repeat(128)])(
      '%s is kept',
      async (id) => {
        expect((await service.send({ path: PRODUCTS, headers: { 'x-request-id': id } })).headers['x-request-id']).toBe(
          id,
        );
      },
    );

    test.each(['', 'a b', 'é', '<script>', 'x'.repeat(129), 'a,b'])('%j is replaced', async (id) => {
      const { headers } = await service.send({ path: PRODUCTS, headers: { 'x-request-id': id } });
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    });
  });

  describe('entity tags', () => {
    test('an unchanged list is a 304, a written one is not', async () => {
      const first = await service.send({ path: PARTNERS });
      const tag = first.headers['etag'] ?? '';
      const again = (ifNoneMatch: string) =>
        service.send({ path: PARTNERS, headers: { 'if-none-match': ifNoneMatch } });
      for (const match of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
        const reply = await again(match);
        expect({ status: reply.status, text: reply.text, etag: reply.headers['etag'] }).toEqual({
          status: 304,
          text: '',
          etag: tag,
        });
        expect(reply.headers['content-type']).toBeUndefined();
      }
      expect((await again('"x"')).status).toBe(200);
      await service.send({
        method: 'POST',
        path: PARTNERS,
        body: '{"name":"New"}',
        headers: { 'content-type': 'application/json' },
      });
      const changed = await again(tag);
      expect(changed.status).toBe(200);
      expect(changed.headers['etag']).not.toBe(tag);
    });

    test('differ between accounts at the same revision', async () => {
      const globex = { authorization: `Bearer ${await service.issue(service.globex)}` };
      const [mine, theirs] = [
        await service.send({ path: PRODUCTS }),
        await service.send({ path: PRODUCTS, headers: globex }),
      ];
      expect(mine.headers['etag']).not.toBe(theirs.headers['etag']);
      const asked = await service.send({
        path: PRODUCTS,
        headers: { ...globex, 'if-none-match': mine.headers['etag'] },
      });
      expect(asked.status).toBe(200);
    });

    test('a wrong request is a 400 whatever tag it names', async () => {
      expect((await service.send({ path: `${PARTNERS}?page=0`, headers: { 'if-none-match': '*' } })).status).toBe(400);
    });

    test('a record keeps its tag while others are written', async () => {
      const tag = (await service.send({ path: `${PARTNERS}/1` })).headers['etag'] ?? '';
      await service.send({
        method: 'POST',
        path: PARTNERS,
        body: '{"name":"Newer"}',
        headers: { 'content-type': 'application/json' },
      });
      expect((await service.send({ path: `${PARTNERS}/1`, headers: { 'if-none-match': tag } })).status).toBe(304);
    });
  });

  describe('tenancy', () => {
    test('an account never sees, counts or changes what is another’s', async () => {
      const globex = { authorization: `Bearer ${await service.issue(service.globex)}` };
      await checkRow(service, { name: '', request: { path: `${PRODUCTS}/7` }, status: 404 });
      await checkRow(service, {
        name: '',
        request: { path: `${PRODUCTS}?filter=name*Globex|list_price=777` },
        status: 200,
        has: { meta: { total: 0 } },
      });
      await checkRow(service, {
        name: '',
        request: { path: PRODUCTS, headers: globex },
        status: 200,
        has: { meta: { total: 1 } },
        ids: [7],
      });
      await checkRow(service, { name: '', request: { path: `${PRODUCTS}/1`, headers: globex }, status: 404 });
      const before = await service.send({ path: `${PARTNERS}?limit=1000` });
      await checkRow(service, {
        name: 'ids go on from each account’s own',
        request: {
          method: 'POST',
          path: PARTNERS,
          body: '{"name":"Mine"}',
          headers: { ...globex, 'content-type': 'application/json' },
        },
        status: 201,
        body: { data: { id: 901 } },
      });
      const after = await service.send({ path: `${PARTNERS}?limit=1000` });
      expect(after.text).toBe(before.text);
      expect(after.headers['etag']).toBe(before.headers['etag']);
    });

    test('a record of another account and no record at all are told in the same words', async () => {
      const [theirs, none] = [
        await service.send({ path: `${PARTNERS}/900` }),
        await service.send({ path: `${PARTNERS}/901000` }),
      ];
      const words = ({ json }: { json: unknown }) =>
        JSON.stringify({ ...Object(json), requestId: '' }).replaceAll(/90\d+/g, 'N');
      expect(words(theirs)).toBe(words(none));
    });
  });

  test('a new partner has what its fields begin with', async () => {
    const created = await service.send({
      method: 'POST',
      path: PARTNERS,
      body: '{"name":"Fresh"}',
      headers: { 'content-type': 'application/json' },
    });
    const { json } = await service.send({ path: created.headers['location'] ?? '' });
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(json).toStrictEqual({
      data: {
        ...{ id: Object(created.json).data.id, name: 'Fresh', is_company: false, is_patient: false, active: true },
        ...{ is_customer: false, is_vendor: false, is_employee: false },
        ...{ ref: null, email: null, phone: null, vat: null, street: null, city: null, zip: null, country_code: null },
        ...{ create_date: timestamp, write_date: timestamp },
      },
    });
  });

  test('an id that cannot be followed by another is a 409', async () => {
    const { acme, store } = service;
    await load(store, acme, partner, [{ id: Number.MAX_SAFE_INTEGER, name: 'Last' }]);
    await checkRow(service, {
      name: '',
      request: {
        method: 'POST',
        path: PARTNERS,
        body: '{"name":"One more"}',
        headers: { 'content-type': 'application/json' },
      },
      status: 409,
      has: { code: 'ids_exhausted' },
    });
    await checkRow(service, {
      name: '',
      request: { path: `${PARTNERS}/${Number.MAX_SAFE_INTEGER}?fields=id` },
      status: 200,
    });
  });
});

describe.each(engines)('health on $name', (engine) => {
  test('needs no key', async () => {
    const service = await startService(engine);
    for (const path of ['/health/live', '/health/ready', '/health/ready/']) {
      expect(await service.send({ path, headers: { authorization: undefined } })).toMatchObject({
        status: 200,
        json: { status: 'ok' },
      });
    }
    await service.close();
  });

  test('takes GET and HEAD alone', async () => {
    const service = await startService(engine);
    for (const path of ['/health/live', '/health/ready', '/problems/unknown_field']) {
      const refused = await service.send({ method: 'POST', path, headers: { authorization: undefined }, body: 'x' });
      expect(refused).toMatchObject({
        status: 405,
        json: { code: 'method_not_allowed', suggestion: 'It takes GET, HEAD.' },
      });
      expect(refused.headers['allow']).toBe('GET, HEAD');
      expect((await service.send({ method: 'HEAD', path, headers: { authorization: undefined } })).status).toBe(200);
    }
    await service.close();
  });
});

describe('a domain of its own', () => {
  let service: TestService;
  beforeAll(async () => {
    const [engine] = engines;
    if (engine === undefined) throw new Error('there is no engine');
    service = await startService(engine, { domain: 'stock.example.com' });
  });
  afterAll(() => service.close());

  test.each([
    ['acme.stock.example.com', 200],
    ['ACME.stock.example.com:443', 200],
    ['globex.stock.example.com', 401],
    ['stock.example.com', 401],
    ['acme.localhost', 401],
    ['127.0.0.1', 401],
    ['acme.stock.example.com.evil.org', 401],
    ['acmestock.example.com', 401],
  ])('at %s the key of acme gets a %i', async (host, status) => {
    expect((await service.send({ path: PRODUCTS, headers: { host } })).status).toBe(status);
  });
});
