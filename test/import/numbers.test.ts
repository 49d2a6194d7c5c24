import { describe, expect, test } from 'vitest';
import { Mismatch } from '../../src/catalog/value.ts';
import { AMBIGUOUS, NumberStyle, plain, signsOf } from '../../src/import/numbers.ts';

test.each([
  ['12', '.,'],
  ['1 234 567', '.,'],
  ["1'234", '.,'],
  ['1.5', '.'],
  ['.5', '.'],
  ['0.125', '.'],
  ['1234.567', '.'],
  ['1,234.56', '.'],
  ['1,234,567', '.'],
  ['1.5e3', '.'],
  ['1,5', ','],
  ['0,125', ','],
  ['1.234,56', ','],
  ['1\u00a0234,56', ','],
  ['1.234.567', ','],
  ['-1.234.567,8', ','],
  ['1.299', '.,'],
  ['1,299', '.,'],
  ['-12.345', '.,'],
  ['1.23.456', ''],
  ['1,2,3', ''],
  ['1.2,3.4', ''],
  ['12 34', ''],
  ['', ''],
  ['-', ''],
  ['€ 12', ''],
  ['12 %', ''],
])('%s is a number with the decimal signs "%s"', (text, signs) => {
  expect(signsOf(text).join('')).toBe(signs);
});

test.each([
  ['1.234,56', ',', '1234.56'],
  ['1,234.56', '.', '1234.56'],
  [' -1.299 ', ',', '-1299'],
  ['1.299', '.', '1.299'],
  ['1 234,5', ',', '1234.5'],
] as const)('%s with "%s" is %s', (text, sign, number) => {
  expect(plain(text, sign)).toBe(number);
});

describe('a column', () => {
  const readAll = (texts: readonly string[], sign?: '.' | ',') => {
    const style = new NumberStyle(sign);
    return texts.map((text) => {
      const read = style.read(text);
      return read instanceof Mismatch ? read.requirement : read;
    });
  };

  test('the first number that permits only one sign decides', () => {
    expect(readAll(['1', '12,5', '1.299', '7'])).toEqual(['1', '12.5', '1299', '7']);
    expect(readAll(['1', '12.5', '1.299', '1,299'])).toEqual(['1', '12.5', '1.299', '1299']);
  });

  test('before that, what has two meanings is neither', () => {
    expect(readAll(['1.299'])).toEqual([AMBIGUOUS]);
    expect(readAll(['1.299'], ',')).toEqual(['1299']);
    expect(readAll(['1.299'], '.')).toEqual(['1.299']);
  });

  test('a number with the other sign does not fit, nor does a currency', () => {
    expect(readAll(['12,5', '12.5'])).toEqual(['12.5', 'must have a decimal comma, as others here do']);
    expect(readAll(['12.5', '€ 12.50', 'EUR 5', 'twelve'])).toEqual([
      '12.5',
      'must be a number without a currency',
      'must be a number without a currency',
      undefined,
    ]);
  });
});
