/**
 * Every problem that the document lists for a kind of request does occur there, and every code of the registry is the response to some request
 * of a test. That the document misses none, every other test checks.
 */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { generateKey, printKey } from '../../src/access/key.ts';
import { issueSignInCode } from '../../src/access/sign-in.ts';
import { MAX_DEPTH, MAX_FILTER_BYTES, MAX_LIST_ITEMS } from '../../src/filter/limits.ts';
import { ownProblems } from '../../src/openapi/problems.ts';
import { registry } from '../../src/problem/registry.ts';
import { MAX_ACCEPT_BYTES } from '../../src/request/accept.ts';
import { MAX_QUERY_BYTES, QUERY_TYPE } from '../../src/request/body.ts';
import { accountKinds, resourceKinds } from '../../src/request/endpoints.ts';
import type { ApiEndpoint } from '../../src/request/route.ts';
import { aboveStore } from '../support/above-store.ts';
import { rpcRequest } from '../support/mcp.ts';
import { bodyOf, PARTNERS, PRODUCTS } from '../support/rows.ts';
import { bearer, type TestReply, type TestRequest, type TestService } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';
import { type TestedElsewhere, testsOfProblems } from './problem-tests.ts';

const form = { 'content-type': QUERY_TYPE };
const json = { 'content-type': 'application/json' };

const filtered = (path: string): readonly TestRequest[] => [
  { path: `${path}?filter=id=1&filter=id=2` },
  { path: `${path}?filter=nothing=1` },
  { path: `${path}?q=${'x'.repeat(501)}` },
  { path: `${path}?filter=name` },
  { method: 'QUERY', path, headers: form, body: `filter=name=${'x'.repeat(MAX_FILTER_BYTES)}` },
  { path: `${path}?filter=${'('.repeat(MAX_DEPTH + 1)}id=1${')'.repeat(MAX_DEPTH + 1)}` },
  { path: `${path}?filter=id[${Array.from({ length: MAX_LIST_ITEMS + 1 }, (_, n) => n).join()}]` },
  { path: `${path}?filter=name>1` },
  { path: `${path}?filter=id=null` },
  { path: `${path}?filter=id=x` },
  { method: 'QUERY', path, headers: { 'content-type': 'text/plain' }, body: 'limit=1' },
  { method: 'QUERY', path, headers: form, body: 'x'.repeat(MAX_QUERY_BYTES + 1) },
];

const streamed = (path: string): readonly TestRequest[] => [
  { path: `${path}?format=xml` },
  { path, headers: { accept: 'x'.repeat(MAX_ACCEPT_BYTES + 1) } },
];

const create = (body: string, headers: TestRequest['headers'] = {}): TestRequest => ({
  method: 'POST',
  path: PARTNERS,
  headers: { ...json, ...headers },
  body,
});

const update = (body: string, { path = `${PRODUCTS}/1`, ...headers }: TestRequest['headers'] = {}): TestRequest => ({
  method: 'PATCH',
  path,
  headers: { ...json, ...headers },
  body,
});

/** Node does not announce the body of a DELETE by itself. */
const withBody = (headers: TestRequest['headers'], body?: string): Pick<TestRequest, 'headers' | 'body'> =>
  body === undefined
    ? { headers: { ...headers } }
    : { headers: { ...headers, 'content-length': String(body.length) }, body };

const remove = (id: number, headers: TestRequest['headers'] = {}, body?: string): TestRequest => ({
  method: 'DELETE',
  path: `${PRODUCTS}/${id}`,
  ...withBody(headers, body),
});

const importing = (query: string, body: string, headers: TestRequest['headers'] = {}): TestRequest => ({
  method: 'POST',
  path: `${PRODUCTS}/import${query}`,
  headers: { ...json, ...headers },
  body,
});

const cancel = (id: string, body?: string): TestRequest => ({
  method: 'DELETE',
  path: `/api/v1/imports/${id}`,
  ...withBody({}, body),
});

