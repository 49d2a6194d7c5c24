/** JSON-RPC over HTTP, message by message: versions, headers, and whatever a hostile client may send. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import { CURRENT_VERSION, EARLIER_VERSIONS, MAX_ID_LENGTH } from '../../src/mcp/protocol.ts';
import { toolsOf } from '../../src/mcp/tools.ts';
import { MAX_BODY_BYTES } from '../../src/request/body.ts';
import { aboveStore } from '../support/above-store.ts';
import { anyText } from '../support/any-text.ts';
import { earlierRequest, rpcRequest, toolRequest } from '../support/mcp.ts';
import { rounds } from '../support/rounds.ts';
import { checkReply } from '../support/rows.ts';
import type { TestRequest } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const SUPPORTED = [CURRENT_VERSION, ...EARLIER_VERSIONS];

const withHeaders = (request: TestRequest, headers: TestRequest['headers']): TestRequest => ({
  ...request,
  headers: { ...request.headers, ...headers },
});
const list = rpcRequest('tools/list');
const earlier = (message: object, headers: TestRequest['headers'] = {}) =>
  earlierRequest({ jsonrpc: '2.0', id: 1, ...message }, headers);
/** A request of the current version with this `_meta`. */
const withMeta = (meta: unknown) =>
  withHeaders(earlier({ method: 'tools/list', params: { _meta: meta } }), {
    'mcp-protocol-version': CURRENT_VERSION,
    'mcp-method': 'tools/list',
  });

/** A message of the maximum size, and this many bytes more. */
const withPadding = (bytes: number): TestRequest => ({
  ...list,
  body: String(list.body).padEnd(MAX_BODY_BYTES + bytes),
});

interface ErrorRow {
  readonly name: string;
  readonly request: TestRequest;
  readonly status: number;
  readonly code: number;
  /** Undefined if the id could not be read. */
  readonly id?: unknown;
  readonly error?: object;
}

