/** True, false or null, two bits each. */

import type { Value } from '../../../catalog/value.ts';
import {
  type Bitmap,
  clearBit,
  countBits,
  countCommonBits,
  emptyBitmap,
  firstRows,
  hasBit,
  setBit,
  subtract,
  unite,
} from './bitmap.ts';
import type { IndexedRow, RowValue } from './indexed-row.ts';
import { type Condition, pushAll, type RowSources, type Segment } from './segment.ts';
import { rowNumbers } from './wasm/row-numbers.ts';

export class BooleanSegment implements Segment {
  readonly #true = emptyBitmap();
  readonly #null = emptyBitmap();
  #rows = 0;

  get bytes(): number {
    return this.#true.byteLength + this.#null.byteLength;
  }

  push(value: RowValue): void {
    this.#rows += 1;
    this.#set(this.#rows - 1, value);
  }

  append(rows: readonly IndexedRow[], field: number, from: number, to: number): void {
    for (let row = from; row < to; row += 1) this.push(rows[row]?.[field] ?? null);
  }

  setAll(places: Uint16Array, rows: readonly IndexedRow[], field: number): void {
    for (let index = 0, { length } = places; index < length; index += 1)
      this.#set(places[index] ?? 0, rows[index]?.[field] ?? null);
  }

  successor(): BooleanSegment {
    return new BooleanSegment();
  }

  rebuilt(sources: RowSources): BooleanSegment {
    const segment = new BooleanSegment();
    return pushAll(segment, sources, (row) => segment.push(this.#valueAt(row)));
  }

  #set(row: number, value: RowValue): void {
    (value === 1 ? setBit : clearBit)(this.#true, row);
    (value === null ? setBit : clearBit)(this.#null, row);
  }

  find(condition: Condition, into: Bitmap): void {
    if (condition.kind !== 'equals') throw new Error(`a boolean is compared by ${condition.kind}`);
    into.fill(0);
    for (const value of condition.anyOf) unite(into, this.#rowsWith(value));
  }

  #rowsWith(value: Value | null): Bitmap {
    if (value === null) return this.#null;
    if (value === true) return this.#true;
    const rows = firstRows(this.#rows);
    subtract(rows, this.#true);
    subtract(rows, this.#null);
    return rows;
  }

  #valueAt(row: number): RowValue {
    return hasBit(this.#null, row) ? null : Number(hasBit(this.#true, row));
  }

  sortKeys(): Float64Array {
    const keys = new Float64Array(this.#rows);
    for (let row = 0, { length } = keys; row < length; row += 1)
      keys[row] = hasBit(this.#null, row) ? Number.NaN : hasBit(this.#true, row) ? 1 : 0;
    return keys;
  }

  compare(): number {
    return 0;
  }

  /** How many of some rows have each number. */
  counts(rows: Bitmap): ReadonlyMap<number, number> {
    const [isTrue, isNull] = [countCommonBits(rows, this.#true), countCommonBits(rows, this.#null)];
    return new Map([
      [1, isTrue],
      [0, countBits(rows) - isTrue - isNull],
      [Number.NaN, isNull],
    ]);
  }

  read(rows: Bitmap, into: Float64Array): void {
    const numbers = rowNumbers(rows);
    for (let index = 0, { length } = numbers; index < length; index += 1) {
      const row = numbers[index] ?? 0;
      const [word, bit] = [row >>> 5, row & 31];
      const isNull = ((this.#null[word] ?? 0) >>> bit) & 1;
      into[index] = isNull === 1 ? Number.NaN : ((this.#true[word] ?? 0) >>> bit) & 1;
    }
  }

  release(): void {}
}