const saveView = (body: string, { id = 'a', ...headers }: TestRequest['headers'] = {}): TestRequest => ({
  method: 'PUT',
  path: `/api/v1/views/${id}`,
  headers: { ...json, ...headers },
  body,
});

const report = (body: string, headers: TestRequest['headers'] = {}): TestRequest => ({
  method: 'PUT',
  path: '/api/v1/sources/none',
  headers: { ...json, ...headers },
  body,
});

const removeView = (id: string, headers: TestRequest['headers'] = {}, body?: string): TestRequest => ({
  method: 'DELETE',
  path: `/api/v1/views/${id}`,
  ...withBody(headers, body),
});

const removeSource = (name: string, body?: string): TestRequest => ({
  method: 'DELETE',
  path: `/api/v1/sources/${name}`,
  ...withBody({}, body),
});

const SESSION = '/api/v1/session';
const CONSOLE = { 'stockbook-console': 'http' };

const startSession = (body: string, headers: TestRequest['headers'] = {}): TestRequest => ({
  method: 'POST',
  path: SESSION,
  headers: { ...json, ...CONSOLE, ...headers },
  body,
});

const endSession = (headers: TestRequest['headers'], body?: string): TestRequest => ({
  method: 'DELETE',
  path: SESSION,
  ...withBody({ ...CONSOLE, ...headers }, body),
});

/** Of a session that has just begun, in place of a key. */
async function cookieFrom(send: Send): Promise<NonNullable<TestRequest['headers']>> {
  const { headers } = await send(startSession('{"remember":false}'));
  return { authorization: undefined, cookie: headers['set-cookie']?.split(';')[0] };
}

const VIEW = '{"name":"a","resource":"product","query":""}';

type Send = (request: TestRequest) => Promise<TestReply>;

const TOO_LARGE = 'x'.repeat(2 * 1024 * 1024);

/** Requests that have a problem each, or prepare the next one. */
const requests: Partial<
  Record<ApiEndpoint['kind'], readonly (TestRequest | ((send: Send, service: TestService) => Promise<TestRequest>))[]>
