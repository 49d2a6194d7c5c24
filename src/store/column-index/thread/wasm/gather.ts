/**
 * Collects the numbers of some rows, without branches, so that it takes as long whichever rows they are. In short:
 *
 *     for each word of the bitmap that is not 0
 *       for each of its 32 bits
 *         store values[bit] at into
 *         into += 8 * bit
 */

import {
  ADD,
  BIT_AND,
  compile,
  double,
  get,
  goIf,
  I32,
  i32,
  LOAD,
  loop,
  type Memory,
  SHIFT_LEFT,
  SHIFT_RIGHT,
  SUBTRACT,
  set,
  tee,
  when,
} from './assembler.ts';

/** Copies the numbers of the rows in a bitmap of so many words. Returns where they end; the 8 bytes there may be written as well. */
export type Gather = (values: number, bitmap: number, words: number, into: number) => number;

/** The parameters and local variables of the function. */
const [VALUES, BITMAP, WORDS, INTO, WORD] = [0, 1, 2, 3, 4];

/** Returns what creates the function for a memory. */
export function compileGather(): (memory: Memory) => Gather {
  return compile({
    parameters: [I32, I32, I32, I32],
    locals: [I32],
    body: [
      ...loop(
        ...[...get(BITMAP), ...LOAD, ...tee(WORD)],
        ...when(
          ...Array.from({ length: 32 }, (_, bit) => [
            ...[...get(INTO), ...get(VALUES), ...double.load(8 * bit), ...double.STORE],
            ...[...get(INTO), ...bitTimes(WORD, bit, 3), ADD, ...set(INTO)],
          ]).flat(),
        ),
        ...[...get(VALUES), ...i32(256), ADD, ...set(VALUES)],
        ...[...get(BITMAP), ...i32(4), ADD, ...set(BITMAP)],
        ...[...get(WORDS), ...i32(1), SUBTRACT, ...tee(WORDS), ...goIf(0)],
      ),
      ...get(INTO),
    ],
  });
}

/** A bit of a variable, times a power of two. */
export function bitTimes(variable: number, bit: number, power: number): readonly number[] {
  const shift = bit < power ? [...i32(power - bit), SHIFT_LEFT] : [...i32(bit - power), SHIFT_RIGHT];
  return [...get(variable), ...shift, ...i32(2 ** power), BIT_AND];
}
