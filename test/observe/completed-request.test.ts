/** The event about every request, which the log, the metrics and `top` are made from. */

import { describe, expect, test } from 'vitest';
import type { RequestCompleted } from '../../src/observe/events.ts';
import { routeNames } from '../../src/request/route.ts';
import { aboveStore } from '../support/above-store.ts';
import { sendRaw } from '../support/raw-socket.ts';
import { createPartner, PARTNERS, PRODUCTS } from '../support/rows.ts';
import { keyId, type TestRequest } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

/** A request, and what its event has besides what every event has. */
const rows: readonly (readonly [name: string, request: TestRequest, facts: Partial<RequestCompleted>])[] = [
  [
    'a list',
    { path: `${PRODUCTS}?filter=list_price%3E5&limit=2` },
    { route: PRODUCTS, rows: 2, totalSource: 'counted', filter: 'list_price>…', fullFilter: 'list_price>5' },
  ],
  ['a list without a filter', { path: `${PRODUCTS}?limit=1` }, { rows: 1, totalSource: 'ledger', filter: undefined }],
  ['a record', { path: `${PRODUCTS}/1` }, { route: `${PRODUCTS}/{id}`, rows: 1 }],
  [
    'an unknown record',
    { path: `${PRODUCTS}/nothing` },
    { route: `${PRODUCTS}/{id}`, status: 404, problem: 'record_not_found' },
  ],
  ['a create', createPartner('Ada'), { method: 'POST', route: PARTNERS, status: 201, rows: undefined }],
  [
    'lines',
    { path: `${PRODUCTS}?limit=3`, headers: { accept: 'application/x-ndjson' } },
    { route: PRODUCTS, rows: 3, totalSource: 'ledger' },
  ],
  [
    'lines of changes',
    { path: `${PRODUCTS}/changes`, headers: { accept: 'application/x-ndjson' } },
    { route: `${PRODUCTS}/changes`, rows: expect.any(Number) },
  ],
  [
    'QUERY',
    {
      method: 'QUERY',
      path: PRODUCTS,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'filter=id[1,2]|name*"a"',
    },
    { method: 'QUERY', route: PRODUCTS, filter: 'id[…]|name*…', fullFilter: 'id[1,2]|name*a' },
  ],
  [
    'the tool of an agent',
    {
      method: 'POST',
      path: '/mcp',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'query', arguments: { resource: 'product', filter: 'active=true', limit: 2 } },
      }),
    },
    { method: 'POST', route: '/mcp', rows: 2, filter: 'active=…' },
  ],
  [
    'a filter with an unknown field, which may be anything',
    { path: `${PRODUCTS}?filter=sbk_secret%3D1` },
    { status: 400, problem: 'unknown_field', filter: undefined, fullFilter: undefined },
  ],
  [
    'a filter that does not parse',
    { path: `${PRODUCTS}?filter=name%3D"a` },
    { status: 400, filter: undefined, fullFilter: undefined },
  ],
  [
    'a long filter, which is cut off',
    { path: `${PRODUCTS}?limit=1&filter=${Array(80).fill('list_price%3E1').join('%26')}` },
    { filter: `${Array(80).fill('list_price>…').join('&').slice(0, 500)}…` },
  ],
  [
    'a wrong key',
    { path: PRODUCTS, headers: { authorization: 'Bearer wrong' } },
    { route: PRODUCTS, status: 401, problem: 'credentials_malformed', account: undefined, key: undefined },
  ],
  ['an unknown path of the API', { path: '/api/v1/secret' }, { route: 'unknown', status: 404 }],
  ['an unknown path', { path: '/secret' }, { route: 'unknown', status: 404, account: undefined, key: undefined }],
  [
    'a path that cannot be decoded',
    { path: '/%ff' },
    { route: 'malformed', status: 400, account: undefined, key: undefined },
  ],
  [
    'a page',
    { path: '/problems/unknown_field' },
    { route: '/problems/{code}', account: undefined, key: undefined, rows: undefined },
  ],
  ['HEAD, which has no body', { method: 'HEAD', path: PRODUCTS }, { method: 'HEAD', bytes: 0 }],
  [
    'a request of a trace',
    { path: PRODUCTS, headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` } },
    { traceId: TRACE, parentId: '00f067aa0ba902b7' },
  ],
];

describe.each(aboveStore)('on $name', (engine) => {
  const service = sharedService(engine);

  const eventOf = async (requestId: string): Promise<RequestCompleted> => {
    const find = () =>
      service.events.find((event) => event.kind === 'request completed' && event.requestId === requestId);
    await expect.poll(find).toBeDefined();
    const event = find();
    if (event?.kind !== 'request completed') throw new Error('there is no event');
    return event;
  };

  test.each(rows)('the event of %s has its facts', async (name, request, facts) => {
    const requestId = name.replaceAll(/\W/g, '-');
    const reply = await service.send({ ...request, headers: { ...request.headers, 'x-request-id': requestId } });
    const event = await eventOf(requestId);
    expect(event).toMatchObject({
      method: 'GET',
      status: 200,
      account: 'acme',
      key: keyId(service.key),
      address: '127.0.0.1',
      bytes: Buffer.byteLength(reply.text),
      ...facts,
    });
    expect(event.milliseconds).toBeGreaterThan(0);
    expect(routeNames).toContain(event.route);
  });

  test('a response from the cache has as many rows as the first, and the same filter', async () => {
    const events: RequestCompleted[] = [];
    for (const requestId of ['first', 'second', 'third']) {
      await service.send({ path: `${PARTNERS}?filter=id<9&limit=2`, headers: { 'x-request-id': requestId } });
      events.push(await eventOf(requestId));
    }
    expect(events.map(({ rows }) => rows)).toStrictEqual([2, 2, 2]);
    expect(events.map(({ filter }) => filter)).toStrictEqual(['id<…', 'id<…', 'id<…']);
    expect(events.map(({ fullFilter }) => fullFilter)).toStrictEqual(['id<9', 'id<9', 'id<9']);
    expect(events.at(-1)).toMatchObject({ totalSource: 'response cache' });
  });

  test('a response belongs to the trace of its request, if that has one', async () => {
    const header = async (path: string, traceparent?: string) =>
      (await service.send({ path, headers: { traceparent } })).headers['traceparent'];
    const ours = new RegExp(`^00-${TRACE}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`);
    for (const path of [PRODUCTS, `${PRODUCTS}?filter=unknown`, '/nothing', '/openapi.json']) {
      expect(await header(path, `00-${TRACE}-00f067aa0ba902b7-01`)).toMatch(ours);
      expect(await header(path)).toBeUndefined();
      expect(await header(path, `00-${TRACE}-0000000000000000-01`)).toBeUndefined();
    }
  });

  test('a request that Node cannot parse', async () => {
    await sendRaw(service.port, 'GET / secret\r\n\r\n');
    await expect
      .poll(() => service.events.find((event) => event.kind === 'request completed' && event.method === ''))
      .toMatchObject({ route: 'malformed', status: 400, problem: 'malformed_request', address: '127.0.0.1' });
  });
});
