import { expect, test } from 'vitest';
import { operatorSymbols, operators, operatorsFor } from '../../src/filter/operators.ts';
import { parseFilter } from '../../src/filter/parse.ts';

test('every operator is tried, and none before one that it begins', () => {
  expect([...operatorSymbols].toSorted()).toEqual(Object.keys(operators).toSorted());
  operatorSymbols.forEach((symbol, index) => {
    expect(operatorSymbols.slice(index + 1).filter((later) => later.startsWith(symbol))).toEqual([]);
  });
});

test.each(Object.entries(operators))('the example of %s is read as it', (symbol, { example }) => {
  expect(parseFilter(example)).toMatchObject({ operator: symbol });
});

test('every type takes equality and lists; only text is searched, only numbers and times are ordered', () => {
  const symbols = (type: Parameters<typeof operatorsFor>[0]) =>
    operatorsFor(type)
      .map(({ symbol }) => symbol)
      .join(' ');
  expect(symbols('text')).toBe('= != * !* [] ![]');
  expect(symbols('boolean')).toBe('= != [] ![]');
  for (const type of ['integer', 'number', 'timestamp'] as const) expect(symbols(type)).toBe('= != > >= < <= [] ![]');
});
