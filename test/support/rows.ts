/** HTTP tests as rows of a table: a request, and what comes back. */

import { expect } from 'vitest';
import type { TestReply, TestRequest, TestService } from './service.ts';

export interface Row {
  readonly name: string;
  readonly request: TestRequest | ((service: TestService) => TestRequest | Promise<TestRequest>);
  readonly status: number;
  /** The whole body. */
  readonly body?: unknown;
  /** Some of the body. */
  readonly has?: object;
  /** The ids of the records in the body, in their order. */
  readonly ids?: readonly number[];
  /** What the header is, or undefined where it must not be there. */
  readonly headers?: Readonly<Record<string, string | RegExp | undefined>>;
}

export const PRODUCTS = '/api/v1/inventory/product';
export const PARTNERS = '/api/v1/resources/partner';
export const COMPANIES = '/api/v1/resources/company';

/** A list of products by its filter, percent-encoded as a good client does it. */
export function filtered(filter: string, ids: readonly number[]): Row {
  return { name: `${filter} finds ${ids.join(' ') || 'nothing'}`, request: listOf(filter), status: 200, ids };
}

export function refusedFilter(filter: string, code: string, has: object = {}): Row {
  return {
    name: `${filter} is a ${code}`,
    request: listOf(filter),
    status: 400,
    has: { code, parameter: 'filter', ...has },
  };
}

/** A request as it is written, not encoded any further. */
export function get(path: string, status: number, rest: Omit<Row, 'name' | 'request' | 'status'> = {}): Row {
  return { name: `GET ${path}`, request: { path }, status, ...rest };
}

export function refused(path: string, status: number, code: string, has: object = {}): Row {
  return { name: `GET ${path} is a ${code}`, request: { path }, status, has: { code, ...has } };
}

function listOf(filter: string): TestRequest {
  return { path: `${PRODUCTS}?limit=1000&filter=${encodeURIComponent(filter)}` };
}

export async function checkRow(service: TestService, row: Row): Promise<void> {
  const request = typeof row.request === 'function' ? await row.request(service) : row.request;
  checkReply(await service.send(request), row);
}

export function checkReply(reply: TestReply, row: Row): void {
  expect({ status: reply.status, body: reply.json }).toMatchObject({ status: row.status });
  expect(reply.headers['x-request-id']).toMatch(/^\S+$/);
  if (reply.status >= 400) checkProblem(reply);
  if (row.body !== undefined) expect(reply.json).toStrictEqual(row.body);
  if (row.has !== undefined) expect(reply.json).toMatchObject(row.has);
  if (row.ids !== undefined) expect(idsOf(reply.json)).toStrictEqual(row.ids);
  for (const [name, value] of Object.entries(row.headers ?? {})) {
    if (value instanceof RegExp) expect(reply.headers[name]).toMatch(value);
    else expect(reply.headers[name]).toBe(value);
  }
}

const PROBLEM_KEYS = ['type', 'title', 'status', 'detail', 'code', 'parameter', 'position', 'suggestion', 'requestId'];

/** What every error body has, whichever it is. */
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

export function idsOf(json: unknown): readonly unknown[] {
  const { data } = Object(json);
  return Array.isArray(data) ? data.map((record) => Object(record).id) : [];
}
