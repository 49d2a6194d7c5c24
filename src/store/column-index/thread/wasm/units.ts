/**
 * Numbers, and products of two, as integers: multiples of a small power of ten, in which sums are exact. Two at a time. In short:
 *
 *     for each number
 *       units = round(number * scale)
 *       store units if units / scale == number and units < limit, else 0
 */

import {
  ADD,
  compile,
  doubles,
  F64,
  f64,
  get,
  goIf,
  I32,
  i32,
  load,
  loop,
  SUBTRACT,
  set,
  store,
  tee,
  V128,
  VECTOR_AND,
} from './assembler.ts';
import { memory, putNumbers, putOthers, RESULT_AT, results } from './scratch.ts';

/** The parameters and local variables of the functions. */
const [VALUES, FACTORS, PAIRS, SCALE, LIMIT, INTO, SCALES, LIMITS, ROUNDINGS, PAIR, UNITS, OTHERS, EXACT, ALL] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
];

/** Doubles of this size are integers, so adding it rounds a smaller number. */
const ROUNDING = 1.5 * 2 ** 52;

/** Leaves the units of a pair on the stack, and adds to `EXACT` which of them stand for their numbers. */
const unitsOfPair = (units: number) => [
  ...[...tee(PAIR), ...get(SCALES), ...doubles.MULTIPLY],
  ...[...get(ROUNDINGS), ...doubles.ADD, ...get(ROUNDINGS), ...doubles.SUBTRACT, ...tee(units)],
  ...[...get(SCALES), ...doubles.DIVIDE, ...get(PAIR), ...doubles.EQUAL, ...get(EXACT), ...VECTOR_AND, ...set(EXACT)],
  ...get(units),
];

const allBits = [...get(SCALES), ...get(SCALES), ...doubles.EQUAL];

/** Whether all units stand for their numbers. */
function compileUnits(units: readonly number[]) {
  return compile({
    parameters: [I32, I32, I32, F64, F64, I32],
    locals: [V128, V128, V128, V128, V128, V128, V128, V128],
    body: [
      ...[...get(SCALE), ...doubles.SPLAT, ...set(SCALES), ...get(LIMIT), ...doubles.SPLAT, ...set(LIMITS)],
      ...[...f64(ROUNDING), ...doubles.SPLAT, ...set(ROUNDINGS), ...allBits, ...set(ALL)],
      ...loop(
        ...[...allBits, ...set(EXACT), ...units, ...tee(UNITS)],
        ...[...doubles.ABSOLUTE, ...get(LIMITS), ...doubles.LESS, ...get(EXACT), ...VECTOR_AND, ...set(EXACT)],
        ...[...get(INTO), ...get(UNITS), ...get(EXACT), ...VECTOR_AND, ...store(0)],
        ...[...get(ALL), ...get(EXACT), ...VECTOR_AND, ...set(ALL)],
        ...[...get(VALUES), ...i32(16), ADD, ...set(VALUES), ...get(FACTORS), ...i32(16), ADD, ...set(FACTORS)],
        ...[...get(INTO), ...i32(16), ADD, ...set(INTO)],
        ...[...get(PAIRS), ...i32(1), SUBTRACT, ...tee(PAIRS), ...goIf(0)],
      ),
      ...[...get(ALL), ...doubles.ALL],
    ],
  })(memory);
}

const pairAt = (address: number) => [...get(address), ...load(0)];

const ofNumbers = compileUnits([...pairAt(VALUES), ...unitsOfPair(UNITS)]);
const ofProducts = compileUnits([
  ...[...pairAt(VALUES), ...unitsOfPair(UNITS), ...pairAt(FACTORS), ...unitsOfPair(OTHERS)],
  ...doubles.MULTIPLY,
]);

export interface Units {
  /** 0 for what has no exact units, and for NaN. Valid until the next call of a function with the same memory. */
  readonly units: Float64Array;
  readonly areExact: boolean;
}

/** In units of 1 / `scale`; units are less than `limit`, which is at most 2^51. */
export function unitsOf(numbers: Float64Array, scale: number, limit: number): Units {
  const pairs = Math.max(1, Math.ceil(numbers.length / 2));
  const areExact = ofNumbers(putNumbers(numbers, 0), 0, pairs, scale, limit, RESULT_AT) === 1;
  return { units: results.numbers.subarray(0, numbers.length), areExact };
}

/** The products of two numbers each, in units of 1 / `scale`^2. If a product is below the limit, so is each factor, unless the other one is 0. */
export function productUnits(numbers: Float64Array, factors: Float64Array, scale: number, limit: number): Units {
  const pairs = Math.max(1, Math.ceil(numbers.length / 2));
  const [values, others] = [putNumbers(numbers, 0), putOthers(factors, 0)];
  const areExact = ofProducts(values, others, pairs, scale, limit, RESULT_AT) === 1;
  return { units: results.numbers.subarray(0, numbers.length), areExact };
}
