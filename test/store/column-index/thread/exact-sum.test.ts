/** Sums, also of products, do not depend on the order, and are rounded once. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BLOCK_ROWS } from '../../../../src/store/column-index/thread/column.ts';
import { ExactSums, products, quotient, toNumber } from '../../../../src/store/column-index/thread/exact-sum.ts';
import { decimalAverage, decimalSum } from '../../../support/decimals.ts';

function add(sums: ExactSums, pairs: readonly (readonly [number: number, group: number])[]): void {
  const numbers = Float64Array.from(pairs, ([number]) => number);
  const groups = Uint32Array.from(pairs, ([, group]) => group);
  for (let from = 0; from < numbers.length; from += BLOCK_ROWS)
    sums.addAll(numbers.subarray(from, from + BLOCK_ROWS), groups.subarray(from, from + BLOCK_ROWS));
}

function sumsOf(numbers: readonly number[]): ExactSums {
  const sums = new ExactSums(1);
  add(
    sums,
    numbers.map((number) => [number, 0]),
  );
  return sums;
}

const sumOf = (numbers: readonly number[]) => toNumber(sumsOf(numbers).sum([0]));
const averageOf = (numbers: readonly number[]) => quotient(sumsOf(numbers).sum([0]), numbers.length);

type Pair = readonly [number, number];

const columnsOf = (pairs: readonly Pair[]) =>
  [Float64Array.from(pairs, ([number]) => number), Float64Array.from(pairs, ([, factor]) => factor)] as const;

function productSumsOf(pairs: readonly Pair[]): ExactSums {
  const sums = new ExactSums(1);
  sums.addProducts(...columnsOf(pairs), new Uint32Array(pairs.length));
  return sums;
}

/** Prices, and anything else. */
const numbers = fc.oneof(
  fc.array(fc.integer({ min: -99_999_999, max: 99_999_999 }).map((cents) => cents / 100)),
  fc.array(fc.double({ noNaN: true, noDefaultInfinity: true })),
  fc.array(fc.oneof(fc.maxSafeInteger(), fc.constantFrom(1e15, 999_999_999_999_999, 0.000001, 1e-7, 1e22, -1e22))),
);

test('a sum is what a decimal calculator shows', () => {
  expect(sumOf([0.1, 0.2])).toBe(0.3);
  expect(sumOf(Array.from({ length: 10 }, () => 0.1))).toBe(1);
  expect(sumOf([1e22, 1, -1e22])).toBe(1);
  expect(sumOf([])).toBe(0);
});

test('many large integers are added without rounding', () => {
  const large = Array.from({ length: 10_000 }, (_, n) => 999_999_999_999_000 + n);
  expect(sumOf(large)).toBe(Number(large.reduce((sum, number) => sum + BigInt(number), 0n)));
});

test('for any numbers, in any order, the sum is the exact one, rounded once', () => {
  fc.assert(
    fc.property(numbers, (some) => {
      expect(sumOf(some)).toBe(decimalSum(some));
      expect(sumOf(some.toReversed())).toBe(sumOf(some));
    }),
  );
});

test('sums of groups are independent of each other', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.nat({ max: 3 }))),
      (pairs) => {
        const sums = new ExactSums(4);
        add(sums, pairs);
        for (const group of [0, 1, 2, 3]) {
          const own = pairs.filter(([, of]) => of === group).map(([number]) => number);
          expect(toNumber(sums.sum([group]))).toBe(decimalSum(own));
        }
      },
    ),
  );
});

test('an average is rounded once', () => {
  fc.assert(
    fc.property(numbers, (some) => {
      fc.pre(some.length > 0);
      expect(averageOf(some)).toBe(decimalAverage(some));
    }),
  );
  expect(averageOf([0.1, 0.2])).toBe(0.15);
  expect(averageOf([1, 1, 2])).toBe(4 / 3);
  expect(averageOf([-1, -1, -2])).toBe(-4 / 3);
  // The exact average is half way between two doubles; the next larger one is even.
  expect(averageOf([9_007_199_254_740_991, 9_007_199_254_740_992])).toBe(9_007_199_254_740_992);
});

const double = fc.double({ noNaN: true, noDefaultInfinity: true });
const extreme = fc.oneof(
  fc.maxSafeInteger(),
  fc.constantFrom(0, 1e12, 999_999_999_999.999, 0.001, 1e-7, 1e22, -1e300, 5e-324),
);

/** Prices and quantities, and anything else. */
const pairs: fc.Arbitrary<readonly Pair[]> = fc.oneof(
  fc.array(fc.tuple(fc.nat({ max: 99_999_999 }), fc.integer()).map(([a, b]): Pair => [a / 100, b])),
  fc.array(fc.tuple(fc.integer(), fc.nat()).map(([a, b]): Pair => [a / 1_000, b / 10_000])),
  fc.array(fc.tuple(double, double)),
  fc.array(fc.tuple(extreme, extreme)),
);

test('products are exact, and so are their sums', () => {
  const sumOfProducts = (some: readonly Pair[]) => toNumber(productSumsOf(some).sum([0]));
  expect(sumOfProducts([[0.1, 3]])).toBe(0.3);
  expect(
    sumOfProducts([
      [0.1, 0.1],
      [0.2, 0.1],
    ]),
  ).toBe(0.03);
  expect(
    sumOfProducts([
      [1e200, 1e200],
      [3, 7],
      [-1e200, 1e200],
    ]),
  ).toBe(21);
  expect(sumOfProducts([[1e200, 1e200]])).toBe(Number.POSITIVE_INFINITY);
  fc.assert(
    fc.property(pairs, (some) => {
      expect(sumOfProducts(some)).toBe(decimalSum(some));
      expect(sumOfProducts(some.toReversed())).toBe(decimalSum(some));
      expect(sumOfProducts(some.map(([a, b]): Pair => [b, a]))).toBe(decimalSum(some));
      if (some.length > 0) expect(quotient(productSumsOf(some).sum([0]), some.length)).toBe(decimalAverage(some));
      expect([...products(...columnsOf(some))].map((product) => product + 0)).toEqual(
        some.map((pair) => decimalSum([pair]) + 0),
      );
    }),
  );
});

test('a product is left out if one of its factors is null', () => {
  const sums = new ExactSums(1);
  const columns = columnsOf([
    [Number.NaN, 2],
    [3, Number.NaN],
    [4, 5],
  ]);
  sums.addProducts(...columns, new Uint32Array(3));
  expect([toNumber(sums.sum([0])), ...sums.missing]).toEqual([20, 2]);
  expect([...products(...columns)]).toEqual([Number.NaN, Number.NaN, 20]);
});