> = {
  list: [
    ...filtered(PRODUCTS),
    ...streamed(PRODUCTS),
    ...['sort=id,id', 'page=0', 'limit=0', 'explain=maybe'].map((query) => ({ path: `${PRODUCTS}?${query}` })),
  ],
  record: ['?fields=id&fields=id', '?fields=nothing', '99'].map((end) => ({ path: `${PRODUCTS}/1${end}` })),
  create: [
    create('{}', { 'content-type': 'text/plain' }),
    create(TOO_LARGE),
    create('{'),
    create('{"name":"a","name":"b"}'),
    create('{"name":"a"}', { 'idempotency-key': '"' }),
    create('{"name":""}'),
    create('{"name":"a"}', { 'idempotency-key': 'reused' }),
    create('{"name":"b"}', { 'idempotency-key': 'reused' }),
  ],
  changes: [
    ...filtered(`${PRODUCTS}/changes`),
    ...streamed(`${PRODUCTS}/changes`),
    ...['limit=0', 'since=x'].map((query) => ({ path: `${PRODUCTS}/changes?${query}` })),
  ],
  digest: filtered(`${PRODUCTS}/digest`),
  aggregate: [
    ...filtered(`${PRODUCTS}/aggregate`),
    ...['sort=x', 'limit=0', 'measures=x', 'facets=list_price:0'].map((query) => ({
      path: `${PRODUCTS}/aggregate?${query}`,
    })),
  ],
  update: [
    update('{}', { 'content-type': 'text/plain' }),
    update(TOO_LARGE),
    update('{'),
    update('{"name":"a","name":"b"}'),
    update('{"name":"a"}', { 'idempotency-key': '"' }),
    update('{"name":""}'),
    update('{"name":"a"}', { path: `${PRODUCTS}/99` }),
    update('{"name":"a"}', { 'if-match': '"other"' }),
    update('{"name":"a"}', { 'idempotency-key': 'updated' }),
    update('{"name":"b"}', { 'idempotency-key': 'updated' }),
  ],
  remove: [
    remove(1, {}, '{}'),
    remove(1, {}, TOO_LARGE),
    remove(1, { 'idempotency-key': '"' }),
    remove(99),
    remove(1, { 'if-match': '"other"' }),
    remove(1, { 'idempotency-key': 'removed' }),
    remove(2, { 'idempotency-key': 'removed' }),
  ],
  import: [
    importing('', 'name;list_price\nA;1.299\n', { 'content-type': 'text/csv' }),
    importing('?key=id&key=id', '[]'),
    importing('', '[]', { 'content-type': 'text/plain' }),
    importing('?on_error=ask', '[]'),
    importing('', '{'),
    importing('', '[{"id":2,"name":""}]'),
    importing('?replace=true', '[{"id":99,"name":"a"}]'),
    importing('?source=erp&position=2&expect=1', '[]'),
    importing('', '[]', { 'idempotency-key': '"' }),
    importing('', '[{"id":2,"name":"a"}]', { 'idempotency-key': 'imported' }),
    importing('', '[{"id":2,"name":"b"}]', { 'idempotency-key': 'imported' }),
  ],
  imports: ['page=0', 'limit=0', 'page=1&page=1'].map((query) => ({ path: `/api/v1/imports?${query}` })),
  'import status': [{ path: '/api/v1/imports/none' }],
  'cancel import': [
    cancel('none'),
    cancel('none', '{}'),
    cancel('none', TOO_LARGE),
    async (send) => cancel(bodyOf(await send({ path: '/api/v1/imports' })).data[0].id),
  ],
  source: [{ path: '/api/v1/sources/none' }],
  'report source': [
    report('{"error":null}', { 'content-type': 'text/plain' }),
    report(TOO_LARGE),
    report('{'),
    report('{"error":null,"error":null}'),
    report('{}'),
    report('{"error":null}'),
  ],
  'remove source': [removeSource('none'), removeSource('none', '{}'), removeSource('none', TOO_LARGE)],
  view: [{ path: '/api/v1/views/none' }],
  'save view': [
    saveView(VIEW, { 'content-type': 'text/plain' }),
    saveView(TOO_LARGE),
    saveView('{'),
    saveView('{"name":"a","name":"b"}'),
    saveView('{}'),
    saveView(VIEW, { id: 'a.b' }),
    saveView(VIEW),
    saveView(VIEW, { id: 'b' }),
    saveView(VIEW.replace('"a"', '"b"'), { 'if-match': '"other"' }),
  ],
  'remove view': [
    removeView('a', {}, '{}'),
    removeView('a', {}, TOO_LARGE),
    removeView('none'),
    async (send) => {
      await send(saveView(VIEW));
      return removeView('a', { 'if-match': '"other"' });
    },
  ],
  'sign in': ['{}', TOO_LARGE].map((body) => async (_, { store, acme }) => ({
    method: 'POST',
    path: '/api/v1/sign-in',
    headers: bearer(await issueSignInCode(store.keys, acme.id, Date.now())),
    body,
  })),
  'start session': [
    { method: 'POST', path: SESSION },
    startSession('{}', { 'content-type': 'text/plain' }),
    startSession(TOO_LARGE),
    startSession('{'),
    startSession('{"remember":true,"remember":true}'),
    startSession('{}'),
    async (send) => startSession('{"remember":true}', await cookieFrom(send)),
  ],
  'end session': [
    { method: 'DELETE', path: SESSION },
    endSession({}),
    async (send) => endSession(await cookieFrom(send), '{}'),
    async (send) => endSession(await cookieFrom(send), TOO_LARGE),
  ],
};

