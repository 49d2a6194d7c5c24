import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { printFilter, printWithoutValues } from '../../src/filter/print.ts';
import { filterOf } from '../support/arbitraries.ts';
import { parsedFilter } from '../support/parsed-filter.ts';
import { rounds } from '../support/rounds.ts';

/** Two filters are equal if they differ only in positions. */
function withoutPositions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPositions);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !['at', 'end', 'operatorAt'].includes(key))
      .map(([key, inner]) => [key, withoutPositions(inner)]),
  );
}

test('parse(print(filter)) is the filter', () => {
  fc.assert(
    fc.property(filterOf(product, []), (filter) => {
      expect(withoutPositions(parsedFilter(printFilter(filter)))).toEqual(withoutPositions(filter));
    }),
    { numRuns: rounds(700, 2_000) },
  );
});

describe('prints only the quotes and parentheses that are needed', () => {
  test.each([
    ['a = 1 & b = 2', 'a=1&b=2'],
    ['((a=1)&(b=2))', 'a=1&b=2'],
    ['(a=1&b=2)|c=3', 'a=1&b=2|c=3'],
    ['(a=1|b=2)&c=3', '(a=1|b=2)&c=3'],
    ['a=1&(b=2&c=3)', 'a=1&(b=2&c=3)'],
    ['a="x y"', 'a=x y'],
    ['a=" x"', 'a=" x"'],
    ['a=""', 'a=""'],
    ['a="null"', 'a="null"'],
    ['a=null', 'a=null'],
    ['a>"=1"', 'a>"=1"'],
    ['a["x","y,z"]', 'a[x,"y,z"]'],
    ['a="q\\"\\\\"', 'a="q\\"\\\\"'],
  ])('%s as %s', (text, printed) => {
    expect(printFilter(parsedFilter(text))).toBe(printed);
  });
});

test.each([
  ['name*oak&id[1,2]', 'name*…&id[…]'],
  ['(name=a|name="b")&id![3]', '(name=…|name=…)&id![…]'],
])('a log shows %s as %s', (text, printed) => {
  expect(printWithoutValues(parsedFilter(text))).toBe(printed);
});
