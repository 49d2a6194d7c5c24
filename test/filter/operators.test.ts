import { expect, test } from 'vitest';
import { valueTypes } from '../../src/catalog/value-types.ts';
import { complementOf, operatorSymbols, operators, operatorsFor } from '../../src/filter/operators.ts';
import { parseFilter } from '../../src/filter/parse.ts';

test('the parser tries every operator, and longer ones before their prefixes', () => {
  expect([...operatorSymbols].toSorted()).toEqual(Object.keys(operators).toSorted());
  operatorSymbols.forEach((symbol, index) => {
    expect(operatorSymbols.slice(index + 1).filter((later) => later.startsWith(symbol))).toEqual([]);
  });
});

test.each(Object.entries(operators))('the example of %s uses that operator', (symbol, { example }) => {
  expect(parseFilter(example)).toMatchObject({ operator: symbol });
});

test('the complement of an operator, if it has one', () => {
  const complements = Object.fromEntries(operatorSymbols.map((symbol) => [symbol, complementOf(symbol)]));
  const none = { '>': undefined, '>=': undefined, '<': undefined, '<=': undefined };
  expect(complements).toMatchObject({ '=': '!=', '!=': '=', '*': '!*', '!*': '*', '[': '![', '![': '[', ...none });
});

test('all types support equality and lists, only text supports search, only numbers and times are ordered', () => {
  const ordered = ['=', '!=', '>', '>=', '<', '<=', '[]', '![]'];
  const specified = {
    text: ['=', '!=', '*', '!*', '[]', '![]'],
    boolean: ['=', '!=', '[]', '![]'],
    ...{ integer: ordered, number: ordered, timestamp: ordered },
  };
  for (const [type, { operatorClass }] of Object.entries(valueTypes)) {
    const supported = operatorsFor(operatorClass);
    const wanted = Object.entries(specified).find(([name]) => name === type)?.[1] ?? [];
    expect(supported.map(({ symbol }) => symbol)).toEqual(expect.arrayContaining(wanted));
    const kinds = new Set(supported.map(({ kind }) => kind));
    expect([...kinds].toSorted()).toEqual(['list', ...(operatorClass === 'equality' ? [] : [operatorClass]), 'value']);
  }
});
