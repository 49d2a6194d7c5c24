/**
 * The numbers of the rows in a bitmap. In short:
 *
 *     for each word of the bitmap that is not 0
 *       for each of its 32 bits
 *         store row + bit at into
 *         into += 2 * bit
 */

import type { Bitmap } from '../bitmap.ts';
import { ADD, compile, get, I32, i32, STORE_SHORT, set } from './assembler.ts';
import { bitmapLoop } from './bitmap-loop.ts';
import { memory, putBitmap, RESULT_AT, results } from './scratch.ts';

/** The parameters and local variables of the function. */
const [BITMAP, WORDS, INTO, ROW, WORD] = [0, 1, 2, 3, 4];

const find = compile({
  parameters: [I32, I32, I32],
  locals: [I32, I32],
  body: bitmapLoop({
    bitmap: BITMAP,
    words: WORDS,
    word: WORD,
    into: INTO,
    power: 1,
    write: (bit) => [...get(INTO), ...get(ROW), ...i32(bit), ADD, ...STORE_SHORT],
    next: [...get(ROW), ...i32(32), ADD, ...set(ROW)],
  }),
})(memory);

/** In ascending order. Valid until the next call of a function with the same memory. */
export function rowNumbers(bitmap: Bitmap): Uint16Array {
  const end = find(putBitmap(bitmap), bitmap.length, RESULT_AT);
  return results.rows.subarray(0, (end - RESULT_AT) / Uint16Array.BYTES_PER_ELEMENT);
}
