/** Numbers: integers, reals, and timestamps as milliseconds. NaN stands for null. */

import { timeOf } from '../../../catalog/timestamp.ts';
import type { Value } from '../../../catalog/value.ts';
import { type Bitmap, complement, emptyBitmap, setBit, unite } from './bitmap.ts';
import type { IndexedRow, RowValue } from './indexed-row.ts';
import { BLOCK_BYTES, type NumberBlock } from './number-chunk.ts';
import type { NumberMemory } from './number-memory.ts';
import { type Condition, type ConditionOf, pushAll, type RowSources, type Segment } from './segment.ts';

/** Up to this many values are compared one after another. More are looked up in a set, which takes about as long. */
const MAX_COMPARED = 16;

export class NumberSegment implements Segment {
  readonly bytes = BLOCK_BYTES;
  readonly #memory: NumberMemory;
  readonly #block: NumberBlock;
  #rows = 0;

  constructor(memory: NumberMemory) {
    this.#memory = memory;
    this.#block = memory.allocate();
  }

  /** Undefined if there is none. */
  get last(): number | undefined {
    return this.#rows === 0 ? undefined : this.#block.numbers[this.#rows - 1];
  }

  get numbers(): Float64Array {
    return this.#block.numbers.subarray(0, this.#rows);
  }

  push(value: RowValue): void {
    this.#copy(value === null ? Number.NaN : numberOf(value));
  }

  append(rows: readonly IndexedRow[], field: number, from: number, to: number): void {
    const { numbers } = this.#block;
    for (let row = from; row < to; row += 1) {
      const value = rows[row]?.[field] ?? null;
      numbers[this.#rows + row - from] = value === null ? Number.NaN : numberOf(value);
    }
    this.#rows += to - from;
  }

  setAll(places: Uint16Array, rows: readonly IndexedRow[], field: number): void {
    const { numbers } = this.#block;
    for (let index = 0, { length } = places; index < length; index += 1) {
      const value = rows[index]?.[field] ?? null;
      numbers[places[index] ?? 0] = value === null ? Number.NaN : numberOf(value);
    }
  }

  successor(): NumberSegment {
    return new NumberSegment(this.#memory);
  }

  rebuilt(sources: RowSources): NumberSegment {
    const segment = new NumberSegment(this.#memory);
    return pushAll(segment, sources, (row) => segment.#copy(this.#block.numbers[row] ?? Number.NaN));
  }

  #copy(number: number): void {
    this.#block.numbers[this.#rows] = number;
    this.#rows += 1;
  }

  find(condition: Condition, into: Bitmap): void {
    switch (condition.kind) {
      case 'ordered':
        this.#between(...bounds(condition.operator, numberOf(condition.value)), into);
        return;
      case 'equals': {
        const values = condition.anyOf.filter((value): value is Value => value !== null);
        this.#findNumbers(values.map(numberOf), into);
        if (values.length === condition.anyOf.length) return;
        const nulls = emptyBitmap();
        this.#between(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, nulls);
        complement(nulls, this.#rows);
        unite(into, nulls);
        return;
      }
      case 'text':
        throw new Error('numbers contain no text');
    }
  }

  sortKeys(): Float64Array {
    return this.numbers;
  }

  compare(): number {
    return 0;
  }

  read(rows: Bitmap, into: Float64Array): void {
    this.#block.chunk.gather(this.#block, rows, into);
  }

  release(): void {
    this.#memory.release(this.#block);
  }

  #findNumbers(numbers: readonly number[], into: Bitmap): void {
    into.fill(0);
    if (numbers.length > MAX_COMPARED) {
      const wanted = new Set(numbers);
      for (const [row, number] of this.numbers.entries()) if (wanted.has(number)) setBit(into, row);
      return;
    }
    const found = emptyBitmap();
    for (const number of numbers) {
      this.#between(number, number, found);
      unite(into, found);
    }
  }

  #between(low: number, high: number, into: Bitmap): void {
    this.#block.chunk.between(this.#block, this.#rows, low, high, into);
  }
}

/** A timestamp is text; everything else that is kept as a number is one. */
function numberOf(value: Value): number {
  return typeof value === 'string' ? timeOf(value) : Number(value);
}

/** The smallest and the largest number that an ordering admits. */
function bounds(operator: ConditionOf<'ordered'>['operator'], value: number): readonly [low: number, high: number] {
  switch (operator) {
    case '>':
      return [nextNumber(value, 1), Number.POSITIVE_INFINITY];
    case '>=':
      return [value, Number.POSITIVE_INFINITY];
    case '<':
      return [Number.NEGATIVE_INFINITY, nextNumber(value, -1)];
    case '<=':
      return [Number.NEGATIVE_INFINITY, value];
  }
}

const number = new Float64Array(1);
const bits = new BigInt64Array(number.buffer);

/** The nearest double above or below; NaN beyond infinity. */
function nextNumber(value: number, direction: 1 | -1): number {
  if (value === 0) return direction * Number.MIN_VALUE;
  if (!Number.isFinite(value)) return Math.sign(value) === direction ? Number.NaN : -direction * Number.MAX_VALUE;
  number[0] = value;
  // The bits of a double, without the sign, are in the order of its magnitude.
  bits[0] = (bits[0] ?? 0n) + (Math.sign(value) === direction ? 1n : -1n);
  return number[0];
}
