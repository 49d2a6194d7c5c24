/** A loop over the rows of a bitmap, without branches inside of a word, so that it takes as long whichever rows they are. */

import {
  ADD,
  BIT_AND,
  get,
  goIf,
  i32,
  LOAD,
  loop,
  SHIFT_LEFT,
  SHIFT_RIGHT,
  SUBTRACT,
  set,
  tee,
  when,
} from './assembler.ts';

export interface BitmapLoop {
  /** Variables: the address of the bitmap, how many words it has, and the word that is being looked at. */
  readonly bitmap: number;
  readonly words: number;
  readonly word: number;
  /** The variable with the address to which results are written. */
  readonly into: number;
  /** Each result takes two to this power bytes. */
  readonly power: number;
  /** Writes the result for a bit of the word at `into`. It stays there only if the bit is 1. */
  readonly write: (bit: number) => readonly number[];
  /** Goes on to the 32 rows of the next word. */
  readonly next: readonly number[];
}

/** Leaves the address after the last result on the stack. */
export function bitmapLoop({ bitmap, words, word, into, power, write, next }: BitmapLoop): readonly number[] {
  return [
    ...loop(
      ...[...get(bitmap), ...LOAD, ...tee(word)],
      ...when(
        ...Array.from({ length: 32 }, (_, bit) => [
          ...write(bit),
          ...[...get(into), ...bitTimes(word, bit, power), ADD, ...set(into)],
        ]).flat(),
      ),
      ...next,
      ...[...get(bitmap), ...i32(4), ADD, ...set(bitmap)],
      ...[...get(words), ...i32(1), SUBTRACT, ...tee(words), ...goIf(0)],
    ),
    ...get(into),
  ];
}

/** A bit of a variable, times a power of two. */
function bitTimes(variable: number, bit: number, power: number): readonly number[] {
  const shift = bit < power ? [...i32(power - bit), SHIFT_LEFT] : [...i32(bit - power), SHIFT_RIGHT];
  return [...get(variable), ...shift, ...i32(2 ** power), BIT_AND];
}
