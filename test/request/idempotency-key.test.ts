import { describe, expect, test } from 'vitest';
import { Problem } from '../../src/problem/problem.ts';
import { fingerprint, MAX_KEY_LENGTH, readIdempotencyKey } from '../../src/request/idempotency-key.ts';
import { requestWith } from '../support/request.ts';

/** As Node presents it: it joins repeated headers. */
function read(...values: string[]): string | undefined | Problem {
  const request = requestWith({
    headers: values.length === 0 ? {} : { 'idempotency-key': values.join(', ') },
    rawHeaders: ['Host', 'x', ...values.flatMap((value) => ['Idempotency-KEY', value])],
  });
  return readIdempotencyKey(request);
}

test('a request without the header has no key', () => {
  expect(read()).toBeUndefined();
});

test.each([
  ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
  ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
  ['order:7/retry+1=~', 'order:7/retry+1=~'],
  ['"with spaces, commas; and \\"quotes\\" \\\\"', 'with spaces, commas; and "quotes" \\'],
  ['" "', ' '],
  ['a', 'a'],
  ['a'.repeat(MAX_KEY_LENGTH), 'a'.repeat(MAX_KEY_LENGTH)],
  [`"${'\\"'.repeat(MAX_KEY_LENGTH)}"`, '"'.repeat(MAX_KEY_LENGTH)],
])('%s is a key', (value, key) => {
  expect(read(value)).toBe(key);
});

test.each([
  ['', /neither a word nor a quoted string/],
  ['""', /is empty/],
  ['a b', /neither/],
  ['a,b', /neither/],
  ['a;b=1', /neither/],
  ['"a";b=1', /neither/],
  ['"a', /neither/],
  ['a"', /neither/],
  ['"a"b"', /neither/],
  ['"a\\n"', /neither/],
  ['"a\\"', /neither/],
  ['a\\b', /neither/],
  ['é', /neither/],
  ['"é"', /neither/],
  ['"a\tb"', /neither/],
  ['a'.repeat(MAX_KEY_LENGTH + 1), /more than 255 characters/],
  [`"${'a'.repeat(MAX_KEY_LENGTH + 1)}"`, /more than 255 characters/],
])('%j is not a key', (value, detail) => {
  const problem = read(value);
  expect(problem).toBeInstanceOf(Problem);
  expect(problem).toMatchObject({ code: 'invalid_idempotency_key', detail: expect.stringMatching(detail) });
});

test.each([
  [['a', 'a']],
  [['a', 'b']],
  // Joined, they would be one string.
  [['"a', 'b"']],
])('a repeated header is not accepted: %j', (values) => {
  expect(read(...values)).toMatchObject({ code: 'invalid_idempotency_key', detail: expect.stringMatching(/several/) });
});

describe('the fingerprint of a body', () => {
  const of = (json: string) => fingerprint(JSON.parse(json));

  test('does not depend on how the body is written', () => {
    expect(of('{ "name" : "\\u0041zure", "n": 1.0 }')).toBe(of('{"n":1,"name":"Azure"}'));
  });

  test.each(['{"name":"azure"}', '{"name":"Azure "}', '{"Name":"Azure"}', '{"name":null}', '{}'])(
    '%s differs',
    (json) => {
      expect(of(json)).not.toBe(of('{"name":"Azure"}'));
    },
  );

  test('stays the same, so that keys survive an upgrade', () => {
    expect(of('{"name":"Azure Interior"}')).toBe('500b965bf2aeda6854a032fc60d5829d6a70be4dbad6dc32bce04944d13c19e6');
  });
});
