/**
 * The texts of a workbook. Cells refer to them by number, so all of them are kept while a sheet is read: as UTF-8 outside of the heap, where they take
 * half of the space of strings.
 */

import { FREE, type ReadingCost, UnreadableFile } from '../format.ts';
import { type PartReading, readPart } from './part.ts';
import { RichText } from './rich-text.ts';
import type { Attributes, XmlHandler } from './xml.ts';
import type { ZipArchive } from './zip.ts';

/** Four for every row that a sheet can have. */
const MAX_TEXTS = 4 * 1024 * 1024;

/** What they may take in memory, in MiB. */
const MAX_MEBIBYTES = 64;

/** They are in blocks of so many bytes, none of which is ever copied to become larger. No text is longer. */
const BLOCK = 1024 * 1024;

/** How many of their ends are in a block of their own. */
const ENDS = 64 * 1024;

/** Texts of more bytes than this are decoded once for all cells that refer to them. A piece of a sheet may refer to hundreds of them. */
const LONG = 256;

/** What those may take together with the bytes that they are decoded from. */
const MAX_HELD = (MAX_MEBIBYTES + 8) * 1024 * 1024;

/** UTF-8 takes at most three bytes for each code unit of UTF-16. */
const MAX_BYTES_PER_UNIT = 3;

export class SharedStrings implements XmlHandler {
  readonly #cost: ReadingCost;
  readonly #blocks: Buffer[] = [];
  /** Where each of them ends, as if the blocks were one. */
  readonly #ends: Uint32Array[] = [];
  #count = 0;
  /** Long ones, by their numbers. */
  readonly #decoded = new Map<number, string>();
  /** What they take in memory. */
  #decodedBytes = 0;
  readonly #text = new RichText();
  #depth = 0;

  constructor(cost = FREE) {
    this.#cost = cost;
  }

  static async read(
    archive: ZipArchive,
    part: string,
    options: Pick<PartReading, 'cost' | 'maxBytes'>,
  ): Promise<SharedStrings> {
    const strings = new SharedStrings(options.cost);
    for await (const _ of readPart(archive, part, { ...options, handler: strings }));
    return strings;
  }

  get count(): number {
    return this.#count;
  }

  /** Undefined if there is no text with this number. */
  get(index: number): string | undefined {
    if (index >= this.#count) return undefined;
    const known = this.#decoded.get(index);
    if (known !== undefined) return known;
    const end = this.#endOf(index);
    // A text is in one block: if there was no room for it after the one before, it is at the beginning.
    const blockStart = Math.floor(Math.max(0, end - 1) / BLOCK) * BLOCK;
    const start = Math.max(blockStart, this.#endOf(index - 1));
    const text = this.#blocks[blockStart / BLOCK]?.toString('utf8', start - blockStart, end - blockStart) ?? '';
    if (end - start > LONG) this.#keep(index, text, end - start);
    return text;
  }

  #keep(index: number, text: string, bytes: number): void {
    const held = text.length === bytes ? bytes : 2 * text.length;
    if (this.#blocks.length * BLOCK + this.#decodedBytes + held > MAX_HELD) return;
    this.#cost.hold(held);
    this.#decodedBytes += held;
    this.#decoded.set(index, text);
  }

  #endOf(index: number): number {
    return this.#ends[Math.floor(index / ENDS)]?.[index % ENDS] ?? 0;
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
    const previous = this.#endOf(this.#count - 1);
    const room = this.#blocks.length * BLOCK - previous;
    const fits = text.length * MAX_BYTES_PER_UNIT <= room || Buffer.byteLength(text) <= room;
    const start = fits ? previous : this.#addBlock();
    const end = start + (this.#blocks[Math.floor(start / BLOCK)]?.write(text, start % BLOCK) ?? 0);
    if (this.#count % ENDS === 0) {
      if (this.#count === MAX_TEXTS) throw tooManyTexts();
      this.#cost.hold(ENDS * Uint32Array.BYTES_PER_ELEMENT);
      this.#ends.push(new Uint32Array(ENDS));
    }
    const ends = this.#ends.at(-1);
    if (ends !== undefined) ends[this.#count % ENDS] = end;
    this.#count += 1;
  }

  /** Returns where it begins. */
  #addBlock(): number {
    const start = this.#blocks.length * BLOCK;
    if (start === MAX_MEBIBYTES * 1024 * 1024) throw tooManyTexts();
    this.#cost.hold(BLOCK);
    this.#blocks.push(Buffer.alloc(BLOCK));
    return start;
  }
}

function tooManyTexts(): UnreadableFile {
  return new UnreadableFile(
    `The workbook has more than ${MAX_MEBIBYTES} MiB of different texts, or more than ${MAX_TEXTS} of them. Save the sheet as CSV, and import that.`,
  );
}
