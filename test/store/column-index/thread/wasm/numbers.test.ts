/** What WebAssembly computes from blocks of numbers is what a loop would. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Bitmap, emptyBitmap, GROUP_ROWS, setBit } from '../../../../../src/store/column-index/thread/bitmap.ts';
import { NumberMemory } from '../../../../../src/store/column-index/thread/number-memory.ts';
import {
  CODES,
  codesOf,
  NO_CODE,
  NULL_CODE,
  quotientCodes,
  rangeCodes,
} from '../../../../../src/store/column-index/thread/wasm/codes.ts';
import { extentOf } from '../../../../../src/store/column-index/thread/wasm/extent.ts';
import { rowNumbers } from '../../../../../src/store/column-index/thread/wasm/row-numbers.ts';
import { productUnits, unitsOf } from '../../../../../src/store/column-index/thread/wasm/units.ts';

/** Whatever a column can hold, and what is near the limits of codes and units. */
const number = fc.oneof(
  fc.double(),
  fc.integer({ min: -10, max: CODES + 10 }),
  fc.integer().map((cents) => cents / 100),
  fc.constantFrom(
    Number.NaN,
    -0,
    0,
    CODES - 1,
    CODES,
    0.1,
    1e-7,
    999_999_999.999_999,
    1e9,
    1e15,
    2 ** 51,
    5e-324,
    -1e300,
  ),
);

const block = fc.array(number, { maxLength: 40 }).map((numbers) => Float64Array.from(numbers));

/** A block as long as can be. */
const FULL = Float64Array.from({ length: GROUP_ROWS }, (_, row) => row - 3);

const bitmap = fc.uniqueArray(fc.nat({ max: GROUP_ROWS - 1 })).map((rows) => rows.toSorted((a, b) => a - b));

function bitmapOf(rows: readonly number[]): Bitmap {
  const found = emptyBitmap();
  for (const row of rows) setBit(found, row);
  return found;
}

const ALL_ROWS = [...Array(GROUP_ROWS).keys()];

describe('rows', () => {
  const someRows = fc.oneof(bitmap, fc.constantFrom([], [0], [GROUP_ROWS - 1], ALL_ROWS, ALL_ROWS.slice(1)));

  test('are those of the bitmap', () => {
    fc.assert(
      fc.property(someRows, (rows) => {
        expect([...rowNumbers(bitmapOf(rows))]).toEqual(rows);
      }),
    );
  });

  test('have their numbers gathered', () => {
    const one = new NumberMemory().allocate();
    one.numbers.set(FULL);
    fc.assert(
      fc.property(someRows, (rows) => {
        const into = new Float64Array(GROUP_ROWS).fill(-1e9);
        one.chunk.gather(one, bitmapOf(rows), into);
        expect([...into.subarray(0, rows.length)]).toEqual(rows.map((row) => row - 3));
        expect(into.subarray(rows.length).filter((rest) => rest !== -1e9)).toHaveLength(0);
        expect(one.numbers).toEqual(FULL);
      }),
    );
  });
});

describe('codes', () => {
  const isCode = (quotient: number) => Number.isInteger(quotient) && quotient >= 0 && quotient < CODES;
  const expected = (code: number) => (Number.isNaN(code) ? NULL_CODE : isCode(code) ? code + 0 : NO_CODE);

  test('of small integers are the integers', () => {
    const check = (numbers: Float64Array) => {
      expect([...codesOf(numbers)]).toEqual([...numbers].map(expected));
    };
    fc.assert(fc.property(block, check));
    check(FULL);
  });

  test('of quotients count from the first one', () => {
    const divisor = fc.constantFrom(1, 1_000, 86_400_000);
    fc.assert(
      fc.property(block, divisor, fc.integer({ min: -70_000, max: 70_000 }), (numbers, by, first) => {
        const codes = [...numbers].map((dividend) => expected(Math.floor(dividend / by) - first));
        expect([...quotientCodes(numbers, by, first)]).toEqual(codes);
      }),
    );
  });

  test('of ranges are never those of another range', () => {
    const widths = fc.constantFrom(50, 0.1, 1e-300, 3e200);
    fc.assert(
      fc.property(
        block,
        widths,
        fc.integer({ min: -40, max: 40 }),
        fc.integer({ min: 1, max: 2_000 }),
        (numbers, width, first, count) => {
          const edges = Float64Array.from({ length: count + 1 }, (_, index) => (first + index) * width);
          const near = edges.subarray(0, 20);
          for (const some of [numbers, near, near.map((edge) => edge - Math.abs(edge) * 2 ** -53)]) {
            const codes = rangeCodes(some, edges, width, first);
            for (const [at, value] of some.entries()) {
              const code = codes[at] ?? NO_CODE;
              if (Number.isNaN(value)) expect(code).toBe(NULL_CODE);
              else if (code !== NO_CODE)
                expect([value >= Number(edges[code]), value < Number(edges[code + 1])]).toEqual([true, true]);
            }
          }
        },
      ),
    );
  });

  test('of ranges are there for numbers that are not at an edge', () => {
    const edges = Float64Array.from({ length: 12 }, (_, index) => 50 * (index - 1));
    expect([...rangeCodes(Float64Array.of(-50, -1, 0, 49.99, 50, 499.5, 500, -51, 1e9), edges, 50, -1)]).toEqual([
      ...[0, 0, 1, 1, 2, 10],
      ...[NO_CODE, NO_CODE, NO_CODE],
    ]);
  });
});

describe('units', () => {
  const LIMIT = 1e15;
  const unitsOfOne = (value: number, scale: number) => {
    const units = Math.round(value * scale);
    return units / scale === value ? units : Number.NaN;
  };
  const withinLimit = (units: number) => (Math.abs(units) < LIMIT ? units + 0 : 0);

  test('stand for their numbers, or are 0', () => {
    const check = (numbers: Float64Array) => {
      const exact = [...numbers].map((value) => unitsOfOne(value, 1e6));
      const { units, areExact } = unitsOf(numbers, 1e6, LIMIT);
      expect([...units].map((unit) => unit + 0)).toEqual(exact.map(withinLimit));
      expect(areExact).toBe(exact.every((unit) => Math.abs(unit) < LIMIT));
    };
    fc.assert(fc.property(block, check));
    check(FULL);
  });

  test('of products stand for both factors', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(number, number)), (pairs) => {
        const exact = pairs.map(([a, b]) => unitsOfOne(a, 1e3) * unitsOfOne(b, 1e3));
        const [numbers, factors] = [Float64Array.from(pairs, ([a]) => a), Float64Array.from(pairs, ([, b]) => b)];
        const { units, areExact } = productUnits(numbers, factors, 1e3, LIMIT);
        expect([...units].map((unit) => unit + 0)).toEqual(exact.map(withinLimit));
        expect(areExact).toBe(exact.every((unit) => Math.abs(unit) < LIMIT));
      }),
    );
  });
});

test('the extent leaves out NaN', () => {
  const check = (numbers: Float64Array) => {
    const present = [...numbers].filter((value) => !Number.isNaN(value));
    expect(extentOf(numbers).map((end) => end + 0)).toEqual([Math.min(...present) + 0, Math.max(...present) + 0]);
  };
  fc.assert(fc.property(block, check));
  check(FULL);
});
