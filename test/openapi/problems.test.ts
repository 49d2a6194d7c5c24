/** Every problem that the document lists for a kind of request does occur there. That none is missing, every other test checks. */

import { describe, expect, test } from 'vitest';
import { MAX_DEPTH, MAX_FILTER_BYTES, MAX_LIST_ITEMS } from '../../src/filter/limits.ts';
import { ownProblems } from '../../src/openapi/problems.ts';
import type { ProblemCode } from '../../src/problem/registry.ts';
import { MAX_ACCEPT_BYTES } from '../../src/request/accept.ts';
import { MAX_QUERY_BYTES, QUERY_TYPE } from '../../src/request/body.ts';
import { accountKinds, resourceKinds } from '../../src/request/endpoints.ts';
import type { ApiEndpoint } from '../../src/request/route.ts';
import { engines } from '../support/engines.ts';
import { PARTNERS, PRODUCTS } from '../support/rows.ts';
import type { TestRequest } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const form = { 'content-type': QUERY_TYPE };
const json = { 'content-type': 'application/json' };

const filtered = (path: string): readonly TestRequest[] => [
  { path: `${path}?filter=id=1&filter=id=2` },
  { path: `${path}?filter=nothing=1` },
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

/** Requests that have a problem each. */
const requests: Partial<Record<ApiEndpoint['kind'], readonly TestRequest[]>> = {
  list: [
    ...filtered(PRODUCTS),
    ...streamed(PRODUCTS),
    ...['sort=id,id', 'page=0', 'limit=0', 'explain=maybe'].map((query) => ({ path: `${PRODUCTS}?${query}` })),
  ],
  record: ['?fields=id&fields=id', '?fields=nothing', '99'].map((end) => ({ path: `${PRODUCTS}/1${end}` })),
  create: [
    create('{}', { 'content-type': 'text/plain' }),
    create('x'.repeat(2 * 1024 * 1024)),
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
};

/** What takes more than a request of a key. */
const elsewhere: Partial<Record<ApiEndpoint['kind'], readonly ProblemCode[]>> = {
  list: ['filter_too_costly', 'stream_needs_chunks', 'too_many_waiting', 'page_too_large', 'exports_busy'],
  create: ['ids_exhausted', 'storage_limit_reached', 'idempotency_key_in_progress', 'store_not_writable'],
  changes: ['stream_needs_chunks', 'too_many_waiting', 'cursor_expired'],
  digest: ['filter_too_costly'],
  aggregate: ['filter_too_costly', 'too_many_groups', 'aggregate_too_large'],
  'sign in': ['body_too_large', 'invalid_body', 'store_not_writable'],
};

const kinds = [...resourceKinds, ...accountKinds];

describe.each(engines)('on $name', (engine) => {
  const service = sharedService(engine);

  test.each(kinds)('%s', async (kind) => {
    const codes = new Set<unknown>(elsewhere[kind]);
    for (const request of requests[kind] ?? []) codes.add(Object((await service.send(request)).json).code);
    expect((ownProblems[kind] ?? []).filter((code) => !codes.has(code))).toEqual([]);
  });
});