const errors: readonly ErrorRow[] = [
  // Bodies
  { name: 'no body', request: { ...list, body: '' }, status: 400, code: -32700 },
  { name: 'not JSON', request: earlierRequest('{"jsonrpc"'), status: 400, code: -32700 },
  { name: 'not UTF-8', request: { ...list, body: Buffer.from([0x22, 0xff, 0x22]) }, status: 400, code: -32700 },
  {
    name: 'a repeated member',
    request: earlierRequest('{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}'),
    status: 400,
    code: -32700,
  },
  {
    name: 'a repeated member deep in the arguments',
    request: earlierRequest(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"name":"a","n\\u0061me":"b"}}}',
    ),
    status: 400,
    code: -32700,
  },
  { name: 'a batch', request: earlierRequest([{ jsonrpc: '2.0', id: 1, method: 'ping' }]), status: 400, code: -32600 },
  { name: 'an empty batch', request: earlierRequest([]), status: 400, code: -32600 },
  {
    name: 'arrays in arrays',
    request: earlierRequest('['.repeat(32_000) + ']'.repeat(32_000)),
    status: 400,
    code: -32700,
  },
  { name: 'a string', request: earlierRequest('"ping"'), status: 400, code: -32600 },
  { name: 'null', request: earlierRequest('null'), status: 400, code: -32600 },
  {
    name: 'another JSON-RPC',
    request: earlierRequest({ jsonrpc: '1.0', id: 1, method: 'ping' }),
    status: 400,
    code: -32600,
  },
  { name: 'no method', request: earlierRequest({ jsonrpc: '2.0', id: 1 }), status: 400, code: -32600 },
  { name: 'a response', request: earlierRequest({ jsonrpc: '2.0', id: 1, result: {} }), status: 400, code: -32600 },
  { name: 'a null id', request: earlier({ id: null, method: 'ping' }), status: 400, code: -32600 },
  { name: 'a fraction as id', request: earlier({ id: 1.5, method: 'ping' }), status: 400, code: -32600 },
  {
    name: 'an id that is rounded',
    request: earlierRequest('{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}'),
    status: 400,
    code: -32600,
  },
  { name: 'an object as id', request: earlier({ id: {}, method: 'ping' }), status: 400, code: -32600 },
  {
    name: 'a huge id',
    request: earlier({ id: 'x'.repeat(MAX_ID_LENGTH + 1), method: 'ping' }),
    status: 400,
    code: -32600,
  },
  { name: 'params in an array', request: earlier({ method: 'ping', params: [] }), status: 400, code: -32600, id: 1 },

  // Methods
  { name: 'an unknown method', request: rpcRequest('prompts/list'), status: 404, code: -32601, id: 1 },
  {
    name: 'an unknown method, earlier',
    request: earlier({ method: 'prompts/list' }),
    status: 200,
    code: -32601,
    id: 1,
  },
  { name: 'the name of a property', request: rpcRequest('constructor'), status: 404, code: -32601, id: 1 },
  { name: 'ping, which no longer exists', request: rpcRequest('ping'), status: 404, code: -32601, id: 1 },
  { name: 'initialize, which no longer exists', request: rpcRequest('initialize'), status: 404, code: -32601, id: 1 },
  {
    name: 'server/discover, which did not exist',
    request: earlier({ method: 'server/discover' }),
    status: 200,
    code: -32601,
    id: 1,
  },
  {
    name: 'initialize without a version',
    request: earlier({ method: 'initialize' }),
    status: 200,
    code: -32602,
    id: 1,
  },
  {
    name: 'another page of tools',
    request: rpcRequest('tools/list', { cursor: 'x' }),
    status: 200,
    code: -32602,
    id: 1,
  },
  { name: 'an unknown tool', request: rpcRequest('tools/call', { name: 'drop' }), status: 200, code: -32602, id: 1 },
  { name: 'a tool with the name of a property', request: toolRequest('__proto__'), status: 200, code: -32602, id: 1 },
  { name: 'no tool', request: rpcRequest('tools/call'), status: 200, code: -32602, id: 1 },
  {
    name: 'a tool whose name is a number',
    request: rpcRequest('tools/call', { name: 7 }),
    status: 200,
    code: -32602,
    id: 1,
  },

  // Versions
  {
    name: 'an unknown version in the header',
    request: earlier({ method: 'ping' }, { 'mcp-protocol-version': '1999-01-01' }),
    status: 400,
    code: -32022,
    id: 1,
    error: { data: { supported: SUPPORTED, requested: '1999-01-01' } },
  },
  {
    name: 'an unknown version in header and body',
    request: withHeaders(withMeta({ [VERSION_KEY]: '2099-01-01', [CAPABILITIES_KEY]: {} }), {
      'mcp-protocol-version': '2099-01-01',
    }),
    status: 400,
    code: -32022,
    id: 1,
    error: { data: { supported: SUPPORTED, requested: '2099-01-01' } },
  },
  { name: 'the current version in the header only', request: withMeta(undefined), status: 400, code: -32602, id: 1 },
  {
    name: 'no client capabilities',
    request: withMeta({ [VERSION_KEY]: CURRENT_VERSION }),
    status: 400,
    code: -32602,
    id: 1,
  },
  {
    name: 'a version that is not a string',
    request: withMeta({ [VERSION_KEY]: 1, [CAPABILITIES_KEY]: {} }),
    status: 400,
    code: -32602,
    id: 1,
  },

  // Headers that contradict the body
  {
    name: 'no version header',
    request: withHeaders(list, { 'mcp-protocol-version': undefined }),
    status: 400,
    code: -32020,
    id: 1,
  },
  {
    name: 'an earlier version in the header',
    request: withHeaders(list, { 'mcp-protocol-version': '2025-11-25' }),
    status: 400,
    code: -32020,
    id: 1,
  },
  {
    name: 'no method header',
    request: withHeaders(list, { 'mcp-method': undefined }),
    status: 400,
    code: -32020,
    id: 1,
  },
  {
    name: 'another method in the header',
    request: withHeaders(list, { 'mcp-method': 'tools/call' }),
    status: 400,
    code: -32020,
    id: 1,
  },
  {
    name: 'no tool header',
    request: withHeaders(toolRequest('describe'), { 'mcp-name': undefined }),
    status: 400,
    code: -32020,
    id: 1,
  },
  {
    name: 'another tool in the header',
    request: withHeaders(toolRequest('create_partner'), { 'mcp-name': 'query' }),
    status: 400,
    code: -32020,
    id: 1,
  },
  {
    name: 'a tool header that is not Base64',
    request: withHeaders(toolRequest('describe'), { 'mcp-name': '=?base64?%%?=' }),
    status: 400,
    code: -32020,
    id: 1,
  },
];

