/** Cells of rows that do not have the type that their statement promises. */

import { expect, test } from 'vitest';
import {
  boundedTextOf,
  integerOf,
  integerOrNullOf,
  isUnreadable,
  textOf,
  textOrNullOf,
} from '../../../src/store/sql/row.ts';
import { ResultTooLarge } from '../../../src/store/store-error.ts';

function thrown(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}

test('integers, also as digits, and texts', () => {
  const row = { number: 7, digits: '9007199254740991', text: 'a', nothing: null };
  expect([integerOf(row, 'number'), integerOf(row, 'digits')]).toEqual([7, Number.MAX_SAFE_INTEGER]);
  expect([integerOrNullOf(row, 'nothing'), textOrNullOf(row, 'nothing')]).toEqual([null, null]);
  expect([textOf(row, 'text'), boundedTextOf(row, 'nothing', true)]).toEqual(['a', '']);
});

test.each([
  ['an integer that is too large', () => integerOf({ n: '9007199254740992' }, 'n')],
  ['a fraction', () => integerOf({ n: 1.5 }, 'n')],
  ['a text instead of an integer', () => integerOf({ n: 'x' }, 'n')],
  ['null instead of an integer', () => integerOf({ n: null }, 'n')],
  ['a column that is missing', () => integerOf({}, 'n')],
  ['null instead of a text', () => textOf({ t: null }, 't')],
  ['an integer instead of a text', () => textOrNullOf({ t: 5 }, 't')],
])('%s cannot be read', (_, read) => {
  expect(isUnreadable(thrown(read))).toBe(true);
});

test('a text that the database has omitted is too large', () => {
  const error = thrown(() => boundedTextOf({ t: null }, 't', false));
  expect(error).toBeInstanceOf(ResultTooLarge);
  expect(isUnreadable(error)).toBe(false);
});
