/** The values of one field of many records, as numbers: a code for each text, milliseconds for a timestamp. */

import type { Value } from '../../../catalog/value.ts';
import type { Storage } from '../../../catalog/value-types.ts';

const INITIAL_CAPACITY = 1_024;

/** Stands for null. No value of a record is NaN. */
const NULL = Number.NaN;

export class Column {
  readonly storage: Storage;
  #numbers: Float64Array<ArrayBuffer>;
  #length = 0;
  /** By code. */
  readonly #texts: string[] = [];
  readonly #codes = new Map<string, number>();
  #characters = 0;

  constructor(storage: Storage, capacity = INITIAL_CAPACITY) {
    this.storage = storage;
    this.#numbers = new Float64Array(capacity);
  }

  /** One for each record; NaN for null. */
  get numbers(): Float64Array {
    return this.#numbers.subarray(0, this.#length);
  }

  /** How many different texts there are, and how many characters they have. */
  get texts(): { readonly count: number; readonly characters: number } {
    return { count: this.#texts.length, characters: this.#characters };
  }

  /** Adds a value in its JSON form. */
  push(value: Value | null): void {
    this.#reserve(1);
    this.#numbers[this.#length] = value === null ? NULL : this.#numberOf(value);
    this.#length += 1;
  }

  /** Adds some of these numbers, which stand for values. */
  pushNumbers(numbers: Float64Array, rows: Uint16Array): void {
    this.#reserve(rows.length);
    const added = this.#numbers.subarray(this.#length, this.#length + rows.length);
    for (let index = 0; index < rows.length; index += 1) added[index] = numbers[rows[index] ?? 0] ?? NULL;
    this.#length += rows.length;
  }

  /** The value that a number stands for. */
  valueOf(number: number): Value | null {
    if (Number.isNaN(number)) return null;
    switch (this.storage) {
      case 'integer':
      case 'real':
        return number;
      case 'boolean':
        return number === 1;
      case 'timestamp':
        return new Date(number).toISOString();
      case 'text':
        return this.#texts[number] ?? null;
    }
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#numbers.length) return;
    const longer = new Float64Array(Math.max(2 * this.#length, this.#length + count));
    longer.set(this.#numbers);
    this.#numbers = longer;
  }

  #numberOf(value: Value): number {
    if (typeof value === 'string') return this.storage === 'timestamp' ? Date.parse(value) : this.#codeOf(value);
    return Number(value);
  }

  #codeOf(text: string): number {
    const known = this.#codes.get(text);
    if (known !== undefined) return known;
    const code = this.#texts.push(text) - 1;
    this.#codes.set(text, code);
    this.#characters += text.length;
    return code;
  }
}
