/** What the matcher for responses says when it fails. */

import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import type { TestReply } from '../support/service.ts';

const request = { method: 'GET', path: '/api/v1/me?x=1' };
const replyWith = (status: number, body?: object): TestReply => ({
  request,
  status,
  headers: {},
  text: body === undefined ? '' : JSON.stringify(body),
  json: body,
});
const refused = replyWith(400, {
  code: 'unknown_parameter',
  detail: "There is no parameter 'x' here.",
  parameter: 'x',
});
const found = replyWith(200, { data: { id: 1, tags: ['a', 'b'] }, meta: { count: 1 } });

test.each<[TestReply, number, object?]>([
  [refused, 400],
  [refused, 400, { code: 'unknown_parameter', detail: expect.stringContaining("'x'") }],
  [found, 200, { data: { id: expect.any(Number) } }],
  [found, 200, { data: { tags: ['a', 'b'] } }],
  [replyWith(204), 204],
])('%j is what it is', (reply, ...expected) => {
  expect(reply).toRespond(...expected);
});

/** The message of the failure, without colours. */
function failureOf(assert: () => void): string {
  try {
    assert();
  } catch (error) {
    return error instanceof Error ? stripVTControlCharacters(error.message) : '';
  }
  return 'it passed';
}

test('another status is said with the request, the error and the body', () => {
  expect(failureOf(() => expect(refused).toRespond(200))).toBe(
    `GET /api/v1/me?x=1 responded with 400 unknown_parameter (There is no parameter 'x' here.), and 200 was expected.\n\n${refused.text}`,
  );
  expect(failureOf(() => expect(replyWith(304)).toRespond(200))).toBe(
    'GET /api/v1/me?x=1 responded with 304, and 200 was expected.\n\nIt has no body.',
  );
  expect(failureOf(() => expect(found).not.toRespond(200))).toContain(
    'responded with 200, and another one was expected.',
  );
});

test('another body is said with the members that were expected', () => {
  const message = failureOf(() => expect(found).toRespond(200, { data: { id: 2 }, meta: { total: 1 } }));
  expect(message).toContain('-     "id": 2,\n+     "id": 1,');
  expect(message).toContain('-   "meta": {\n-     "total": 1,\n-   },\n+   "meta": {},');
  expect(message).toContain(found.text);
  expect(message).not.toContain('tags": [');
  expect(failureOf(() => expect(refused).toRespond(200, { data: {} }))).not.toContain('Expected');
});

test('of a long body, 500 bytes are shown', () => {
  const long = replyWith(200, { data: 'é'.repeat(1_000) });
  const message = failureOf(() => expect(long).toRespond(404));
  expect(message).toContain(`${'é'.repeat(240)}`);
  expect(message).toMatch(/… \(2011 bytes\)$/);
  expect(message.length).toBeLessThan(500);
});

test('a response whose request is not known has no name', () => {
  const { request: _, ...anonymous } = found;
  expect(failureOf(() => expect(anonymous).toRespond(404))).toMatch(
    /^A request responded with 200, and 404 was expected\./,
  );
});

test('nothing but a reply responds', () => {
  // @ts-expect-error
  expect(() => expect({ status: 200 }).toRespond(200)).not.toThrow();
});
