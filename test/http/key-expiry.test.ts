/** In the last 14 days of a key, every response to it says when it expires. */

import { beforeEach, describe, expect, test } from 'vitest';
import { NOTICE_PERIOD } from '../../src/access/key-expiry.ts';
import { Stockbook } from '../../src/client/index.ts';
import { timestamp } from '../../src/schedule/clock.ts';
import { oneEngine } from '../support/engines.ts';
import { rpcRequest, toolRequest } from '../support/mcp.ts';
import { PARTNERS, PRODUCTS } from '../support/rows.ts';
import { bearer, keyId, type TestRequest } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';
import { TestClock } from '../support/test-clock.ts';

const HEADER = 'stockbook-key-expires';
const START = Date.parse('2026-03-01T12:00:00.000Z');
const EXPIRES_AT = new Date(START + 100 * 24 * 3_600_000).toISOString();
const SOON = Date.parse(EXPIRES_AT) - NOTICE_PERIOD;
const RATE_LIMIT = 20;

const requests: readonly (readonly [string, number, TestRequest])[] = [
  ['a list', 200, { path: PRODUCTS }],
  ['a list that is compressed', 200, { path: `${PRODUCTS}?limit=1000`, headers: { 'accept-encoding': 'gzip' } }],
  ['a stream', 200, { path: PRODUCTS, headers: { accept: 'application/x-ndjson' } }],
  ['a record', 200, { path: `${PRODUCTS}/1` }],
  ['me', 200, { path: '/api/v1/me' }],
  ['HEAD', 200, { method: 'HEAD', path: PRODUCTS }],
  ['OPTIONS', 204, { method: 'OPTIONS', path: PRODUCTS }],
  [
    'a create',
    201,
    { method: 'POST', path: PARTNERS, headers: { 'content-type': 'application/json' }, body: '{"name":"Expiring"}' },
  ],
  ['a wrong parameter', 400, { path: `${PRODUCTS}?x=1` }],
  ['a missing scope', 403, { method: 'POST', path: '/api/v1/sign-in' }],
  ['a record that does not exist', 404, { path: `${PRODUCTS}/999` }],
  ['a method that does not exist', 405, { method: 'DELETE', path: PRODUCTS }],
  ['a list of tools', 200, rpcRequest('tools/list')],
  ['a tool', 200, toolRequest('query', { resource: 'product' })],
  ['a tool that fails', 200, toolRequest('query', { resource: 'product', filter: 'x' })],
];

describe.each(oneEngine)('on $name', (engine) => {
  let key: string;
  const clock = new TestClock();
  const service = sharedService(engine, {
    settings: { 'rate-limit': String(RATE_LIMIT), 'cors-origins': '*' },
    clock,
  });
  beforeEach(async () => {
    clock.set(START);
    key = await service.issue(service.acme, { expiresAt: EXPIRES_AT });
  });

  const sendAs = (as: string, request: TestRequest) =>
    service.send({ ...request, headers: { ...request.headers, ...bearer(as) } });

  test.each(requests)('%s (%i)', async (_, status, request) => {
    clock.set(SOON);
    const reply = await sendAs(key, request);
    expect({ status: reply.status, expires: reply.headers[HEADER] }).toEqual({ status, expires: EXPIRES_AT });
  });

  test('a 304, and a 429', async () => {
    clock.set(SOON);
    const { etag } = (await sendAs(key, { path: PRODUCTS })).headers;
    const unchanged = await sendAs(key, { path: PRODUCTS, headers: { 'if-none-match': String(etag) } });
    expect({ status: unchanged.status, expires: unchanged.headers[HEADER] }).toEqual({
      status: 304,
      expires: EXPIRES_AT,
    });
    const burst = Array.from({ length: RATE_LIMIT + 1 }, () => sendAs(key, { method: 'OPTIONS', path: PRODUCTS }));
    const limited = (await Promise.all(burst)).find(({ status }) => status === 429);
    expect(limited?.headers[HEADER]).toBe(EXPIRES_AT);
  });

  test('before, and for keys that do not expire, there is no such header', async () => {
    clock.set(SOON - 1);
    expect((await sendAs(key, { path: PRODUCTS })).headers).not.toHaveProperty(HEADER);
    clock.set(SOON);
    expect((await service.send({ path: PRODUCTS })).headers).not.toHaveProperty(HEADER);
    expect((await service.send({ path: '/problems' })).headers).not.toHaveProperty(HEADER);
  });

  test('a key that is not accepted learns nothing', async () => {
    const revoked = await service.issue(service.acme, { expiresAt: EXPIRES_AT });
    clock.set(SOON);
    expect((await sendAs(revoked, { path: PRODUCTS })).headers).toHaveProperty(HEADER);
    await service.store.keys.revoke(keyId(revoked), timestamp(clock));
    const reply = await sendAs(revoked, { path: PRODUCTS });
    expect(reply).toRespond(401);
    expect(reply.headers).not.toHaveProperty(HEADER);
  });

  test('web pages can read it', async () => {
    const { headers } = await sendAs(key, { path: PRODUCTS, headers: { origin: 'https://shop.example' } });
    expect(headers['access-control-expose-headers']).toContain(HEADER);
  });

  test('the client reports it once', async () => {
    const told: Date[] = [];
    const options = { url: `http://127.0.0.1:${service.port}`, key, onKeyExpiring: (at: Date) => told.push(at) };
    const stockbook = new Stockbook(options);
    await stockbook.me();
    expect(told).toEqual([]);
    clock.set(SOON);
    expect(await stockbook.products.get(999)).toBeUndefined();
    await stockbook.me();
    expect(told).toEqual([new Date(EXPIRES_AT)]);
  });
});
