/** Texts of the rows of a group, one after another in UTF-8. Each is between two NUL bytes, which no text contains. */

import { compact } from '../../../catalog/fold.ts';
import { GROUP_ROWS } from './bitmap.ts';
import { forEachMatch, forEachMatchBeyond } from './byte-search.ts';

/** The bytes that compact texts do not have. */
const COMPACTED = [...Array(128).keys()].filter((byte) => compact(String.fromCharCode(byte)) === '');

const INITIAL_BYTES = 64 * 1024;

/** How much larger it gets than is needed at once. */
const GROWTH = 1.25;

export class TextBlob {
  #bytes: Buffer;
  /** Where each text starts; one more for the end. */
  readonly #starts = new Uint32Array(GROUP_ROWS + 1).fill(1, 0, 1);
  #rows = 0;

  constructor(bytes: number = INITIAL_BYTES) {
    this.#bytes = Buffer.allocUnsafeSlow(bytes).fill(0, 0, 1);
  }

  /** How many bytes its texts take. */
  get used(): number {
    return this.#end;
  }

  get bytes(): number {
    return this.#bytes.length + this.#starts.byteLength;
  }

  push(text: string): void {
    const start = this.#end;
    // As many bytes as the text may have.
    this.#reserve(start + 3 * text.length + 1);
    const end = start + this.#bytes.write(text, start);
    this.#bytes[end] = 0;
    this.#rows += 1;
    this.#starts[this.#rows] = end + 1;
  }

  isAt(row: number, text: string): boolean {
    const [start, end] = this.#range(row);
    return end - start >= text.length && end - start <= 3 * text.length && this.at(row).equals(Buffer.from(text));
  }

  /** A text in UTF-8. */
  pushBytes(bytes: Uint8Array): void {
    const start = this.#end;
    this.#rows += 1;
    this.#starts[this.#rows] = start + bytes.length + 1;
    this.#reserve(this.#end);
    this.#bytes.set(bytes, start);
    this.#bytes[this.#end - 1] = 0;
  }

  set(row: number, text: string): void {
    const bytes = Buffer.from(text);
    const [start, end] = this.#range(row);
    if (bytes.equals(this.at(row))) return;
    const shift = bytes.length - (end - start);
    this.#reserve(this.#end + shift);
    this.#bytes.copyWithin(end + shift, end, this.#end);
    this.#bytes.set(bytes, start);
    if (shift === 0) return;
    for (let next = row + 1; next <= this.#rows; next += 1) this.#starts[next] = (this.#starts[next] ?? 0) + shift;
  }

  /** In UTF-8. Valid until the next change. */
  at(row: number): Buffer {
    return this.#bytes.subarray(...this.#range(row));
  }

  /** A number that sorts like the text, as far as its first bytes differ from those of others. */
  sortKey(row: number): number {
    return sortKey(this.#bytes, ...this.#range(row));
  }

  /** Calls `visit` with every row whose text contains another one. */
  forEachContaining(part: string, visit: (row: number) => void): void {
    if (part === '') for (let row = 0; row < this.#rows; row += 1) visit(row);
    else if (!part.includes('\0')) forEachMatch(this.#texts, Buffer.from(part), this.#rowAfterRow(visit));
  }

  /** The same for a text whose compact form contains another one. */
  forEachContainingCompact(part: string, visit: (row: number) => void): void {
    forEachMatchBeyond(COMPACTED, this.#texts, Buffer.from(part), this.#rowAfterRow(visit));
  }

  /** Calls `visit` with every row that has this text. */
  forEachEqual(text: string, visit: (row: number) => void): void {
    const wanted = Buffer.from(text);
    for (let row = 0, rows = this.#rows; row < rows; row += 1) {
      const [start, end] = this.#range(row);
      if (end - start === wanted.length && wanted.compare(this.#bytes, start, end) === 0) visit(row);
    }
  }

  get #texts(): Buffer {
    return this.#bytes.subarray(0, this.#end);
  }

  /** Visits the rows in which bytes are, and returns where the next row starts. The bytes must be in ascending order. */
  #rowAfterRow(visit: (row: number) => void): (byte: number) => number {
    let next = 0;
    return (byte) => {
      const row = this.#rowAt(byte, next);
      visit(row);
      next = row + 1;
      return this.#starts[next] ?? 0;
    };
  }

  /** The row that a byte belongs to, which is not before another one. */
  #rowAt(byte: number, first: number): number {
    let [low, step] = [first, 1];
    while (low + step < this.#rows && (this.#starts[low + step] ?? 0) <= byte) {
      low += step;
      step *= 2;
    }
    let high = Math.min(low + step, this.#rows);
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] ?? 0) <= byte) low = middle;
      else high = middle;
    }
    return low;
  }

  get #end(): number {
    return this.#starts[this.#rows] ?? 0;
  }

  #range(row: number): readonly [start: number, end: number] {
    return [this.#starts[row] ?? 0, (this.#starts[row + 1] ?? 1) - 1];
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.ceil(bytes * GROWTH));
    larger.set(this.#bytes.subarray(0, this.#end));
    this.#bytes = larger;
  }
}

/** A double holds six bytes exactly. */
const KEY_BYTES = 6;

/** A number that sorts like a part of some bytes, as far as the first ones differ. */
export function sortKey(bytes: Uint8Array, start: number, end: number): number {
  let key = 0;
  for (let byte = start; byte < start + KEY_BYTES; byte += 1) key = key * 256 + (byte < end ? (bytes[byte] ?? 0) : 0);
  return key;
}
