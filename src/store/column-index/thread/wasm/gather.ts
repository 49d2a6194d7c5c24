/**
 * Collects the numbers of some rows. In short:
 *
 *     for each word of the bitmap that is not 0
 *       for each of its 32 bits
 *         store values[bit] at into
 *         into += 8 * bit
 */

import { ADD, compile, double, get, I32, i32, type Memory, set } from './assembler.ts';
import { bitmapLoop } from './bitmap-loop.ts';

/** Copies the numbers of the rows in a bitmap of so many words. Returns where they end; the 8 bytes there may be written as well. */
export type Gather = (values: number, bitmap: number, words: number, into: number) => number;

/** The parameters and local variables of the function. */
const [VALUES, BITMAP, WORDS, INTO, WORD] = [0, 1, 2, 3, 4];

/** Returns what creates the function for a memory. */
export function compileGather(): (memory: Memory) => Gather {
  return compile({
    parameters: [I32, I32, I32, I32],
    locals: [I32],
    body: bitmapLoop({
      bitmap: BITMAP,
      words: WORDS,
      word: WORD,
      into: INTO,
      power: 3,
      write: (bit) => [...get(INTO), ...get(VALUES), ...double.load(8 * bit), ...double.STORE],
      next: [...get(VALUES), ...i32(256), ADD, ...set(VALUES)],
    }),
  });
}
