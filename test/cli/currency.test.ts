/** Currencies, as commands name them. */

import { expect, test } from 'vitest';
import { readCurrency, showCurrency } from '../../src/cli/currency.ts';

test.each([
  ['EUR', 'EUR'],
  ['usd', 'USD'],
  ['none', null],
])('--currency %s', (text, currency) => {
  expect(readCurrency('--currency', text)).toBe(currency);
});

test.each(['', 'EU', '€', 'euro', 'XQQ', 'None'])('--currency %j is not valid', (text) => {
  expect(() => readCurrency('--currency', text)).toThrow(
    `--currency must be a code of ISO 4217, such as EUR, or none, not "${text}".`,
  );
});

test('is shown in words', () => {
  expect(['EUR', null].map(showCurrency)).toEqual(['EUR', 'none']);
});
