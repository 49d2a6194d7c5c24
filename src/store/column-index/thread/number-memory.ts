/** The memory of all columns of numbers, in blocks for one row group each. */

import { CHUNK_BYTES, type NumberBlock, NumberChunk } from './number-chunk.ts';
import { compileBetween } from './wasm/between.ts';
import { compileGather } from './wasm/gather.ts';

export class NumberMemory {
  readonly #functions = { between: compileBetween(), gather: compileGather() };
  readonly #chunks = new Set<NumberChunk>();

  /** How much memory its chunks have, whether it is used or not. */
  get bytes(): number {
    return this.#chunks.size * CHUNK_BYTES;
  }

  /** Older chunks are filled up first, so that newer ones can be returned. */
  allocate(): NumberBlock {
    for (const chunk of this.#chunks) {
      const block = chunk.allocate();
      if (block !== undefined) return block;
    }
    const added = new NumberChunk(this.#functions);
    const block = added.allocate();
    if (block === undefined) throw new Error('there is no free block');
    this.#chunks.add(added);
    return block;
  }

  release(block: NumberBlock): void {
    block.chunk.release(block);
    if (block.chunk.isUnused) this.#chunks.delete(block.chunk);
  }
}
