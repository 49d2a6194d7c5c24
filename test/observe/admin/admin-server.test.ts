/** The admin address: metrics, health checks and who uses the service. */

import { once } from 'node:events';
import { statfsSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { generateKey, printKey } from '../../../src/access/key.ts';
import { MAX_CONNECTIONS, startAdminServer } from '../../../src/observe/admin/admin-server.ts';
import { metricNames, metrics } from '../../../src/observe/metrics/metrics.ts';
import { aboveStore } from '../../support/above-store.ts';
import { sqlite } from '../../support/engines.ts';
import { checkReply, createPartner, PARTNERS, PRODUCTS } from '../../support/rows.ts';
import { bearer, keyId, send, sendUnchecked, type TestRequest, type TestService } from '../../support/service.ts';
import { sharedService } from '../../support/shared.ts';
import { TestClock } from '../../support/test-clock.ts';
import { hasPromtool, runTool } from '../../support/tools.ts';

const textOf = async (service: TestService) => (await sendUnchecked(service.adminPort, { path: '/metrics' })).text;

/** The value of a series; undefined if there is none. */
const valueIn = (text: string, series: string) => {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
};

describe.each(aboveStore)('on $name', (engine) => {
  const service = sharedService(engine, { clock: new TestClock() });

  test('requests, errors, rows, writes and accounts are counted', async () => {
    for (let n = 0; n < 3; n += 1) await service.send({ path: `${PRODUCTS}?limit=2` });
    await service.send({ path: `${PRODUCTS}?page=x` });
    await service.send({ path: `${PRODUCTS}/4711` });
    await service.send(createPartner('Counted'));
    const list = `route="${PRODUCTS}",method="GET"`;
    await expect
      .poll(async () => valueIn(await textOf(service), `stockbook_http_requests_total{${list},status_class="2xx"}`))
      .toBe(3);
    const text = await textOf(service);
    const value = (series: string) => valueIn(text, series);
    expect(value(`stockbook_http_requests_total{${list},status_class="4xx"}`)).toBe(1);
    expect(value(`stockbook_http_requests_total{route="${PRODUCTS}/{id}",method="GET",status_class="4xx"}`)).toBe(1);
    expect(value(`stockbook_http_request_duration_seconds_count{route="${PRODUCTS}",status_class="2xx"}`)).toBe(3);
    expect(value('stockbook_http_problems_total{code="invalid_page"}')).toBe(1);
    expect(value('stockbook_http_problems_total{code="key_not_accepted"}')).toBe(0);
    expect(value('stockbook_http_rows_total')).toBe(6);
    expect(value('stockbook_write_duration_seconds_count')).toBeGreaterThan(0);
    expect(value('stockbook_account_requests_per_second{account="acme"}')).toBe(0.4);
    expect(value('stockbook_account_errors_per_second{account="acme"}')).toBe(0.133);
    expect(value('stockbook_cache_hits_total{cache="sessions"}')).toBeGreaterThan(0);
    expect(value('stockbook_cache_bytes')).toBeGreaterThan(0);
    expect(value('stockbook_pool_max_connections{pool="slow"}')).toBeGreaterThan(0);
    expect(value('stockbook_database_connects_total')).toBe(1);
  });

  test('/status shows requests without a valid key, by error', async () => {
    const wrong = bearer(printKey(generateKey()));
    for (let n = 0; n < 3; n += 1) await send(service.port, { path: PRODUCTS, headers: wrong });
    await send(service.port, { path: PRODUCTS });
    // It needs no key.
    await send(service.port, { path: '/openapi.json' });
    const refused = async () => Object((await sendUnchecked(service.adminPort, { path: '/status' })).json).refused;
    await expect.poll(async () => (await refused()).length).toBe(2);
    expect(await refused()).toMatchObject([
      { problem: 'key_not_accepted', status: 401, requestsPerSecond: expect.any(Number) },
      { problem: 'authentication_required', status: 401 },
    ]);
  });

  test('/status shows accounts, keys and revisions', async () => {
    const before = await service.store.accounts.overview(['acme', 'nobody']);
    expect([...before.keys()]).toEqual(['acme']);
    await service.send(createPartner('Shown'));
    await expect
      .poll(async () => Object((await sendUnchecked(service.adminPort, { path: '/status' })).json).accounts)
      .toMatchObject([
        {
          account: 'acme',
          revisions: { partner: (before.get('acme')?.revisions.get('partner') ?? 0) + 1 },
          storage: { records: expect.any(Number), bytes: expect.any(Number), limits: { records: 0, bytes: 0 } },
        },
      ]);
    const { json } = await sendUnchecked(service.adminPort, { path: '/status' });
    expect(json).toMatchObject({
      window: 15,
      workers: { responsive: 1, unresponsive: 0 },
      keys: [{ account: 'acme', key: keyId(service.key), requestsPerSecond: expect.any(Number) }],
    });
  });
});

describe('on any engine', () => {
  const service = sharedService(sqlite);

  const get = (request: Partial<TestRequest>) => sendUnchecked(service.adminPort, { path: '/metrics', ...request });

  test('every series is in the table, with its labels, and everything in the table is there', async () => {
    await service.send({ path: PARTNERS });
    await expect.poll(() => textOf(service)).toContain(`route="${PARTNERS}"`);
    const [account] = await service.store.accounts.list();
    if (account === undefined) throw new Error('there is no account');
    await service.store.accounts.setLimits(account.id, { recordLimit: 100 });
    const headers = {
      ...bearer(await service.issue(service.acme, { scopes: ['edit'] })),
      'content-type': 'application/json',
    };
    const report = (error: string | null) =>
      service.send({
        method: 'PUT',
        path: '/api/v1/sources/watch%22partner',
        headers,
        body: JSON.stringify({ error }),
      });
    const saved = `${PARTNERS}/import?source=watch%22partner&position=1`;
    checkReply(await service.send({ method: 'POST', path: saved, headers, body: '[]' }), { status: 200 });
    checkReply(await report(null), { status: 200 });
    checkReply(await report('The ERP is down.'), { status: 200 });
    // From the second scrape on.
    for (const line of [
      'stockbook_ready 1',
      'stockbook_backup_timestamp_seconds 0',
      'stockbook_account_storage_ratio{',
      'stockbook_source_saved_timestamp_seconds{account="acme",source="watch\\"partner"}',
      'stockbook_source_checked_timestamp_seconds{account="acme",source="watch\\"partner"}',
      'stockbook_source_failing{account="acme",source="watch\\"partner"} 1',
    ])
      await expect.poll(() => textOf(service)).toContain(line);
    const text = await textOf(service);
    const seen = new Set<string>();
    for (const [, series = '', labels = ''] of text.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gm)) {
      const name = metricNames.find((each) => series === each || series.replace(/_(bucket|sum|count)$/, '') === each);
      if (name === undefined) throw new Error(`${series} is not in the table`);
      const names = [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label).filter((label) => label !== 'le');
      expect({ series, names }).toEqual({ series, names: metrics[name].labels });
      seen.add(name);
    }
    expect([...seen].toSorted()).toEqual(metricNames.toSorted());
  });

  test('the numbers of what is stored, sent and free are the real ones', async () => {
    const scraped = async (name: string) => valueIn(await textOf(service), `stockbook_${name}`) ?? Number.NaN;
    const before = await scraped('http_response_bytes_total');
    const { text } = await service.send({ path: `${PRODUCTS}?limit=1000` });
    await expect.poll(() => scraped('http_response_bytes_total')).toBe(before + Buffer.byteLength(text));
    const { store, acme, globex, database } = service;
    const [own, foreign] = [await store.accounts.storage(acme.id), await store.accounts.storage(globex.id)];
    await expect
      .poll(async () => [await scraped('stored_records'), await scraped('stored_bytes')])
      .toEqual([Object(own).records + Object(foreign).records, Object(own).bytes + Object(foreign).bytes]);
    expect(await scraped('write_ahead_log_bytes')).toBe(statSync(`${database.url}-wal`).size);
    for (const [name, path] of [
      ['disk_free_bytes', database.url],
      ['temporary_disk_free_bytes', tmpdir()],
    ] as const) {
      const { blocks, bsize } = statfsSync(path);
      const free = await scraped(name);
      expect({ name, isPlausible: 0 < free && free < blocks * bsize }).toEqual({ name, isPlausible: true });
    }
  });

  test.skipIf(!hasPromtool)('promtool finds nothing wrong', async () => {
    expect(runTool('promtool', ['check', 'metrics'], await textOf(service))).toEqual({ code: 0, output: '' });
  });

  test('clients cannot create series', async () => {
    const before = (await textOf(service)).split('\n').length;
    for (let n = 0; n < 50; n += 1) {
      await sendUnchecked(service.port, { path: `/guess-${n}` });
      await service.send({ path: `${PRODUCTS}/${n}?x${n}=1`, headers: { 'user-agent': `agent ${n}` } });
    }
    await expect.poll(() => textOf(service)).toContain('route="unknown",method="GET",status_class="4xx"} 50');
    const text = await textOf(service);
    // One route and status class for each of both.
    expect(text.split('\n').length).toBeLessThan(before + 2 * 25);
    expect(text).not.toContain('guess');
  });

  test('nothing is on the public port', async () => {
    for (const path of ['/metrics', '/health/live', '/health/ready', '/status'])
      expect(await service.send({ path })).toRespond(404);
  });

  test.each<[string, Partial<TestRequest>, number]>([
    ['is a 200', { path: '/metrics' }, 200],
    ['ignores a query string', { path: '/metrics?x=1' }, 200],
    ['supports HEAD', { method: 'HEAD' }, 200],
    ['supports no other method', { method: 'POST', body: 'x' }, 405],
    ['has no other path', { path: '/' }, 404],
    ['has no path like a property of an object', { path: 'constructor' }, 400],
    ['answers to localhost', { headers: { host: 'localhost:8081' } }, 200],
    ['answers to an IPv6 address', { headers: { host: '[::1]:8081' } }, 200],
    ['does not answer to the name of a web page', { headers: { host: 'evil.example' } }, 421],
    ['is live', { path: '/health/live' }, 200],
    ['is ready', { path: '/health/ready' }, 200],
  ])('it %s', async (_, request, status) => {
    expect(await get(request)).toRespond(status);
  });

  test('an error is a problem, and nothing may be cached', async () => {
    const { json, headers } = await get({ path: '/nothing' });
    expect(json).toMatchObject({ status: 404, detail: expect.stringContaining('/health/ready') });
    expect(headers).toMatchObject({ 'content-type': 'application/problem+json', 'cache-control': 'no-store' });
  });

  test('connections are limited', async () => {
    const sockets = Array.from({ length: MAX_CONNECTIONS + 1 }, () => connect(service.adminPort, '127.0.0.1'));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    await Promise.race(sockets.map((socket) => once(socket.resume(), 'close')));
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => get({})).toRespond(200);
  });

  test('a request that does not arrive in time is cut off', async () => {
    const app = { respond: async () => ({ status: 200, type: 'text/plain', body: '' }) };
    const server = await startAdminServer(app, { host: '127.0.0.1', port: 0, arrivalTimeout: 100 });
    onTestFinished(() => server.close());
    const socket = connect(server.port, '127.0.0.1').resume();
    socket.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n');
    await once(socket, 'close');
  });
});
