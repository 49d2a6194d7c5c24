/** Blocks of numbers stay where they are, and memory is returned when nothing uses it. */

import { expect, test } from 'vitest';
import { emptyBitmap, GROUP_ROWS } from '../../../../src/store/column-index/thread/bitmap.ts';
import { BLOCK_BYTES, CHUNK_BYTES } from '../../../../src/store/column-index/thread/number-chunk.ts';
import { NumberMemory } from '../../../../src/store/column-index/thread/number-memory.ts';
import { rowNumbers } from '../../../../src/store/column-index/thread/wasm/row-numbers.ts';

/** One more than fit in two chunks, however many those hold. */
const MANY = (2 * CHUNK_BYTES) / BLOCK_BYTES + 1;

test('blocks keep their numbers while others are allocated, and are compared one by one', () => {
  const memory = new NumberMemory();
  const blocks = Array.from({ length: MANY }, (_, n) => {
    const block = memory.allocate();
    block.numbers.fill(n, 0, 40);
    block.numbers[33] = -1 - n;
    return block;
  });
  expect(memory.bytes).toBe(3 * CHUNK_BYTES);
  const found = emptyBitmap();
  for (const [n, block] of blocks.entries()) {
    expect(block.numbers).toHaveLength(GROUP_ROWS);
    block.chunk.between(block, 40, -1 - n, -1 - n, found);
    expect([...rowNumbers(found)]).toEqual([33]);
    block.chunk.between(block, 33, n, n, found);
    expect([...found.slice(0, 3)]).toEqual([0xffff_ffff, 1, 0]);
    block.chunk.between(block, 0, n, n, found);
    expect(found).toEqual(emptyBitmap());
  }
});

test('a chunk is returned with its last block', () => {
  const memory = new NumberMemory();
  expect(memory.bytes).toBe(0);
  const blocks = Array.from({ length: MANY }, () => memory.allocate());
  for (const block of blocks.slice(1)) memory.release(block);
  expect(memory.bytes).toBe(CHUNK_BYTES);
  const others = Array.from({ length: 10 }, () => memory.allocate());
  expect(new Set([blocks[0], ...others].map((block) => block?.chunk)).size).toBe(1);
  for (const block of [...blocks.slice(0, 1), ...others]) memory.release(block);
  expect(memory.bytes).toBe(0);
});