/** What takes more than a request of a key. */
const elsewhere: Partial<Record<ApiEndpoint['kind'], readonly TestedElsewhere[]>> = {
  list: [
    ...(['filter_too_costly', 'stream_needs_chunks', 'too_many_waiting', 'page_too_large', 'too_many_rows'] as const),
    'exports_busy',
  ],
  create: [
    'ids_exhausted',
    'value_taken',
    'storage_limit_reached',
    'idempotency_key_in_progress',
    'store_not_writable',
  ],
  changes: ['stream_needs_chunks', 'too_many_waiting', 'cursor_expired'],
  digest: ['filter_too_costly'],
  aggregate: ['filter_too_costly', 'too_many_groups', 'aggregate_too_large'],
  update: ['value_taken', 'storage_limit_reached', 'idempotency_key_in_progress', 'store_not_writable'],
  remove: ['idempotency_key_in_progress', 'store_not_writable'],
  import: [
    ...(['body_too_large', 'storage_limit_reached', 'idempotency_key_in_progress', 'store_not_writable'] as const),
    ...(['import_cancelled', 'import_interrupted', 'too_many_imports'] as const),
  ],
  'cancel import': ['store_not_writable'],
  'report source': ['store_not_writable'],
  'remove source': ['store_not_writable'],
  'save view': ['too_many_views', 'store_not_writable'],
  'remove view': ['store_not_writable'],
  'sign in': ['store_not_writable'],
  'start session': ['store_not_writable'],
  'end session': ['store_not_writable'],
};

/** Requests that are refused before it matters what they are about. */
const anywhere: readonly TestRequest[] = [
  { path: PRODUCTS, headers: { authorization: undefined } },
  { path: PRODUCTS, headers: bearer('sbk_wrong') },
  { path: PRODUCTS, headers: bearer(printKey(generateKey())) },
  { method: 'POST', path: PARTNERS, headers: { authorization: `Basic ${btoa('user:sbk_wrong')}` } },
  { path: '/api/v1/%zz' },
  { path: '/api/v1/nothing' },
  { method: 'PUT', path: PRODUCTS },
  { path: `${PRODUCTS}?filter=%zz` },
  { path: `${PRODUCTS}?nothing=1` },
  { path: `${PRODUCTS}?${'&'.repeat(2_000)}` },
  { method: 'POST', path: '/api/v1/sign-in' },
  { ...rpcRequest('tools/list'), headers: { ...rpcRequest('tools/list').headers, origin: 'https://evil.example' } },
];

const kinds = [...resourceKinds, ...accountKinds];

describe.each(aboveStore)('on $name', (engine) => {
  const service = sharedService(engine);

  test.each(kinds)('every problem of %s', async (kind) => {
    const codes = new Set<unknown>(elsewhere[kind]);
    const authorization = `Bearer ${await service.issue(service.acme, { scopes: ['read', 'write', 'edit'] })}`;
    const send: Send = ({ headers, ...request }) =>
      service.send({ ...request, headers: { authorization, ...headers } });
    for (const request of requests[kind] ?? []) {
      const { json: body } = await send(typeof request === 'function' ? await request(send, service) : request);
      codes.add(Object(body).code);
    }
    expect((ownProblems[kind] ?? []).filter((code) => !codes.has(code))).toEqual([]);
  });

  test('every problem that there is', async () => {
    const codes = new Set<unknown>([...Object.values(ownProblems).flat(), ...Object.keys(testsOfProblems)]);
    for (const request of anywhere) codes.add(Object((await service.send(request)).json).code);
    expect(Object.keys(registry).filter((code) => !codes.has(code))).toEqual([]);
  });
});

test.each(Object.entries(testsOfProblems))('%s is tested in %j', (code, [file, title]) => {
  const text = readFileSync(new URL(`../${file}.test.ts`, import.meta.url), 'utf8');
  expect(text).toContain(title);
  expect(text).toContain(code);
});
