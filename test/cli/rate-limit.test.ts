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
  ])('%s', (text, stored, shown) => {
    expect(readKeyLimit('--limit', text)).toBe(stored);
    expect(showKeyLimit(stored)).toBe(shown);
  });

  test.each(['0', '-1', '1e3', '5.5', '', ' 5', '1000000000', 'none'])('%j is refused', (text) => {
    const message = `--limit must be a number of requests per second, unlimited or default, not "${text}".`;
    expect(() => readKeyLimit('--limit', text)).toThrow(new CommandError(message, 2));
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

  test.each(['default', '0', '1e3'])('%j is refused', (text) => {
    expect(() => readAccountLimit(text)).toThrow(
      /^The limit must be a number of requests per second, or unlimited, not/,
    );
  });
});
