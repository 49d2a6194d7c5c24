/**
 * Where bytes occur in others. The candidates are positions with the first and the last byte at the right distance. In short:
 *
 *     for each 16 positions
 *       bits = bitmask(text[at..at+16] == first & text[at+length-1..at+length+15] == last)
 *       for each position with a bit
 *         compare 16 bytes at a time; next position if one before the end of what is wanted differs
 *         store the position
 */

import {
  ADD,
  ANY_BIT,
  BIT_AND,
  block,
  bytes,
  compile,
  createMemory,
  get,
  goIf,
  I32,
  i32,
  LESS,
  LOAD_BYTE,
  load,
  loop,
  PAGE_BYTES,
  STORE,
  SUBTRACT,
  set,
  TRAILING_ZEROS,
  TRAILING_ZEROS_OF_64,
  tee,
  V128,
  VECTOR_AND,
  type WasmFunction,
  when,
} from './assembler.ts';

/** The parameters and local variables of the function. */
const [END, WANTED, LENGTH, INTO, AT, BITS, POSITION, OFFSET, FIRST, LAST, BOTH] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/** Looks at the positions of the text at the address 0 up to an end. Returns the address after those that it stored. */
const createFunction = compile({
  parameters: [I32, I32, I32, I32],
  locals: [I32, I32, I32, I32, V128, V128, V128],
  body: [
    ...[...get(WANTED), ...LOAD_BYTE, ...bytes.SPLAT, ...set(FIRST)],
    ...[...get(WANTED), ...get(LENGTH), ADD, ...i32(1), SUBTRACT, ...LOAD_BYTE, ...bytes.SPLAT, ...set(LAST)],
    ...loop(
      ...[...get(AT), ...load(0), ...get(FIRST), ...bytes.EQUAL],
      ...[...get(AT), ...get(LENGTH), ADD, ...i32(1), SUBTRACT, ...load(0), ...get(LAST), ...bytes.EQUAL],
      ...[...VECTOR_AND, ...tee(BOTH), ...ANY_BIT],
      ...when(
        ...[...get(BOTH), ...bytes.BITMASK, ...set(BITS)],
        ...loop(
          ...[...get(AT), ...get(BITS), TRAILING_ZEROS, ADD, ...set(POSITION), ...i32(0), ...set(OFFSET)],
          ...block(
            ...loop(
              ...[...get(POSITION), ...get(OFFSET), ADD, ...load(0), ...get(WANTED), ...get(OFFSET), ADD, ...load(0)],
              ...[...bytes.DIFFERENT, ...bytes.BITMASK, ...TRAILING_ZEROS_OF_64],
              ...[...get(LENGTH), ...get(OFFSET), SUBTRACT, LESS, ...goIf(1)],
              ...[...get(OFFSET), ...i32(16), ADD, ...tee(OFFSET), ...get(LENGTH), LESS, ...goIf(0)],
            ),
            ...[...get(INTO), ...get(POSITION), ...STORE, ...get(INTO), ...i32(4), ADD, ...set(INTO)],
          ),
          ...[...get(BITS), ...get(BITS), ...i32(1), SUBTRACT, BIT_AND, ...tee(BITS), ...goIf(0)],
        ),
      ),
      ...[...get(AT), ...i32(16), ADD, ...tee(AT), ...get(END), LESS, ...goIf(0)],
    ),
    ...get(INTO),
  ],
});

/** In how many positions it looks at once. */
export const MATCHER_POSITIONS = 32 * 1024;

/** The maximum length of what it looks for: comparing that in every position takes about as long as any other way. */
export const MAX_MATCHED_BYTES = 64;

/** The addresses of what is wanted and of the positions found, both after the text, beyond which some bytes are compared as well. */
const WANTED_AT = MATCHER_POSITIONS + 2 * MAX_MATCHED_BYTES;
const POSITIONS_AT = WANTED_AT + 2 * MAX_MATCHED_BYTES;
const PAGES = Math.ceil((POSITIONS_AT + 4 * MATCHER_POSITIONS) / PAGE_BYTES);

/** No text has it in UTF-8. */
const NO_BYTE = 0xff;

export class ByteMatcher {
  readonly #text: Uint8Array;
  readonly #wanted: Uint8Array;
  readonly #positions: Uint32Array;
  readonly #match: WasmFunction;

  constructor() {
    const memory = createMemory(PAGES);
    this.#text = new Uint8Array(memory.buffer, 0, WANTED_AT);
    this.#wanted = new Uint8Array(memory.buffer, WANTED_AT, MAX_MATCHED_BYTES);
    this.#positions = new Uint32Array(memory.buffer, POSITIONS_AT, MATCHER_POSITIONS);
    this.#match = createFunction(memory);
  }

  /** The first positions of the text in which it has the wanted bytes, both in UTF-8. Valid until the next call. */
  match(text: Uint8Array, wanted: Uint8Array): Uint32Array {
    const part = text.subarray(0, MATCHER_POSITIONS + wanted.length - 1);
    this.#text.set(part);
    this.#text.fill(NO_BYTE, part.length);
    this.#wanted.set(wanted);
    const end = this.#match(Math.min(part.length, MATCHER_POSITIONS), WANTED_AT, wanted.length, POSITIONS_AT);
    return this.#positions.subarray(0, (end - POSITIONS_AT) / Uint32Array.BYTES_PER_ELEMENT);
  }
}
