/** A piece of WebAssembly's memory for many blocks of numbers. WebAssembly can only read memory of this kind. */

import { BITMAP_WORDS, type Bitmap, GROUP_ROWS } from './bitmap.ts';
import { createMemory, type Memory, PAGE_BYTES } from './wasm/assembler.ts';
import type { Between } from './wasm/between.ts';
import type { Gather } from './wasm/gather.ts';

export const BLOCK_BYTES = GROUP_ROWS * Float64Array.BYTES_PER_ELEMENT;

/**
 * 32 MB. Each memory reserves 8 GB of addresses, so there must not be many; a piece is returned when all of its blocks are, so it
 * must not be large. Pages that were never written take no memory.
 */
const CHUNK_PAGES = 512;

export const CHUNK_BYTES = CHUNK_PAGES * PAGE_BYTES;

/** A set of rows, and the numbers that are gathered and one more, at the start, before all blocks. */
const ROWS = 0;
const GATHERED = ROWS + BITMAP_WORDS * Uint32Array.BYTES_PER_ELEMENT;
const BLOCKS = GATHERED + BLOCK_BYTES + Float64Array.BYTES_PER_ELEMENT;

/** One number for each row of a group. Those beyond the group's last row are meaningless. */
export interface NumberBlock {
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly chunk: NumberChunk;
}

/** Create what is done with the numbers in a memory. */
export interface NumberFunctions {
  readonly between: (memory: Memory) => Between;
  readonly gather: (memory: Memory) => Gather;
}

export class NumberChunk {
  readonly #free: NumberBlock[] = [];
  readonly #blocks: number;
  readonly #between: Between;
  readonly #gather: Gather;
  readonly #rows: Uint32Array;
  readonly #gathered: Float64Array;

  constructor({ between, gather }: NumberFunctions) {
    const memory = createMemory(CHUNK_PAGES);
    this.#between = between(memory);
    this.#gather = gather(memory);
    this.#rows = new Uint32Array(memory.buffer, ROWS, BITMAP_WORDS);
    this.#gathered = new Float64Array(memory.buffer, GATHERED, GROUP_ROWS);
    for (let end = CHUNK_BYTES; end - BLOCK_BYTES >= BLOCKS; end -= BLOCK_BYTES)
      this.#free.push({ numbers: new Float64Array(memory.buffer, end - BLOCK_BYTES, GROUP_ROWS), chunk: this });
    this.#blocks = this.#free.length;
  }

  get isUnused(): boolean {
    return this.#free.length === this.#blocks;
  }

  /** Undefined if all blocks are in use. */
  allocate(): NumberBlock | undefined {
    return this.#free.pop();
  }

  release(block: NumberBlock): void {
    this.#free.push(block);
  }

  /** The first rows whose numbers lie between `low` and `high`, both included. NaN never does. */
  between({ numbers }: NumberBlock, rows: number, low: number, high: number, into: Bitmap): void {
    const words = Math.ceil(rows / 32);
    into.fill(0);
    if (words === 0) return;
    this.#between(numbers.byteOffset, words, low, high, ROWS);
    into.set(this.#rows.subarray(0, words));
    if (rows % 32 > 0) into[words - 1] = (into[words - 1] ?? 0) & (2 ** (rows % 32) - 1);
  }

  /** Copies the numbers of some rows. */
  gather({ numbers }: NumberBlock, rows: Bitmap, into: Float64Array): void {
    this.#rows.set(rows);
    const end = this.#gather(numbers.byteOffset, ROWS, BITMAP_WORDS, GATHERED);
    into.set(this.#gathered.subarray(0, (end - GATHERED) / Float64Array.BYTES_PER_ELEMENT));
  }
}
