/** The memory of all columns of numbers, in blocks for one row group each. WebAssembly can only read memory of this kind. */

import { type Between, compileBetween, PAGE_BYTES, sharedMemory } from './between.ts';
import { BITMAP_WORDS, type Bitmap, GROUP_ROWS } from './bitmap.ts';

export const BLOCK_BYTES = GROUP_ROWS * Float64Array.BYTES_PER_ELEMENT;

/** The memory grows by this many blocks. */
const BLOCKS_ADDED = 16;

/** Where the comparison puts its result: at the start of the memory, before all blocks. */
const RESULT = 0;

/** One number for each row of a group. Those beyond the group's last row are meaningless. */
export type NumberBlock = Float64Array<SharedArrayBuffer>;

export class NumberMemory {
  readonly #memory = sharedMemory();
  readonly #between: Between = compileBetween(this.#memory);
  readonly #result = new Uint32Array(this.#memory.buffer, RESULT, BITMAP_WORDS);
  readonly #free: NumberBlock[] = [];

  allocate(): NumberBlock {
    if (this.#free.length === 0) this.#grow();
    const block = this.#free.pop();
    if (block === undefined) throw new Error('there is no free block');
    return block;
  }

  release(block: NumberBlock): void {
    this.#free.push(block);
  }

  /** The rows whose numbers lie between `low` and `high`, both included. NaN never does. */
  between(block: NumberBlock, rows: number, low: number, high: number, into: Bitmap): void {
    const words = Math.ceil(rows / 32);
    into.fill(0);
    if (words === 0) return;
    this.#between(block.byteOffset, words, low, high, RESULT);
    into.set(this.#result.subarray(0, words));
    if (rows % 32 > 0) into[words - 1] = (into[words - 1] ?? 0) & (2 ** (rows % 32) - 1);
  }

  #grow(): void {
    const end = this.#memory.grow((BLOCKS_ADDED * BLOCK_BYTES) / PAGE_BYTES) * PAGE_BYTES;
    for (let block = BLOCKS_ADDED - 1; block >= 0; block -= 1)
      this.#free.push(new Float64Array(this.#memory.buffer, end + block * BLOCK_BYTES, GROUP_ROWS));
  }
}
