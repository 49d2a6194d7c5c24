/** `/mcp` is guarded like the API: keys, hosts, scopes, limits and faults. */

import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { generateKey, printKey } from '../../src/access/key.ts';
import { aboveStore } from '../support/above-store.ts';
import { callTool, earlierRequest, readCalled, rpcRequest, toolRequest } from '../support/mcp.ts';
import { checkReply, checkRow, PARTNERS } from '../support/rows.ts';
import {
  awaitedLater,
  bearer,
  keyId,
  send,
  startService,
  type TestReply,
  type TestRequest,
  type TestService,
} from '../support/service.ts';
import { sharedService } from '../support/shared.ts';
import { TestClock } from '../support/test-clock.ts';

const QUERY = toolRequest('query', { resource: 'product' });
const CREATE = toolRequest('create_partner', { name: 'Anyone' });

/** Every kind of message. */
const messages: readonly (readonly [string, TestRequest])[] = [
  ['discovery', rpcRequest('server/discover')],
  ['the list of tools', rpcRequest('tools/list')],
  ['describe', toolRequest('describe')],
  ['a query', QUERY],
  ['a query that is wrong', toolRequest('query', { resource: 'product', filter: 'x' })],
  ['arguments that are wrong', toolRequest('query', { resource: 'x' })],
  ['a create', CREATE],
  ['an unknown tool', toolRequest('x')],
  ['an unknown method', rpcRequest('x')],
  [
    'initialize',
    earlierRequest({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } }),
  ],
  ['ping', earlierRequest({ jsonrpc: '2.0', id: 1, method: 'ping' })],
  ['a notification', earlierRequest({ jsonrpc: '2.0', method: 'notifications/initialized' })],
  ['a batch', earlierRequest([])],
  ['a body that is not JSON', earlierRequest('{')],
  ['a body of another type', { ...QUERY, headers: { ...QUERY.headers, 'content-type': 'text/plain' } }],
  ['a web page', { ...QUERY, headers: { ...QUERY.headers, origin: 'https://evil.example' } }],
  ['a GET', { path: '/mcp' }],
  ['a path below', { ...QUERY, path: '/mcp/x' }],
  ['a malformed path', { ...QUERY, path: '/mcp/%zz' }],
];

const as = (key: string, request: TestRequest): TestRequest => ({
  ...request,
  headers: { ...request.headers, ...bearer(key) },
});

