/** Sums do not depend on the order, and are rounded once. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ExactSums, quotient, toNumber } from '../../../../src/store/column-index/thread/exact-sum.ts';
import { decimalAverage, decimalSum } from '../../../support/decimals.ts';

function add(sums: ExactSums, pairs: readonly (readonly [number: number, group: number])[]): void {
  const groups = Uint32Array.from(pairs, ([, group]) => group);
  sums.addAll(
    Float64Array.from(pairs, ([number]) => number),
    groups,
    new Uint32Array(4),
  );
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
