/**
 * Which numbers lie between two others, two at a time: five times as fast as a loop in JavaScript. In short:
 *
 *     for each word of the bitmap
 *       for 8 of its 32 bits
 *         word |= bitmask(low <= values[0..2] <= high) << bit, and so on for 3 more pairs
 *         values += 64
 *       store the word
 */

import {
  ADD,
  BIT_OR,
  compile,
  doubles,
  F64,
  get,
  goIf,
  I32,
  i32,
  LESS,
  load,
  loop,
  type Memory,
  SHIFT_LEFT,
  STORE,
  SUBTRACT,
  set,
  tee,
  V128,
  VECTOR_AND,
} from './assembler.ts';

/**
 * Sets, for each of 32 × `words` numbers at the address `values`, whether it lies between `low` and `high`, both included:
 * one bit each at the address `into`. NaN never does.
 */
export type Between = (values: number, words: number, low: number, high: number, into: number) => void;

/** The parameters and local variables of the function. */
const [VALUES, WORDS, LOW, HIGH, INTO, WORD, BIT, LOWS, HIGHS, PAIR] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

/** Returns what creates the function for a memory. */
export function compileBetween(): (memory: Memory) => Between {
  return compile({
    parameters: [I32, I32, F64, F64, I32],
    locals: [I32, I32, V128, V128, V128],
    body: [
      ...[...get(LOW), ...doubles.SPLAT, ...set(LOWS)],
      ...[...get(HIGH), ...doubles.SPLAT, ...set(HIGHS)],
      ...loop(
        ...[...i32(0), ...set(WORD), ...i32(0), ...set(BIT)],
        ...loop(
          ...[0, 1, 2, 3].flatMap((pair) => [
            ...pairBits(pair),
            ...(pair === 0 ? [] : [...i32(2 * pair), SHIFT_LEFT, BIT_OR]),
          ]),
          ...[...get(BIT), SHIFT_LEFT, ...get(WORD), BIT_OR, ...set(WORD)],
          ...[...get(VALUES), ...i32(64), ADD, ...set(VALUES)],
          ...[...get(BIT), ...i32(8), ADD, ...tee(BIT), ...i32(32), LESS, ...goIf(0)],
        ),
        ...[...get(INTO), ...get(WORD), ...STORE],
        ...[...get(INTO), ...i32(4), ADD, ...set(INTO)],
        ...[...get(WORDS), ...i32(1), SUBTRACT, ...tee(WORDS), ...goIf(0)],
      ),
      ...get(INTO),
    ],
  });
}

/** Two bits: whether each number of a pair lies between the bounds. */
function pairBits(pair: number): readonly number[] {
  return [
    ...[...get(VALUES), ...load(16 * pair), ...tee(PAIR), ...get(LOWS), ...doubles.AT_LEAST],
    ...[...get(PAIR), ...get(HIGHS), ...doubles.AT_MOST],
    ...[...VECTOR_AND, ...doubles.BITMASK],
  ];
}
