/** HTTP tests as rows of a table: a request and the response to it. */

import { expect } from 'vitest';
import { bearer, type KeyOptions, type TestReply, type TestRequest, type TestService } from './service.ts';

export interface Row extends Expected {
  readonly name: string;
  readonly request: TestRequest | ((service: TestService) => TestRequest | Promise<TestRequest>);
}

export interface Expected {
  readonly status: number;
  /** The whole body. */
  readonly body?: unknown;
  /** The whole body, byte for byte. */
  readonly text?: string;
  /** Part of the body. */
  readonly has?: object;
  /** The ids of the records in the body, in order. */
  readonly ids?: readonly number[];
  /** An undefined header must be absent. */
  readonly headers?: Readonly<Record<string, string | RegExp | undefined>>;
}

export const PRODUCTS = '/api/v1/inventory/product';
export const PARTNERS = '/api/v1/resources/partner';
export const COMPANIES = '/api/v1/resources/company';

/** The products that a filter matches. */
export function finds(filter: string, ids: readonly number[]): Row {
  return { name: `${filter} finds ${ids.join(' ') || 'nothing'}`, request: productsWhere(filter), status: 200, ids };
}

export function filterFails(filter: string, code: string, has: object = {}): Row {
  return {
    name: `${filter} → 400 ${code}`,
    request: productsWhere(filter),
    status: 400,
    has: { code, parameter: 'filter', ...has },
  };
}

/** The path is sent as it is, without further encoding. */
export function get(path: string, status: number, expected: Omit<Expected, 'status'> = {}): Row {
  return { name: `GET ${path} → ${status}`, request: { path }, status, ...expected };
}

export function getFails(path: string, status: number, code: string, has: object = {}): Row {
  return { name: `GET ${path} → ${status} ${code}`, request: { path }, status, has: { code, ...has } };
}

function productsWhere(filter: string): TestRequest {
  return { path: `${PRODUCTS}?limit=1000&filter=${encodeURIComponent(filter)}` };
}

export function postPartner(body: string | Uint8Array, headers: TestRequest['headers'] = {}): TestRequest {
  return { method: 'POST', path: PARTNERS, body, headers: { 'content-type': 'application/json', ...headers } };
}

export function createPartner(name: string, headers: TestRequest['headers'] = {}): TestRequest {
  return postPartner(JSON.stringify({ name }), headers);
}

export async function checkRow(service: TestService, { request, ...expected }: Omit<Row, 'name'>): Promise<void> {
  checkReply(await service.send(typeof request === 'function' ? await request(service) : request), expected);
}

export function checkReply(reply: TestReply, expected: Expected): void {
  expect(reply).toRespond(expected.status, expected.has);
  expect(reply.headers['x-request-id']).toMatch(/^\S+$/);
  if (reply.status >= 400) checkProblem(reply);
  if (expected.body !== undefined) expect(reply.json).toStrictEqual(expected.body);
  if (expected.text !== undefined) expect(reply.text).toBe(expected.text);
  if (expected.ids !== undefined) expect(idsOf(reply.json)).toStrictEqual(expected.ids);
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    if (value instanceof RegExp) expect(reply.headers[name]).toMatch(value);
    else expect(reply.headers[name]).toBe(value);
  }
}

const PROBLEM_KEYS = [
  ...['type', 'title', 'status', 'detail', 'code', 'parameter', 'position', 'suggestion', 'requestId'],
  // Of some problems.
  ...['errors', 'errorCount', 'etag', 'currentPosition', 'errorGroups', 'questions', 'recognised', 'preview'],
];

/** What all error bodies have in common. */
function checkProblem(reply: TestReply): void {
  expect(reply.headers['content-type']).toBe('application/problem+json');
  if (reply.text === '') return;
  expect(reply.json).toMatchObject({
    type: expect.stringMatching(/^\/problems\/\w+$/),
    title: expect.any(String),
    status: reply.status,
    detail: expect.any(String),
    code: expect.stringMatching(/^[a-z_]+$/),
    suggestion: expect.any(String),
    requestId: reply.headers['x-request-id'],
  });
  expect(PROBLEM_KEYS).toEqual(expect.arrayContaining(Object.keys(Object(reply.json))));
}

/** The body of a response, which fails unless it is that of a success. */
export function bodyOf(reply: TestReply) {
  if (reply.status < 200 || reply.status > 299) expect(reply).toRespond(200);
  return Object(reply.json);
}

function idsOf(json: unknown): readonly unknown[] {
  const { data } = Object(json);
  return Array.isArray(data) ? data.map((record) => Object(record).id) : [];
}

export function unauthenticated(request: TestRequest): Row {
  return {
    name: `${request.method ?? 'GET'} ${request.path} without a key → 401`,
    request: { ...request, headers: { ...request.headers, authorization: undefined } },
    status: 401,
    has: { code: 'authentication_required' },
    headers: {
      'www-authenticate': `${(request.method ?? 'GET') === 'GET' ? 'Basic realm="stockbook", charset="UTF-8", ' : ''}Bearer realm="stockbook"`,
    },
  };
}

/** Sent with a new key, of acme unless another account is named. */
export function withKey(
  name: string,
  { account = 'acme', ...options }: KeyOptions & { readonly account?: 'acme' | 'globex' },
  { request, ...expected }: Expected & { readonly request: TestRequest },
): Row {
  return {
    name,
    request: async (service) => ({
      ...request,
      headers: { ...request.headers, ...bearer(await service.issue(service[account], options)) },
    }),
    ...expected,
  };
}
