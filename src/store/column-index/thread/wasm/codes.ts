/**
 * Codes for numbers, which are small integers: numbers with the same code belong together, and so may numbers with different ones.
 * Counting codes takes a fraction of the time of counting numbers.
 */

import {
  ADD,
  BIT_AND,
  BIT_SELECT,
  compile,
  double,
  doubles,
  F64,
  get,
  goIf,
  I32,
  i32,
  integers,
  LESS,
  load,
  loop,
  SELECT,
  SHIFT_LEFT,
  STORE,
  STORE_HALF,
  SUBTRACT,
  set,
  tee,
  V128,
  VECTOR_AND,
} from './assembler.ts';
import { memory, putNumbers, putOthers, RESULT_AT, results } from './scratch.ts';

/** Codes are less than this, apart from the two that follow. */
export const CODES = 65_536;

/** Of NaN, which is null. */
export const NULL_CODE = CODES;

/** Of numbers without a code. They may not belong together. */
export const NO_CODE = CODES + 1;

/** The parameters and local variables of the function below. */
const [VALUES, PAIRS, DIVISOR, FIRST, INTO, DIVISORS, FIRSTS, LIMITS, NULLS, NONE, PAIR, WHOLE, MASK] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
];

/** Two numbers at a time: their code is the number itself, or what `instead` makes of it. */
function compileCodes(instead: readonly number[]) {
  return compile({
    parameters: [I32, I32, F64, F64, I32],
    locals: [V128, V128, V128, V128, V128, V128, V128, V128],
    body: [
      ...[...get(DIVISOR), ...doubles.SPLAT, ...set(DIVISORS), ...get(FIRST), ...doubles.SPLAT, ...set(FIRSTS)],
      ...[...i32(CODES), ...integers.SPLAT, ...set(LIMITS)],
      ...[...i32(NULL_CODE), ...integers.SPLAT, ...set(NULLS)],
      ...[...i32(NO_CODE), ...integers.SPLAT, ...set(NONE)],
      ...loop(
        ...get(INTO),
        ...[...get(VALUES), ...load(0), ...instead, ...tee(PAIR), ...integers.FROM_DOUBLES, ...tee(WHOLE)],
        ...[...get(NULLS), ...get(NONE), ...get(PAIR), ...get(PAIR), ...doubles.DIFFERENT, ...halved, ...BIT_SELECT],
        ...[...get(WHOLE), ...doubles.FROM_INTEGERS, ...get(PAIR), ...doubles.EQUAL, ...halved],
        ...[...get(WHOLE), ...get(LIMITS), ...integers.LESS, ...VECTOR_AND],
        ...[...BIT_SELECT, ...STORE_HALF],
        ...[...get(VALUES), ...i32(16), ADD, ...set(VALUES), ...get(INTO), ...i32(8), ADD, ...set(INTO)],
        ...[...get(PAIRS), ...i32(1), SUBTRACT, ...tee(PAIRS), ...goIf(0)],
      ),
      ...get(INTO),
    ],
  })(memory);
}

/** A mask for two doubles becomes one for two integers. */
const halved = [...tee(MASK), ...get(MASK), ...integers.EVERY_OTHER];

const ofNumbers = compileCodes([]);
const ofQuotients = compileCodes([
  ...[...get(DIVISORS), ...doubles.DIVIDE, ...doubles.FLOOR],
  ...[...get(FIRSTS), ...doubles.SUBTRACT],
]);

/** Small integers are their own codes. All results are valid until the next call of a function with the same memory. */
export function codesOf(numbers: Float64Array): Uint32Array {
  return codesBy(ofNumbers, numbers, 1, 0);
}

/** How often the divisor is contained in each number, rounded down, minus the first quotient that has a code. */
export function quotientCodes(numbers: Float64Array, divisor: number, first: number): Uint32Array {
  return codesBy(ofQuotients, numbers, divisor, first);
}

function codesBy(
  compute: ReturnType<typeof compileCodes>,
  numbers: Float64Array,
  divisor: number,
  first: number,
): Uint32Array {
  compute(putNumbers(numbers, 0), Math.max(1, Math.ceil(numbers.length / 2)), divisor, first, RESULT_AT);
  return results.codes.subarray(0, numbers.length);
}

/** Its parameters and local variables. */
const [NUMBERS, COUNT, PER_UNIT, FIRST_RANGE, EDGES, LAST, CODE_INTO, NUMBER, RANGE, EDGE] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
];

/** Guesses the range, by a product that was rounded, and then looks at its edges. */
const ofRanges = compile({
  parameters: [I32, I32, F64, F64, I32, I32, I32],
  locals: [F64, I32, I32],
  body: [
    ...loop(
      ...[...get(NUMBERS), ...double.load(0), ...tee(NUMBER)],
      ...[...get(PER_UNIT), double.MULTIPLY, ...get(FIRST_RANGE), double.SUBTRACT, ...double.TRUNCATE, ...set(RANGE)],
      ...[...get(RANGE), ...get(LAST), ...get(RANGE), ...get(LAST), LESS, SELECT, ...tee(RANGE)],
      ...[...i32(3), SHIFT_LEFT, ...get(EDGES), ADD, ...set(EDGE)],
      ...[...get(CODE_INTO), ...get(RANGE)],
      ...[...i32(NO_CODE), ...i32(NULL_CODE), ...get(NUMBER), ...get(NUMBER), double.EQUAL, SELECT],
      ...[...get(NUMBER), ...get(EDGE), ...double.load(0), double.AT_LEAST],
      ...[...get(NUMBER), ...get(EDGE), ...double.load(8), double.LESS, BIT_AND, SELECT, ...STORE],
      ...[...get(NUMBERS), ...i32(8), ADD, ...set(NUMBERS), ...get(CODE_INTO), ...i32(4), ADD, ...set(CODE_INTO)],
      ...[...get(COUNT), ...i32(1), SUBTRACT, ...tee(COUNT), ...goIf(0)],
    ),
    ...get(CODE_INTO),
  ],
})(memory);

/**
 * Which range each number is in: from an edge up to, but not including, the next one. The first edge is about `first` times the width
 * of a range. A few numbers near an edge may have no code.
 */
export function rangeCodes(numbers: Float64Array, edges: Float64Array, width: number, first: number): Uint32Array {
  const [values, edgesAt] = [putNumbers(numbers, 0), putOthers(edges, 0)];
  ofRanges(values, Math.max(1, numbers.length), 1 / width, first, edgesAt, edges.length - 2, RESULT_AT);
  return results.codes.subarray(0, numbers.length);
}
