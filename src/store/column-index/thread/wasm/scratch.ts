/** Memory for computing with the numbers of a block. All functions of a thread share it, so a result is valid until the next call of any. */

import { BITMAP_WORDS, type Bitmap, GROUP_ROWS } from '../bitmap.ts';
import { createMemory, PAGE_BYTES } from './assembler.ts';

/** Vectors have two numbers, and a function may write a number more than it returns. */
const SLACK = 2;
const NUMBERS_BYTES = (GROUP_ROWS + SLACK) * Float64Array.BYTES_PER_ELEMENT;

/** Where things are. */
const BITMAP_AT = 0;
const FIRST_AT = BITMAP_AT + BITMAP_WORDS * Uint32Array.BYTES_PER_ELEMENT;
const SECOND_AT = FIRST_AT + NUMBERS_BYTES;
export const RESULT_AT = SECOND_AT + NUMBERS_BYTES;
const END = RESULT_AT + NUMBERS_BYTES;

export const memory = createMemory(Math.ceil(END / PAGE_BYTES));

const bitmap = new Uint32Array(memory.buffer, BITMAP_AT, BITMAP_WORDS);
const first = new Float64Array(memory.buffer, FIRST_AT, GROUP_ROWS + SLACK);
const second = new Float64Array(memory.buffer, SECOND_AT, GROUP_ROWS + SLACK);

/** Returns the address of a copy. */
export function putBitmap(rows: Bitmap): number {
  bitmap.set(rows);
  return BITMAP_AT;
}

/** As above. `after` follows the numbers, which are read two at a time, and at least once. */
export function putNumbers(numbers: Float64Array, after: number): number {
  first.set(numbers);
  first.fill(after, numbers.length, numbers.length + SLACK);
  return FIRST_AT;
}

export function putOthers(numbers: Float64Array, after: number): number {
  second.set(numbers);
  second.fill(after, numbers.length, numbers.length + SLACK);
  return SECOND_AT;
}

/** What a function has stored. */
export const results = {
  numbers: new Float64Array(memory.buffer, RESULT_AT, GROUP_ROWS),
  codes: new Uint32Array(memory.buffer, RESULT_AT, GROUP_ROWS),
  rows: new Uint16Array(memory.buffer, RESULT_AT, GROUP_ROWS),
};
