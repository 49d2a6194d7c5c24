/** The values of one field of many records, as numbers: a code for each text, milliseconds for a timestamp. */

import type { Value } from '../../../catalog/value.ts';
import type { Storage } from '../../../catalog/value-types.ts';
import { GROUP_ROWS } from './bitmap.ts';

/** The maximum number of records of a block. */
export const BLOCK_ROWS = GROUP_ROWS;

/** Stands for null. No value of a record is NaN. */
const NULL = Number.NaN;

export interface Values {
  readonly storage: Storage;
  /** The codes of the texts that have been read. */
  readonly texts: TextCodes;
  /** One number for each record, NaN for null. A block is valid until the next one is read. Columns of the same records have blocks of the same lengths. */
  blocks(): Iterable<Float64Array>;
  /** How many records have each number, block by block. Undefined if that takes as long as reading them. */
  counts?(): Iterable<ReadonlyMap<number, number>>;
}

/** The value that a number stands for. */
export function columnValue({ storage, texts }: Values, number: number): Value | null {
  if (Number.isNaN(number)) return null;
  switch (storage) {
    case 'integer':
    case 'real':
      return number;
    case 'boolean':
      return number === 1;
    case 'timestamp':
      return new Date(number).toISOString();
    case 'text':
      return texts.textOf(number);
  }
}

/** A number for each of many texts, in the order in which they were found. */
export class TextCodes {
  /** By code. */
  readonly #texts: string[] = [];
  readonly #codes = new Map<string, number>();
  #characters = 0;

  get count(): number {
    return this.#texts.length;
  }

  /** Of all texts together. */
  get characters(): number {
    return this.#characters;
  }

  codeOf(text: string): number {
    const known = this.#codes.get(text);
    if (known !== undefined) return known;
    const code = this.#texts.push(text) - 1;
    this.#codes.set(text, code);
    this.#characters += text.length;
    return code;
  }

  textOf(code: number): string | null {
    return this.#texts[code] ?? null;
  }
}

/** Values that are added one by one. */
export class Column implements Values {
  readonly storage: Storage;
  readonly texts = new TextCodes();
  #numbers = new Float64Array(BLOCK_ROWS);
  #length = 0;

  constructor(storage: Storage) {
    this.storage = storage;
  }

  *blocks(): Iterable<Float64Array> {
    for (let from = 0; from < this.#length; from += BLOCK_ROWS)
      yield this.#numbers.subarray(from, Math.min(this.#length, from + BLOCK_ROWS));
  }

  /** Adds a value in its JSON form. */
  push(value: Value | null): void {
    if (this.#length === this.#numbers.length) {
      const longer = new Float64Array(2 * this.#length);
      longer.set(this.#numbers);
      this.#numbers = longer;
    }
    this.#numbers[this.#length] = value === null ? NULL : this.#numberOf(value);
    this.#length += 1;
  }

  #numberOf(value: Value): number {
    if (typeof value === 'string') return this.storage === 'timestamp' ? Date.parse(value) : this.texts.codeOf(value);
    return Number(value);
  }
}
