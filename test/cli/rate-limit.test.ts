/** Rate limits as commands name them. */

import { describe, expect, test } from 'vitest';
import { CommandError } from '../../src/cli/command-error.ts';
import { readAccountLimit, readKeyLimit, showAccountLimit, showKeyLimit } from '../../src/cli/rate-limit.ts';

describe('of a key', () => {
  test.each([
    ['5', 5, '5/s'],
    ['999999999', 999_999_999, '999999999/s'],
    ['default', null, 'default'],
    ['unlimited', 0, 'unlimited'],
  ])('%s is %j, and shown as %s', (text, stored, shown) => {
    expect(readKeyLimit('--limit', text)).toBe(stored);
    expect(showKeyLimit(stored)).toBe(shown);
  });

  test.each([
    ['1e3', /^--limit must be a whole number of requests per second, unlimited or default, not "1e3"\.$/],
    ['5.5', /whole number/],
    ['', /whole number/],
    [' 5', /whole number/],
    ['none', /whole number/],
    ['0', /^--limit must be at least 1, unlimited or default, not 0\. To refuse all requests of a key, revoke it\.$/],
    ['-1', /at least 1/],
    ['1000000000', /^--limit must be at most 999,999,999, unlimited or default, not 1000000000\.$/],
    ['9'.repeat(400), /at most 999,999,999/],
  ])('%j is refused', (text, message) => {
    expect(() => readKeyLimit('--limit', text)).toThrow(message);
    expect(() => readKeyLimit('--limit', text)).toThrow(CommandError);
  });
});

describe('of an account', () => {
  test('a number, or unlimited', () => {
    expect([readAccountLimit('5'), readAccountLimit('unlimited')]).toEqual([5, null]);
    expect([showAccountLimit(5), showAccountLimit(0), showAccountLimit(null)]).toEqual([
      '5/s',
      'unlimited',
      'unlimited',
    ]);
  });

  test.each([
    ['default', /^The limit must be a whole number of requests per second, or unlimited, not "default"\.$/],
    ['0', /^The limit must be at least 1, or unlimited, not 0\. To refuse .* revoke its keys\.$/],
    ['1000000000', /^The limit must be at most 999,999,999, or unlimited, not 1000000000\.$/],
  ])('%j is refused', (text, message) => {
    expect(() => readAccountLimit(text)).toThrow(message);
  });

  test('at the limits', () => {
    expect([readAccountLimit('1'), readAccountLimit('999999999')]).toEqual([1, 999_999_999]);
  });
});