/** With names that tools take. */
function argumentsOfAnyKind(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const names = [...new Set(toolsOf(builtInCatalog).flatMap((tool) => Object.keys(tool.arguments)))];
  const resource = fc.oneof(fc.constantFrom('product', 'partner', 'company'), values);
  const given = fc.dictionary(fc.constantFrom(...names), fc.oneof(values, fc.integer(), anyText()));
  return fc.tuple(given, resource).map(([others, named]) => ({ ...others, resource: named }));
}

describe.each(aboveStore)('on $name', (engine) => {
  const service = sharedService(engine);

  test.each(errors)('$name is a $status with the code $code', async ({ request, status, code, id, error = {} }) => {
    const reply = await service.send(request);
    expect(reply).toMatchObject({
      status,
      headers: { 'content-type': 'application/json' },
      json: { jsonrpc: '2.0', error: { code, message: expect.any(String), ...error } },
    });
    expect(Object(reply.json).id).toBe(id);
    expect(Object(reply.json).error.message.length).toBeLessThan(300);
  });

  test('discovery names the versions, the tools and what may be cached', async () => {
    const reply = await service.send(rpcRequest('server/discover', {}, 'a'));
    expect(reply).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(reply.json).toEqual({
      jsonrpc: '2.0',
      id: 'a',
      result: {
        resultType: 'complete',
        supportedVersions: SUPPORTED,
        capabilities: { tools: {} },
        instructions: expect.any(String),
        ttlMs: 3_600_000,
        cacheScope: 'private',
        _meta: {
          'io.modelcontextprotocol/serverInfo': { name: 'stockbook', title: 'Stockbook', version: expect.any(String) },
        },
      },
    });
  });

  test('results of the current version are complete and name the server', async () => {
    for (const request of [list, toolRequest('describe')])
      expect((await service.send(request)).json).toMatchObject({
        result: { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'stockbook' } } },
      });
  });

  test.each<readonly [string, string | undefined]>([
    ...EARLIER_VERSIONS.map((version) => [version, version] as const),
    ['2024-11-05', EARLIER_VERSIONS[0]],
    [CURRENT_VERSION, EARLIER_VERSIONS[0]],
    ['', EARLIER_VERSIONS[0]],
  ])('initialize with %j gets %j, and nothing that only the current version has', async (requested, version) => {
    const params = { protocolVersion: requested, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const { json } = await service.send(earlier({ method: 'initialize', params }));
    expect(json).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        protocolVersion: version,
        capabilities: { tools: {} },
        serverInfo: { name: 'stockbook', title: 'Stockbook', version: expect.any(String) },
        instructions: expect.any(String),
      },
    });
  });

  test.each([undefined, ...EARLIER_VERSIONS])('a client of version %s needs no session', async (version) => {
    const headers = { 'mcp-protocol-version': version, 'mcp-session-id': 'unknown', 'last-event-id': '7' };
    const { status, json, headers: received } = await service.send(earlier({ id: 'p', method: 'ping' }, headers));
    expect({ status, json }).toEqual({ status: 200, json: { jsonrpc: '2.0', id: 'p', result: {} } });
    expect(received).not.toHaveProperty('mcp-session-id');
    expect(
      (await service.send(earlier({ method: 'tools/call', params: { name: 'describe' } }, headers))).json,
    ).toMatchObject({ result: { content: [{ type: 'text', text: expect.stringContaining('list_price') }] } });
  });

  test.each(['notifications/initialized', 'notifications/cancelled', 'notifications/anything'])(
    '%s is accepted, and has no response',
    async (method) => {
      const reply = await service.send(earlierRequest({ jsonrpc: '2.0', method }));
      expect(reply).toMatchObject({ status: 202, text: '', headers: { 'content-length': '0' } });
    },
  );

  test('a tool header may be encoded', async () => {
    const name = `=?base64?${Buffer.from('describe').toString('base64')}?=`;
    expect(await service.send(withHeaders(toolRequest('describe'), { 'mcp-name': name }))).toRespond(200, {
      result: { content: [{}] },
    });
  });

  test('an id is repeated as it is', async () => {
    for (const id of [0, -1, Number.MAX_SAFE_INTEGER, '', 'x'.repeat(MAX_ID_LENGTH), '\u2028"\\'])
      expect((await service.send(rpcRequest('tools/list', {}, id))).json).toMatchObject({ id, result: {} });
  });

  test.each(['GET', 'DELETE', 'PUT', 'HEAD'])('%s is a 405', async (method) => {
    const reply = await service.send({ method, path: '/mcp' });
    expect(reply).toMatchObject({ status: 405, headers: { allow: 'POST, OPTIONS' } });
  });

  test.each<[string, TestRequest, number, string]>([
    ['a web page', withHeaders(list, { origin: 'https://evil.example' }), 403, 'origin_not_allowed'],
    [
      'a web page with a misleading address',
      withHeaders(list, { origin: 'http://localhost.evil.example' }),
      403,
      'origin_not_allowed',
    ],
    ['another one', withHeaders(list, { origin: 'http://127.0.0.1.evil.example:8080' }), 403, 'origin_not_allowed'],
    ['a web page without an address', withHeaders(list, { origin: 'null' }), 403, 'origin_not_allowed'],
    ['a client that does not accept JSON', withHeaders(list, { accept: 'text/event-stream' }), 406, 'not_acceptable'],
    ['a client that rejects JSON', withHeaders(list, { accept: 'application/json;q=0' }), 406, 'not_acceptable'],
    ['an endless Accept header', withHeaders(list, { accept: 'a/b,'.repeat(300) }), 406, 'not_acceptable'],
    ['another type of body', withHeaders(list, { 'content-type': 'text/plain' }), 415, 'unsupported_media_type'],
    ['no type of body', withHeaders(list, { 'content-type': undefined }), 415, 'unsupported_media_type'],
    ['a compressed body', withHeaders(list, { 'content-encoding': 'gzip' }), 415, 'unsupported_media_type'],
    ['a body that is too large', withPadding(1), 413, 'body_too_large'],
    ['a path below', { ...list, path: '/mcp/tools' }, 404, 'path_not_found'],
  ])('%s gets an HTTP error', async (_, request, status, code) => {
    checkReply(await service.send(request), { status, has: { code } });
  });

  test.each(['*/*', 'application/json', 'text/event-stream, application/*;q=0.1', undefined])(
    'Accept: %s is fine',
    async (accept) => {
      expect(await service.send(withHeaders(list, { accept }))).toRespond(200);
    },
  );

  test.each(['http://localhost:6274', 'http://acme.localhost', 'http://127.0.0.1:1', 'https://[::1]:8443'])(
    'a web page at %s is fine',
    async (origin) => {
      expect(await service.send(withHeaders(list, { origin }))).toRespond(200);
    },
  );

  test('a message may be as large as the limit, however it is sent', async () => {
    expect(await service.send(withPadding(0))).toRespond(200);
    const chunked = { 'transfer-encoding': 'chunked' };
    expect(await service.send(withHeaders(withPadding(0), chunked))).toRespond(200);
    expect(await service.send(withHeaders(withPadding(1), chunked))).toRespond(413);
  });

  test('a trailing slash is ignored', async () => {
    expect(await service.send({ ...list, path: '/mcp/' })).toRespond(200);
  });

  test('no message breaks it', async () => {
    const values = fc.jsonValue({ maxDepth: 4 });
    const params = fc.record(
      {
        name: fc.oneof(fc.constantFrom(...toolsOf(builtInCatalog).map(({ name }) => name)), values),
        arguments: fc.oneof(argumentsOfAnyKind(values), values),
        _meta: values,
        protocolVersion: values,
      },
      { requiredKeys: [] },
    );
    const message = fc.record(
      {
        jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, values),
        id: fc.oneof({ weight: 9, arbitrary: fc.integer() }, values),
        method: fc.oneof(
          { weight: 9, arbitrary: fc.constant('tools/call') },
          fc.constantFrom('initialize', 'ping', 'tools/list', 'server/discover'),
          values,
        ),
        params: fc.oneof({ weight: 9, arbitrary: params }, values),
      },
      { requiredKeys: ['jsonrpc', 'method'] },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof({ weight: 9, arbitrary: message }, values), async (sent) => {
        const { status, json } = await service.send(earlierRequest(JSON.stringify(sent)));
        expect([200, 202, 400]).toContain(status);
        if (status !== 202) expect(json).toMatchObject({ jsonrpc: '2.0' });
      }),
      { numRuns: rounds(150, 500) },
    );
  });

  test('nothing was an internal error', () => {
    expect(service.events.filter(({ kind }) => kind === 'request failed')).toEqual([]);
  });
});
