/** Limits on what accounts store, as commands name them. */

import { expect, test } from 'vitest';
import { CommandError } from '../../src/cli/command-error.ts';
import { readRecordLimit, readStorageLimit, showRecordLimit, showStorageLimit } from '../../src/cli/storage-limit.ts';

test.each([
  ['1', 1],
  ['1000000', 1_000_000],
  ['unlimited', 0],
  ['default', null],
])('--records %s', (text, limit) => {
  expect(readRecordLimit('--records', text)).toBe(limit);
});

test.each([
  ['512KB', 512 * 1024],
  ['500MB', 500 * 1024 ** 2],
  ['1.5 gb', 1.5 * 1024 ** 3],
  ['2GiB', 2 * 1024 ** 3],
  ['1T', 1024 ** 4],
  ['1024TB', 1024 ** 5],
  ['unlimited', 0],
  ['default', null],
])('--storage %s', (text, limit) => {
  expect(readStorageLimit('--storage', text)).toBe(limit);
});

test.each(['', '0', '-1', '1.5', 'many', '9999999999999'])('--records %j is not valid', (text) => {
  expect(() => readRecordLimit('--records', text)).toThrow(CommandError);
});

test.each(['', '0MB', '5', '5 bytes', 'GB', '-1GB', '1025TB', '99999TB'])('--storage %j is not valid', (text) => {
  expect(() => readStorageLimit('--storage', text)).toThrow(
    `--storage must be a size such as 500MB or 2GB, up to 1024TB, unlimited or default, not "${text}".`,
  );
});

test('limits are shown in words', () => {
  expect([null, 0, 1_234_567].map(showRecordLimit)).toEqual(['default', 'unlimited', '1,234,567']);
  expect([null, 0, 2 * 1024 ** 3].map(showStorageLimit)).toEqual(['default', 'unlimited', '2.0 GiB']);
});