describe.each(aboveStore)('on $name', (engine) => {
  describe('keys and scopes', () => {
    const service = sharedService(engine);

    const toolsOf = async (key: string): Promise<readonly string[]> => {
      const { json } = await service.send(as(key, rpcRequest('tools/list')));
      return Object(json).result.tools.map(({ name }: { name: string }) => name);
    };
    const firstLine = async (key: string, tool: string, given: object) =>
      (await callTool({ port: service.port, key }, tool, given)).lines[0];

    test.each(messages)('%s needs a key', async (_, request) => {
      checkReply(await send(service.port, request), {
        status: 401,
        has: { code: 'authentication_required' },
        headers: { 'www-authenticate': 'Bearer realm="stockbook"' },
      });
      expect(await send(service.port, as(printKey(generateKey()), request))).toRespond(401);
    });

    test.each(messages)('%s is a 401 as soon as the key is revoked', async (_, request) => {
      const key = await service.issue(service.acme);
      for (const _ of ['without a cached session', 'with one'])
        expect((await service.send(as(key, request))).status).not.toBe(401);
      await service.store.keys.revoke(keyId(key), '2026-01-01T00:00:00.000Z');
      for (const _ of ['with a cached session', 'without one'])
        checkReply(await service.send(as(key, request)), { status: 401, has: { code: 'key_not_accepted' } });
    });

    test('a key that is revoked does not end the sessions of others', async () => {
      const [key, other] = [await service.issue(service.acme), await service.issue(service.acme)];
      expect(await toolsOf(key)).toEqual(await toolsOf(other));
      await service.store.keys.revoke(keyId(other), '2026-01-01T00:00:00.000Z');
      expect(await service.send(as(key, rpcRequest('tools/list')))).toRespond(200);
      expect(await firstLine(key, 'create_partner', { name: 'After a revocation' })).toMatch(/^Created/);
    });

    test('a key for reading sees no tool that writes, and cannot call it', async () => {
      const key = await service.issue(service.acme, { scopes: ['read'] });
      expect(await toolsOf(key)).toEqual(['describe', 'query', 'get', 'aggregate', 'changes']);
      expect(await firstLine(key, 'create_partner', { name: 'Reader' })).toBe(
        'scope_missing (403): This request requires the scope partner:write or write; the key has read.',
      );
      await checkRow(service, {
        request: { path: `${PARTNERS}?filter=name=Reader` },
        status: 200,
        has: { meta: { total: 0 } },
      });
    });

    test('a key for writing sees no tool that reads, and cannot call it', async () => {
      const key = await service.issue(service.acme, { scopes: ['write'] });
      expect(await toolsOf(key)).toEqual(['create_partner']);
      for (const [tool, given] of [
        ['describe', {}],
        ['query', { resource: 'product' }],
        ['get', { resource: 'product', id: 1 }],
        ['get', { resource: 'product', id: 'x' }],
        ['aggregate', { resource: 'product' }],
        ['changes', { resource: 'product' }],
      ] as const)
        expect(await firstLine(key, tool, given)).toMatch(/^scope_missing \(403\)/);
      expect(await firstLine(key, 'create_partner', { name: 'Writer' })).toMatch(/^Created/);
    });

    test('an account sees its own records only', async () => {
      const globex = { port: service.port, key: await service.issue(service.globex) };
      for (const account of [service, globex, service, globex]) {
        const isAcme = account === service;
        const found = await callTool(account, 'query', { resource: 'product', filter: 'name*secret' });
        expect(found.structured).toMatchObject({ total: isAcme ? 0 : 1 });
        expect(await callTool(account, 'get', { resource: 'partner', id: 900 })).toMatchObject({ isError: isAcme });
        const { text } = await callTool(account, 'changes', { resource: 'product' });
        expect(text.includes('Secret of Globex')).toBe(!isAcme);
      }
      // A cursor of one account is none of another.
      const { structured } = await callTool(globex, 'changes', { resource: 'product' });
      const failed = await callTool(service, 'changes', Object(structured['next']).arguments);
      expect(failed.lines[0]).toMatch(/^invalid_cursor/);
      // Neither is an idempotency key.
      const given = { name: 'Both', idempotency_key: 'shared' };
      for (const account of [service, globex])
        expect((await callTool(account, 'create_partner', given)).structured).toMatchObject({ created: true });
    });
  });

  test('with a real domain, a key works on the host of its account', async () => {
    const service = await startService(engine, { settings: { domain: 'stock.example' } });
    try {
      for (const [host, status] of [
        ['acme.stock.example', 200],
        ['globex.stock.example', 401],
        ['127.0.0.1', 401],
      ] as const)
        expect(await service.send({ ...QUERY, headers: { ...QUERY.headers, host } })).toMatchObject({ status });
    } finally {
      await service.close();
    }
  });

  describe('limits', () => {
    let service: TestService;
    let clock: TestClock;
    beforeEach(async () => {
      clock = new TestClock();
      service = await startService(engine, { settings: { 'rate-limit': '2', 'failed-auth-limit': '1' }, clock });
    });
    afterEach(() => service.close());

    const overLimit = async (request: TestRequest): Promise<TestReply> => {
      for (let n = 0; n < 2; n += 1) await service.send(rpcRequest('tools/list'));
      return service.send(request);
    };

    test('a model is told to wait, and that nothing was created', async () => {
      const { isError, lines } = readCalled(await overLimit(CREATE));
      expect({ isError, lines: lines.slice(0, 1) }).toEqual({
        isError: true,
        lines: ['too_many_requests (429): This key is limited to 2 requests per second.'],
      });
      expect(lines).toContain('Retry-After: 1 s');
      clock.elapse(1_000);
      const [, json = ''] = /create_partner (.*)$/.exec(lines.at(-1) ?? '') ?? [];
      expect((await callTool(service, 'create_partner', JSON.parse(json))).structured).toMatchObject({ created: true });
    });

    test('other messages, and bodies that would have to be read first, get an HTTP error', async () => {
      const long = toolRequest('query', { resource: 'product', filter: 'x'.repeat(20_000) });
      for (const request of [rpcRequest('tools/list'), long, earlierRequest('{'), { path: '/mcp' }]) {
        checkReply(await overLimit(request), {
          status: 429,
          has: { code: 'too_many_requests' },
          headers: { 'retry-after': '1' },
        });
        clock.elapse(1_000);
      }
    });

    test('an address with too many wrong keys gets the same', async () => {
      const wrong = () => service.send(as(printKey(generateKey()), QUERY));
      for (let n = 0; n < 10; n += 1) expect(await wrong()).toRespond(401);
      checkReply(await wrong(), { status: 429, has: { code: 'too_many_failed_attempts' } });
    });
  });

  describe('faults', () => {
    const service = sharedService(engine);

    test('a create that timed out can be retried', async () => {
      const release = await service.database.holdWrites();
      const creating = awaitedLater(callTool(service, 'create_partner', { name: 'Patient' }));
      expect(await callTool(service, 'query', { resource: 'product' })).toMatchObject({ isError: false });
      const { isError, lines } = await creating;
      await release();
      expect({ isError, first: lines[0] }).toEqual({
        isError: true,
        first: 'store_busy (503): Timed out waiting for another write.',
      });
      const [, json = ''] = /^To retry without doing it twice: create_partner (.*)$/.exec(lines.at(-1) ?? '') ?? [];
      for (const created of [true, false])
        expect((await callTool(service, 'create_partner', JSON.parse(json))).structured).toMatchObject({ created });
    });

    test.each(['end', 'destroy'] as const)('a client that disconnects (%s) can retry', async (disconnect) => {
      const release = await service.database.holdWrites();
      const given = { name: `Gone-${disconnect}`, idempotency_key: disconnect };
      const { headers, body = '' } = as(service.key, toolRequest('create_partner', given));
      const completed = () => service.events.filter(({ kind }) => kind === 'request completed').length;
      const before = completed();
      const socket = connect(service.port, '127.0.0.1');
      const head = Object.entries({ host: 'x', 'content-length': body.length, ...headers });
      socket.write(`POST /mcp HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`);
      // Another request is served meanwhile.
      await callTool(service, 'describe');
      socket[disconnect]();
      await expect.poll(completed).toBe(before + 2);
      socket.destroy();
      await release();
      // Until the first one has ended, its key is in progress.
      await expect.poll(async () => (await callTool(service, 'create_partner', given)).isError).toBe(false);
      const request = { path: `${PARTNERS}?filter=name=${given.name}` };
      await checkRow(service, { request, status: 200, has: { meta: { total: 1 } } });
    });

    test('a client that disconnects in the middle of its message causes no error', async () => {
      const socket = connect(service.port, '127.0.0.1');
      socket.write(
        `POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"jsonrpc"`,
      );
      await callTool(service, 'describe');
      socket.destroy();
      await callTool(service, 'describe');
      expect(service.events.filter(({ kind }) => kind === 'request failed')).toEqual([]);
    });

    test('an internal error reveals nothing', async () => {
      await service.database.execute('ALTER TABLE company RENAME TO misplaced');
      const { isError, text } = await callTool(service, 'query', { resource: 'company' });
      expect(isError).toBe(true);
      expect(text).toMatch(/^internal_error \(500\): Something went wrong inside the service\.\n/);
      expect(text).not.toMatch(/misplaced|SELECT|sqlite|postgres|at \w+ \(/i);
      expect(await callTool(service, 'query', { resource: 'product' })).toMatchObject({ isError: false });
    });
  });
});
