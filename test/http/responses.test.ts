/** What successful responses contain, and that no account gets anything of another's. */

import { describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { oneEngine } from '../support/engines.ts';
import { companies, load, partners, products } from '../support/fixture.ts';
import { bodyOf, COMPANIES, checkReply, checkRow, createPartner, PARTNERS, PRODUCTS } from '../support/rows.ts';
import { bearer } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

describe.each(oneEngine)('on $name', (engine) => {
  const service = sharedService(engine);

  describe('records', () => {
    test.each([
      [PRODUCTS, products],
      [PARTNERS, partners],
      [COMPANIES, companies],
    ])('of %s are returned as stored, with all fields in order', async (path, records) => {
      const list = await service.send({ path: `${path}?limit=1000` });
      expect(list.headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        vary: 'authorization, cookie, accept, accept-encoding',
      });
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

    test('have their fields in the requested order', async () => {
      const { text } = await service.send({ path: `${PRODUCTS}/1?fields=write_date,id,name,active` });
      expect(text).toBe('{"data":{"write_date":"2026-01-02T00:00:00.000Z","id":1,"name":"Oak Chair","active":true}}');
    });
  });

  test('the pages of a list contain every record once, in order', async () => {
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

  test.each([PRODUCTS, `${PRODUCTS}/1`, `${PRODUCTS}?page=0`, `${PRODUCTS}/999`])(
    'HEAD %s is GET without the body',
    async (path) => {
      const get = await service.send({ path });
      const head = await service.send({
        method: 'HEAD',
        path,
        headers: { 'x-request-id': get.headers['x-request-id'] },
      });
      expect(head).toRespond(get.status);
      expect(head.text).toBe('');
      const { date: _, 'cache-status': __, ...headers } = get.headers;
      expect(head.headers).toMatchObject(headers);
    },
  );

  test('Server-Timing is not sent by default', async () => {
    for (const path of [PRODUCTS, `${PRODUCTS}/1`, `${PRODUCTS}?page=0`, '/openapi.json'])
      expect((await service.send({ path })).headers).not.toHaveProperty('server-timing');
  });

  describe('X-Request-Id', () => {
    test.each(['abc', '7f0f6a0e-0d6b-4a0c-8a2e-3c2d1b0a9f8e', 'a.b:c/d+e=f@g-h_i', 'x'.repeat(128)])(
      '%s is echoed',
      async (id) => {
        const { headers } = await service.send({ path: PRODUCTS, headers: { 'x-request-id': id } });
        expect(headers['x-request-id']).toBe(id);
      },
    );

    test.each(['', 'a b', 'é', '<script>', 'x'.repeat(129), 'a,b'])('%j is replaced', async (id) => {
      const { headers } = await service.send({ path: PRODUCTS, headers: { 'x-request-id': id } });
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    });
  });

  describe('entity tags', () => {
    test('a list is a 304 until it is written to', async () => {
      const first = await service.send({ path: PARTNERS });
      const tag = first.headers['etag'] ?? '';
      const conditional = (ifNoneMatch: string) =>
        service.send({ path: PARTNERS, headers: { 'if-none-match': ifNoneMatch } });
      for (const match of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
        const reply = await conditional(match);
        expect({ status: reply.status, text: reply.text, etag: reply.headers['etag'] }).toEqual({
          status: 304,
          text: '',
          etag: tag,
        });
        expect(reply.headers['content-type']).toBeUndefined();
      }
      expect(await conditional('"x"')).toRespond(200);
      await service.send(createPartner('New'));
      const changed = await conditional(tag);
      expect(changed).toRespond(200);
      expect(changed.headers['etag']).not.toBe(tag);
    });

    test('differ between accounts at the same revision', async () => {
      const globex = bearer(await service.issue(service.globex));
      const [mine, theirs] = [
        await service.send({ path: PRODUCTS }),
        await service.send({ path: PRODUCTS, headers: globex }),
      ];
      expect(mine.headers['etag']).not.toBe(theirs.headers['etag']);
      const reply = await service.send({
        path: PRODUCTS,
        headers: { ...globex, 'if-none-match': mine.headers['etag'] },
      });
      expect(reply).toRespond(200);
    });

    test('an invalid request is a 400, whatever tag it names', async () => {
      expect(await service.send({ path: `${PARTNERS}?page=0`, headers: { 'if-none-match': '*' } })).toRespond(400);
    });

    test('a record keeps its tag while others are written', async () => {
      const tag = (await service.send({ path: `${PARTNERS}/1` })).headers['etag'] ?? '';
      await service.send(createPartner('Newer'));
      expect(await service.send({ path: `${PARTNERS}/1`, headers: { 'if-none-match': tag } })).toRespond(304);
    });
  });

  describe('isolation', () => {
    test('an account never sees, counts or changes records of another', async () => {
      const globex = bearer(await service.issue(service.globex));
      await checkRow(service, { request: { path: `${PRODUCTS}/7` }, status: 404 });
      await checkRow(service, {
        request: { path: `${PRODUCTS}?filter=name*Globex|list_price=777` },
        status: 200,
        has: { meta: { total: 0 } },
      });
      await checkRow(service, {
        request: { path: PRODUCTS, headers: globex },
        status: 200,
        has: { meta: { total: 1 } },
        ids: [7],
      });
      await checkRow(service, { request: { path: `${PRODUCTS}/1`, headers: globex }, status: 404 });
      const before = await service.send({ path: `${PARTNERS}?limit=1000` });
      // Each account has its own sequence of ids.
      await checkRow(service, { request: createPartner('Mine', globex), status: 201, body: { data: { id: 901 } } });
      const after = await service.send({ path: `${PARTNERS}?limit=1000` });
      expect(after.text).toBe(before.text);
      expect(after.headers['etag']).toBe(before.headers['etag']);
    });

    test('the 404 for a record of another account is the same as for one that does not exist', async () => {
      const [theirs, none] = [
        await service.send({ path: `${PARTNERS}/900` }),
        await service.send({ path: `${PARTNERS}/901000` }),
      ];
      const withoutIds = ({ json }: { json: unknown }) =>
        JSON.stringify({ ...Object(json), requestId: '' }).replaceAll(/90\d+/g, 'N');
      expect(withoutIds(theirs)).toBe(withoutIds(none));
    });
  });

  test('a new partner has the initial values of all other fields', async () => {
    const created = await service.send(createPartner('Fresh'));
    const { json } = await service.send({ path: created.headers['location'] ?? '' });
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(json).toStrictEqual({
      data: {
        ...{ id: bodyOf(created).data.id, name: 'Fresh', is_company: false, is_patient: false, active: true },
        ...{ is_customer: false, is_vendor: false, is_employee: false },
        ...{ ref: null, email: null, phone: null, vat: null, street: null, city: null, zip: null, country_code: null },
        ...{ create_date: timestamp, write_date: timestamp },
      },
    });
  });

  test('after the largest possible id, a create is a 409', async () => {
    const { acme, store } = service;
    await load(store, acme, partner, [{ id: Number.MAX_SAFE_INTEGER, name: 'Last' }]);
    await checkRow(service, { request: createPartner('One more'), status: 409, has: { code: 'ids_exhausted' } });
    await checkRow(service, { request: { path: `${PARTNERS}/${Number.MAX_SAFE_INTEGER}?fields=id` }, status: 200 });
  });

  test('problem pages support only GET and HEAD', async () => {
    const request = { path: '/problems/unknown_field', headers: { authorization: undefined } };
    checkReply(await service.send({ ...request, method: 'POST', body: 'x' }), {
      status: 405,
      has: { code: 'method_not_allowed', suggestion: 'Use GET, HEAD, OPTIONS.' },
      headers: { allow: 'GET, HEAD, OPTIONS' },
    });
    expect(await service.send({ ...request, method: 'HEAD' })).toRespond(200);
  });
});

describe.each(oneEngine)('with a domain of its own, on $name', (engine) => {
  const service = sharedService(engine, { settings: { domain: 'stock.example.com' } });

  test.each([
    ['acme.stock.example.com', 200],
    ['ACME.stock.example.com:443', 200],
    ['globex.stock.example.com', 401],
    ['stock.example.com', 401],
    ['acme.localhost', 401],
    ['127.0.0.1', 401],
    ['acme.stock.example.com.evil.org', 401],
    ['acmestock.example.com', 401],
  ])('acme’s key on %s → %i', async (host, status) => {
    expect(await service.send({ path: PRODUCTS, headers: { host } })).toRespond(status);
  });
});
