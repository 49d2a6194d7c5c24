/** `OPTIONS`, and `QUERY` of RFC 10008: `GET` with its parameters in the body. */

import { describe, expect, test } from 'vitest';
import { oneEngine } from '../support/engines.ts';
import { NOW } from '../support/fixture.ts';
import { COMPANIES, checkReply, PARTNERS, PRODUCTS } from '../support/rows.ts';
import { bearer, keyId, type TestRequest } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const FORM = 'application/x-www-form-urlencoded';

function query(path: string, body: string | Uint8Array, headers: TestRequest['headers'] = {}): TestRequest {
  return { method: 'QUERY', path, body, headers: { 'content-type': FORM, ...headers } };
}

describe.each(oneEngine)('on $name', (engine) => {
  const service = sharedService(engine);

  describe('a method that a path does not support', () => {
    const importing = (path: string, plural: string) =>
      `, or POST ${path}/import to create, change and remove any number of ${plural} in one transaction`;

    test.each([
      ['POST', PRODUCTS, `Use GET, HEAD, QUERY, OPTIONS${importing(PRODUCTS, 'products')}.`],
      ['POST', `${COMPANIES}/`, `Use GET, HEAD, QUERY, OPTIONS${importing(COMPANIES, 'companies')}.`],
      ['PATCH', PARTNERS, `Use GET, HEAD, QUERY, POST, OPTIONS, or PATCH ${PARTNERS}/{id} to change a partner.`],
      ['DELETE', PRODUCTS, `Use GET, HEAD, QUERY, OPTIONS, or DELETE ${PRODUCTS}/{id} to remove a product.`],
      ['PUT', PRODUCTS, 'Use GET, HEAD, QUERY, OPTIONS.'],
      ['POST', `${PRODUCTS}/1`, 'Use GET, HEAD, PATCH, DELETE, OPTIONS.'],
      ['POST', '/docs', 'Use GET, HEAD, OPTIONS.'],
    ])('%s %s: %s', async (method, path, suggestion) => {
      checkReply(await service.send({ method, path }), {
        status: 405,
        has: { code: 'method_not_allowed', suggestion },
      });
    });
  });

  describe('QUERY', () => {
    test.each([
      [PRODUCTS, 'fields=id,name&filter=list_price%3E10&sort=-list_price&limit=2'],
      [PRODUCTS, 'filter=active=true&list_price>10&page=1'],
      [PRODUCTS, ''],
      [`${PRODUCTS}/aggregate`, 'measures=count,sum(list_price)&facets=categ_id'],
      [`${PRODUCTS}/digest`, 'fields=id'],
      [`${PRODUCTS}/changes`, 'limit=2&fields=id'],
    ])('%s with %s is GET', async (path, parameters) => {
      const got = await service.send({ path: `${path}?${parameters}` });
      const queried = await service.send(query(path, parameters));
      expect(queried).toRespond(200);
      expect(queried.text).toBe(got.text);
      expect(queried.headers['etag']).toBe(got.headers['etag']);
    });

    test('parameters can be in the URL as well, but each only once', async () => {
      checkReply(await service.send(query(`${PRODUCTS}?fields=id`, 'filter=id%3D2')), {
        status: 200,
        has: { data: [{ id: 2 }] },
      });
      checkReply(await service.send(query(`${PRODUCTS}?limit=1`, 'limit=2')), {
        status: 400,
        has: { code: 'repeated_parameter', parameter: 'limit' },
      });
    });

    test('a filter that is too long for a URL', async () => {
      // Percent-encoded, it has 70,000 bytes.
      const names = Array.from({ length: 900 }, (_, n) => `"${'é'.repeat(12)}${n}"`);
      const body = `filter=${encodeURIComponent(`name[${names.join(',')},Oak Chair]`)}`;
      expect(body.length).toBeGreaterThan(64 * 1024);
      checkReply(await service.send(query(PRODUCTS, body)), { status: 200, ids: [1] });
      expect(await service.send({ path: `${PRODUCTS}?${body}` })).toRespond(414);
    });

    test('as many conditions and parts as there can be', async () => {
      const body = `filter=id=1${'&id=1'.repeat(199)}${'&'.repeat(800)}`;
      checkReply(await service.send(query(PRODUCTS, body)), { status: 200, ids: [1] });
    });

    test('as a stream', async () => {
      const reply = await service.send(query(PRODUCTS, 'fields=id&limit=2', { accept: 'application/x-ndjson' }));
      expect(reply.text).toBe('{"id":1}\n{"id":2}\n');
    });

    test('an unchanged list is a 304', async () => {
      const { headers } = await service.send({ path: `${COMPANIES}?fields=id` });
      const reply = await service.send(query(COMPANIES, 'fields=id', { 'if-none-match': headers['etag'] }));
      expect(reply).toRespond(304);
    });

    test('a mistake is explained, with what to send instead', async () => {
      checkReply(await service.send(query(PRODUCTS, 'limit=1&filter=list_prise%3E5')), {
        status: 400,
        has: { code: 'unknown_field', suggestion: expect.stringMatching(/Try limit=1&filter=list_price%3E5$/) },
      });
    });

    test.each<[string, TestRequest, number, string]>([
      ['JSON', query(PRODUCTS, '{"limit":1}', { 'content-type': 'application/json' }), 415, 'unsupported_media_type'],
      ['no type', query(PRODUCTS, 'limit=1', { 'content-type': undefined }), 415, 'unsupported_media_type'],
      ['gzip', query(PRODUCTS, 'limit=1', { 'content-encoding': 'gzip' }), 415, 'unsupported_media_type'],
      ['raw UTF-8', query(PRODUCTS, 'filter=name=é'), 400, 'malformed_encoding'],
      ['NUL', query(PRODUCTS, 'filter=name=%00'), 400, 'malformed_encoding'],
      ['bytes', query(PRODUCTS, new Uint8Array([0xff, 0, 0x80])), 400, 'malformed_encoding'],
      ['too large', query(PRODUCTS, `filter=${'x'.repeat(128 * 1024)}`), 413, 'body_too_large'],
      ['too many parts', query(PRODUCTS, `filter=id=1${'&a'.repeat(1_000)}`), 400, 'filter_too_many_conditions'],
      ['an unknown parameter', query(PRODUCTS, 'foo=1'), 400, 'unknown_parameter'],
      ['a single record', query(`${PRODUCTS}/1`, ''), 405, 'method_not_allowed'],
      ['a wrong key', query(PRODUCTS, '', bearer('sbk_wrong')), 401, 'credentials_malformed'],
    ])('%s is an error', async (_, request, status, code) => {
      const reply = await service.send(request);
      checkReply(reply, { status, has: { code } });
      expect(reply.headers['accept-query']).toBe(status === 415 ? FORM : undefined);
    });

    test('needs the scope read', async () => {
      const key = await service.issue(service.acme, { scopes: ['write'] });
      checkReply(await service.send(query(PRODUCTS, '', bearer(key))), { status: 403, has: { code: 'scope_missing' } });
    });
  });

  describe('OPTIONS', () => {
    test.each([
      [PRODUCTS, 'GET, HEAD, QUERY, OPTIONS'],
      [`${PARTNERS}/`, 'GET, HEAD, QUERY, POST, OPTIONS'],
      [`${PARTNERS}/1`, 'GET, HEAD, PATCH, DELETE, OPTIONS'],
      [`${PARTNERS}/import`, 'POST, OPTIONS'],
      ['/api/v1/imports/x', 'GET, HEAD, DELETE, OPTIONS'],
      ['/openapi.json', 'GET, HEAD, OPTIONS'],
      ['*', 'GET, HEAD, POST, QUERY, PUT, PATCH, DELETE, OPTIONS'],
    ])('%s has %s', async (path, allow) => {
      const reply = await service.send({ method: 'OPTIONS', path });
      expect({ status: reply.status, text: reply.text, allow: reply.headers['allow'] }).toEqual({
        status: 204,
        text: '',
        allow,
      });
      expect(reply.headers['accept-query']).toBe(allow.includes('QUERY') ? FORM : undefined);
    });

    test('under /api it needs a key that is valid now', async () => {
      const request = { method: 'OPTIONS', path: PRODUCTS };
      expect(await service.send({ ...request, headers: { authorization: undefined } })).toRespond(401);
      const key = await service.issue(service.acme);
      expect(await service.send({ ...request, headers: bearer(key) })).toRespond(204);
      await service.store.keys.revoke(keyId(key), NOW);
      expect(await service.send({ ...request, headers: bearer(key) })).toRespond(401);
    });

    test('an unknown path is a 404', async () => {
      checkReply(await service.send({ method: 'OPTIONS', path: '/api/v1/nothing' }), {
        status: 404,
        has: { code: 'path_not_found' },
      });
    });
  });
});
