/** A key is sent wherever a client can send text, and never gets into the log. */

import { describe, expect, test } from 'vitest';
import { generateKey, printKey } from '../../src/access/key.ts';
import { log } from '../../src/observe/log.ts';
import { jsonLines, textLines } from '../../src/observe/log-line.ts';
import { aboveStore } from '../support/above-store.ts';
import { sendRaw } from '../support/raw-socket.ts';
import { PARTNERS, PRODUCTS } from '../support/rows.ts';
import { bearer, sendUnchecked, type TestRequest } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const { id, secret } = generateKey();
const KEY = printKey({ id, secret });
const BASIC = `Basic ${btoa(`spreadsheet:${KEY}`)}`;
const JSON_TYPE = { 'content-type': 'application/json' };
const TRACE = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;

const requests: readonly TestRequest[] = [
  ...[
    `/${KEY}`,
    `/%ff${KEY}`,
    `/docs/guides/${KEY}`,
    `/problems/${KEY}`,
    `/docs/guides?q=${KEY}`,
    `/api/v1/${KEY}`,
    `/${KEY}/api`,
    `${PRODUCTS}/${KEY}`,
    `${PRODUCTS}?filter=name%3D${KEY}`,
    `${PRODUCTS}?filter=name%2A%22Bearer%20${KEY}%22|default_code[a,${KEY.toUpperCase()},x${KEY}]`,
    `${PRODUCTS}?filter=name%3D${KEY.slice(0, -1)}`,
    `${PRODUCTS}?filter=${KEY}%3D1`,
    `${PRODUCTS}?filter=${KEY}`,
    `${PRODUCTS}?filter=name%3D1&${KEY}`,
    `${PRODUCTS}?${KEY}`,
    `${PRODUCTS}?key=${KEY}`,
    `${PRODUCTS}?fields=${KEY}`,
    `${PRODUCTS}?sort=${KEY}`,
    `${PRODUCTS}?page=${KEY}`,
    `${PRODUCTS}/changes?since=${KEY}`,
    `${PRODUCTS}/aggregate?facets=${KEY}`,
  ].map((path) => ({ path })),
  ...[
    'x-request-id',
    'traceparent',
    'tracestate',
    'idempotency-key',
    'if-none-match',
    'last-event-id',
    'accept',
    'accept-encoding',
    'prefer',
    'cookie',
    'user-agent',
    'referer',
    'origin',
    'forwarded',
    'x-forwarded-for',
    'host',
    `x-${KEY}`,
  ].map((name) => ({ path: PRODUCTS, headers: { [name]: KEY } })),
  { path: PRODUCTS, headers: { authorization: undefined, cookie: `stockbook=${KEY}`, 'stockbook-console': 'http' } },
  { path: PRODUCTS, headers: { traceparent: TRACE, tracestate: `vendor=${KEY}` } },
  { path: PRODUCTS, headers: { traceparent: `${TRACE.replace('00', '01')}-${KEY}` } },
  ...[
    `Bearer ${KEY}`,
    `Bearer ${KEY}x`,
    `Bearer  ${KEY} x`,
    `Basic ${btoa(KEY)}`,
    BASIC,
    `Basic ${btoa(`${KEY}:`)}`,
    KEY,
  ].map((authorization) => ({
    path: PRODUCTS,
    headers: { authorization },
  })),
  ...['POST', 'DELETE', 'OPTIONS', 'QUERY'].map((method) => ({
    method,
    path: PRODUCTS,
    headers: { authorization: BASIC },
  })),
  { path: PRODUCTS, headers: { authorization: BASIC, 'sec-fetch-site': 'cross-site' } },
  { path: PRODUCTS, headers: { authorization: BASIC, host: `x:${KEY}@acme.localhost` } },
  ...[JSON.stringify({ name: KEY }), JSON.stringify({ [KEY]: 1 }), `{"name": ${KEY}`].map((body) => ({
    method: 'POST',
    path: PARTNERS,
    headers: { ...JSON_TYPE, 'idempotency-key': `"${KEY}"` },
    body,
  })),
  { method: 'POST', path: PARTNERS, headers: { 'content-type': `text/${KEY}` }, body: KEY },
  {
    method: 'QUERY',
    path: PRODUCTS,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `filter=name=${KEY}`,
  },
  ...[
    { method: 'tools/call', params: { name: 'query', arguments: { resource: 'product', filter: `name=${KEY}` } } },
    { method: 'tools/call', params: { name: KEY, arguments: { [KEY]: KEY } } },
    { method: KEY, params: {} },
  ].map((message) => ({
    method: 'POST',
    path: '/mcp',
    headers: { ...JSON_TYPE, accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: KEY, ...message }),
  })),
];

const rawRequests: readonly string[] = [
  `${KEY} / HTTP/1.1\r\n\r\n`,
  `GET /${KEY}\r\n\r\n`,
  `GET / HTTP/1.1\r\n${KEY}\r\n\r\n`,
  `GET http://x:${KEY}@acme.localhost${PRODUCTS} HTTP/1.1\r\nHost: acme.localhost\r\nConnection: close\r\n\r\n`,
  `GET http://${KEY}/api/v1/${KEY} HTTP/1.1\r\nHost: ${KEY}\r\nConnection: close\r\n\r\n`,
  `OPTIONS * HTTP/1.1\r\nHost: ${KEY}\r\nConnection: close\r\n\r\n`,
  `POST ${PARTNERS} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${KEY}\r\n`,
];

describe.each(aboveStore)('on $name', (engine) => {
  const service = sharedService(engine);

  test('the log has a line for each of these requests, and never the secret', async () => {
    for (const request of requests)
      await sendUnchecked(service.port, { ...request, headers: { ...bearer(service.key), ...request.headers } });
    for (const bytes of rawRequests) await sendRaw(service.port, bytes);
    const completed = () => service.events.filter(({ kind }) => kind === 'request completed').length;
    await expect.poll(completed).toBeGreaterThanOrEqual(requests.length + rawRequests.length);
    const prints = [jsonLines(), textLines(false)];
    for (const [print, filterValues] of prints.flatMap((print) => [[print, false] as const, [print, true] as const])) {
      const lines: string[] = [];
      const listener = log(print, (line) => void lines.push(line), { level: 'debug', access: 'all', filterValues });
      for (const event of service.events) listener(event);
      const secrets = [secret, secret.toUpperCase(), btoa(KEY), BASIC.slice('Basic '.length)];
      expect(lines.filter((line) => secrets.some((text) => line.includes(text)))).toEqual([]);
      // The public id of a key that does not exist is whatever the client sent.
      expect(lines.filter((line) => line.includes('authentication failed') && line.includes(id))).toEqual([]);
      expect(lines).toContainEqual(expect.stringContaining('authentication failed'));
      expect(lines.join('')).not.toContain(service.key);
    }
  });
});
