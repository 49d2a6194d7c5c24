/**
 * The texts of a workbook. Cells refer to them by number, so all of them are kept while a sheet is read: as UTF-8 outside of the heap, where they take
 * half of the space of strings.
 */

import { UnreadableFile } from '../format.ts';
import { type PartReading, readPart } from './part.ts';
import { RichText } from './rich-text.ts';
import type { Attributes, XmlHandler } from './xml.ts';
import type { ZipArchive } from './zip.ts';

/** Four for every row that a sheet can have. */
const MAX_TEXTS = 4 * 1024 * 1024;

/** What they may take in memory, in MiB. */
const MAX_MEBIBYTES = 64;

/** Texts of more bytes than this are decoded once for all cells that refer to them. A piece of a sheet may refer to hundreds of them. */
const LONG = 256;

/** UTF-8 takes at most three bytes for each code unit of UTF-16. */
const MAX_BYTES_PER_UNIT = 3;

export class SharedStrings implements XmlHandler {
  #bytes = Buffer.alloc(0);
  /** Where each of them ends. */
  #ends = new Uint32Array(0);
  #count = 0;
  /** Long ones, by their numbers. */
  readonly #decoded = new Map<number, string>();
  readonly #text = new RichText();
  #depth = 0;

  static async read(
    archive: ZipArchive,
    part: string,
    options: Pick<PartReading, 'turn' | 'maxBytes'>,
  ): Promise<SharedStrings> {
    const strings = new SharedStrings();
    for await (const _ of readPart(archive, part, { ...options, handler: strings }));
    return strings;
  }

  get count(): number {
    return this.#count;
  }

  /** Undefined if there is no text with this number. */
  get(index: number): string | undefined {
    const end = index < this.#count ? this.#ends[index] : undefined;
    if (end === undefined) return undefined;
    const start = this.#ends[index - 1] ?? 0;
    const known = this.#decoded.get(index);
    if (known !== undefined) return known;
    const text = this.#bytes.toString('utf8', start, end);
    if (end - start > LONG) this.#decoded.set(index, text);
    return text;
  }

  /** `<sst><si>…</si>…</sst>`. */
  open(element: string, attributes: Attributes): void {
    this.#depth += 1;
    if (this.#depth > 2) this.#text.open(element, attributes);
  }

  text(text: string): void {
    this.#text.text(text);
  }

  close(element: string): void {
    this.#depth -= 1;
    if (this.#depth >= 2) this.#text.close(element);
    else if (element === 'si') this.#add(this.#text.take());
  }

  #add(text: string): void {
    const start = this.#ends[this.#count - 1] ?? 0;
    const needed = start + text.length * MAX_BYTES_PER_UNIT;
    if (needed > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(64 * 1024, 2 * this.#bytes.length, needed));
      this.#bytes.copy(larger);
      this.#bytes = larger;
    }
    if (this.#count === this.#ends.length) {
      const larger = new Uint32Array(Math.max(1024, 2 * this.#ends.length));
      larger.set(this.#ends);
      this.#ends = larger;
    }
    const end = start + this.#bytes.write(text, start);
    if (end > MAX_MEBIBYTES * 1024 * 1024 || this.#count === MAX_TEXTS) {
      throw new UnreadableFile(
        `The workbook has more than ${MAX_MEBIBYTES} MiB of different texts, or more than ${MAX_TEXTS} of them. Save the sheet as CSV, and import that.`,
      );
    }
    this.#ends[this.#count] = end;
    this.#count += 1;
  }
}
