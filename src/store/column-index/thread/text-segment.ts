/**
 * Text. As long as there are few different texts, each has a code; otherwise they are kept one after another, as they are
 * and folded, so that a search reads nothing else.
 */

import { compact, fold } from '../../../catalog/fold.ts';
import type { Value } from '../../../catalog/value.ts';
import type { TextForm } from '../../../plan/plan.ts';
import { textTests } from '../../../plan/text-tests.ts';
import { type Bitmap, clearBit, emptyBitmap, GROUP_ROWS, hasBit, setBit, subtract, unite } from './bitmap.ts';
import type { TextCodes } from './column.ts';
import type { IndexedRow, RowValue } from './indexed-row.ts';
import { type Condition, type ConditionOf, pushAll, type RowSources, type Segment } from './segment.ts';
import { sortKey, TextBlob } from './text-blob.ts';
import { rowNumbers } from './wasm/row-numbers.ts';

/** The maximum number of texts that are searched for one after another; more are looked up in a set. */
const MAX_SEARCHED = 8;

/** If more texts change, they are all written again: replacing one moves those behind it. */
const MAX_CHANGED_IN_PLACE = 64;

export class TextSegment implements Segment {
  readonly #null = emptyBitmap();
  #rows = 0;
  readonly #maxCodes: number;
  #content: CodedTexts | PlainTexts;

  constructor(maxCodes: number, content: CodedTexts | PlainTexts = new CodedTexts(maxCodes)) {
    this.#maxCodes = maxCodes;
    this.#content = content;
  }

  get bytes(): number {
    return this.#null.byteLength + this.#content.bytes;
  }

  push(value: RowValue): void {
    this.#rows += 1;
    this.#withRoom(textOf(value)).push(textOf(value));
    if (value === null) setBit(this.#null, this.#rows - 1);
  }

  append(rows: readonly IndexedRow[], field: number, from: number, to: number): void {
    for (let row = from; row < to; row += 1) this.push(rows[row]?.[field] ?? null);
  }

  setAll(places: Uint16Array, rows: readonly IndexedRow[], field: number): void {
    const changed: (readonly [place: number, text: string])[] = [];
    for (const [index, place] of places.entries()) {
      const value = rows[index]?.[field] ?? null;
      (value === null ? setBit : clearBit)(this.#null, place);
      if (!this.#content.isAt(place, textOf(value))) changed.push([place, textOf(value)]);
    }
    if (changed.length > MAX_CHANGED_IN_PLACE && this.#content instanceof PlainTexts)
      this.#content = this.#content.changed(new Map(changed), this.#rows);
    else for (const [place, text] of changed) this.#withRoom(text).set(place, text);
  }

  successor(): TextSegment {
    return new TextSegment(this.#maxCodes, this.#content instanceof PlainTexts ? this.#content.successor() : undefined);
  }

  rebuilt(sources: RowSources): TextSegment {
    const segment = new TextSegment(this.#maxCodes);
    const content = this.#content;
    if (content instanceof CodedTexts) return pushAll(segment, sources, (row) => segment.push(this.textAt(row)));
    const copied = content.successor();
    segment.#content = copied;
    return pushAll(segment, sources, (row) => {
      copied.copy(content, row);
      segment.#rows += 1;
      if (hasBit(this.#null, row)) setBit(segment.#null, segment.#rows - 1);
    });
  }

  find(condition: Condition, into: Bitmap): void {
    into.fill(0);
    const found = (row: number) => setBit(into, row);
    switch (condition.kind) {
      case 'text':
        this.#search(condition, found);
        // Null is kept as the empty text.
        subtract(into, this.#null);
        return;
      case 'equals':
        this.#findTexts(condition.anyOf.filter((value) => value !== null).map(textOf), found);
        subtract(into, this.#null);
        if (condition.anyOf.includes(null)) unite(into, this.#null);
        return;
      case 'ordered':
        throw new Error('text is not compared by order');
    }
  }

  #search({ test, form, text }: ConditionOf<'text'>, found: (row: number) => void): void {
    const isMet = textTests[test];
    this.#content.forEachContaining(text, form, (row) => {
      if (isMet === undefined || isMet(inForm(this.#content.foldedAt(row).toString(), form), text)) found(row);
    });
  }

  #findTexts(texts: readonly string[], found: (row: number) => void): void {
    if (texts.length <= MAX_SEARCHED) {
      for (const text of texts) this.#content.forEachEqual(text, found);
      return;
    }
    const wanted = new Set(texts);
    for (let row = 0; row < this.#rows; row += 1) if (wanted.has(this.#content.textAt(row))) found(row);
  }

  textAt(row: number): string | null {
    return hasBit(this.#null, row) ? null : this.#content.textAt(row);
  }

  /** Empty for null. */
  foldedAt(row: number): string {
    return this.#content.foldedAt(row).toString();
  }

  sortKeys(): Float64Array {
    const keys = new Float64Array(this.#rows);
    for (let row = 0, { length } = keys; row < length; row += 1)
      keys[row] = hasBit(this.#null, row) ? Number.NaN : this.#content.sortKey(row);
    return keys;
  }

  compare(row: number, other: Segment, otherRow: number): number {
    if (!(other instanceof TextSegment)) throw new Error('text is compared with something else');
    return Buffer.compare(this.#content.foldedAt(row), other.#content.foldedAt(otherRow));
  }

  read(rows: Bitmap, into: Float64Array, texts: TextCodes): void {
    const codeAt = this.#content.coderInto(texts);
    const numbers = rowNumbers(rows);
    for (let index = 0, { length } = numbers; index < length; index += 1) {
      const row = numbers[index] ?? 0;
      into[index] = hasBit(this.#null, row) ? Number.NaN : codeAt(row);
    }
  }

  release(): void {}

  /** The content, after its texts have lost their codes if there are too many. */
  #withRoom(text: string): CodedTexts | PlainTexts {
    if (this.#content instanceof CodedTexts && !this.#content.hasRoomFor(text)) this.#content = this.#content.uncoded();
    return this.#content;
  }
}

function inForm(folded: string, form: TextForm): string {
  return form === 'folded' ? folded : compact(folded);
}

function textOf(value: Value | RowValue): string {
  return value === null ? '' : String(value);
}

interface Content {
  readonly bytes: number;
  push(text: string): void;
  /** Whether a row has this text. */
  isAt(row: number, text: string): boolean;
  set(row: number, text: string): void;
  textAt(row: number): string;
  /** In UTF-8. */
  foldedAt(row: number): Buffer;
  sortKey(row: number): number;
  /** Returns what finds the code of a row's text among others. */
  coderInto(texts: TextCodes): (row: number) => number;
  /** `text` has this form. */
  forEachContaining(text: string, form: TextForm, visit: (row: number) => void): void;
  forEachEqual(text: string, visit: (row: number) => void): void;
}

/** The approximate size of a text, its folded form and its code in bytes, without the characters. */
const CODE_BYTES = 200;

interface CodedText {
  readonly text: string;
  readonly folded: string;
  /** The folded form in UTF-8. */
  readonly bytes: Buffer;
  readonly sortKey: number;
}

function codedText(text: string): CodedText {
  const folded = fold(text);
  const bytes = Buffer.from(folded);
  return { text, folded, bytes, sortKey: sortKey(bytes, 0, bytes.length) };
}

const NO_TEXT = codedText('');

class CodedTexts implements Content {
  readonly #codes = new Uint16Array(GROUP_ROWS);
  /** By code. */
  readonly #texts: CodedText[] = [];
  readonly #codeOf = new Map<string, number>();
  readonly #maxCodes: number;
  #rows = 0;
  #characters = 0;

  constructor(maxCodes: number) {
    this.#maxCodes = maxCodes;
  }

  get bytes(): number {
    return this.#codes.byteLength + this.#texts.length * CODE_BYTES + 4 * this.#characters;
  }

  hasRoomFor(text: string): boolean {
    return this.#texts.length < this.#maxCodes || this.#codeOf.has(text);
  }

  uncoded(): PlainTexts {
    const texts = new PlainTexts();
    for (let row = 0; row < this.#rows; row += 1) texts.push(this.textAt(row));
    return texts;
  }

  push(text: string): void {
    this.#rows += 1;
    this.set(this.#rows - 1, text);
  }

  set(row: number, text: string): void {
    const known = this.#codeOf.get(text);
    this.#codes[row] = known ?? this.#add(text);
  }

  #add(text: string): number {
    const code = this.#texts.push(codedText(text)) - 1;
    this.#codeOf.set(text, code);
    this.#characters += text.length;
    return code;
  }

  isAt(row: number, text: string): boolean {
    return this.textAt(row) === text;
  }

  textAt(row: number): string {
    return this.#at(row).text;
  }

  foldedAt(row: number): Buffer {
    return this.#at(row).bytes;
  }

  sortKey(row: number): number {
    return this.#at(row).sortKey;
  }

  coderInto(texts: TextCodes): (row: number) => number {
    const codes = new Int32Array(this.#texts.length).fill(-1);
    return (row) => {
      const own = this.#codes[row] ?? 0;
      const known = codes[own] ?? -1;
      if (known >= 0) return known;
      const code = texts.codeOf(this.textAt(row));
      codes[own] = code;
      return code;
    };
  }

  forEachContaining(part: string, form: TextForm, visit: (row: number) => void): void {
    this.#forEach(({ folded }) => inForm(folded, form).includes(part), visit);
  }

  forEachEqual(wanted: string, visit: (row: number) => void): void {
    if (this.#codeOf.has(wanted)) this.#forEach(({ text }) => text === wanted, visit);
  }

  #forEach(isWanted: (text: CodedText) => boolean, visit: (row: number) => void): void {
    const wanted = this.#texts.map(isWanted);
    for (let row = 0; row < this.#rows; row += 1) if (wanted[this.#codes[row] ?? 0]) visit(row);
  }

  #at(row: number): CodedText {
    return this.#texts[this.#codes[row] ?? 0] ?? NO_TEXT;
  }
}

/** How much more room the texts of the next group get. */
const SPARE = 1.05;

class PlainTexts implements Content {
  readonly #texts: TextBlob;
  readonly #folded: TextBlob;

  constructor(bytes?: { readonly texts: number; readonly folded: number }) {
    this.#texts = new TextBlob(bytes?.texts);
    this.#folded = new TextBlob(bytes?.folded);
  }

  /** An empty one, for about as many bytes. */
  successor(): PlainTexts {
    return new PlainTexts({
      texts: Math.ceil(this.#texts.used * SPARE),
      folded: Math.ceil(this.#folded.used * SPARE),
    });
  }

  get bytes(): number {
    return this.#texts.bytes + this.#folded.bytes;
  }

  push(text: string): void {
    this.#texts.push(text);
    this.#folded.push(fold(text));
  }

  /** Appends what another one has in a row. */
  copy(other: PlainTexts, row: number): void {
    this.#texts.pushBytes(other.#texts.at(row));
    this.#folded.pushBytes(other.#folded.at(row));
  }

  isAt(row: number, text: string): boolean {
    return this.#texts.isAt(row, text);
  }

  set(row: number, text: string): void {
    this.#texts.set(row, text);
    this.#folded.set(row, fold(text));
  }

  /** The first rows, with other texts in some of them. */
  changed(texts: ReadonlyMap<number, string>, rows: number): PlainTexts {
    const changed = this.successor();
    for (let row = 0; row < rows; row += 1) {
      const text = texts.get(row);
      if (text === undefined) changed.copy(this, row);
      else changed.push(text);
    }
    return changed;
  }

  textAt(row: number): string {
    return this.#texts.at(row).toString();
  }

  foldedAt(row: number): Buffer {
    return this.#folded.at(row);
  }

  sortKey(row: number): number {
    return this.#folded.sortKey(row);
  }

  coderInto(texts: TextCodes): (row: number) => number {
    return (row) => texts.codeOf(this.textAt(row));
  }

  forEachContaining(text: string, form: TextForm, visit: (row: number) => void): void {
    if (form === 'folded') this.#folded.forEachContaining(text, visit);
    else this.#folded.forEachContainingCompact(text, visit);
  }

  forEachEqual(text: string, visit: (row: number) => void): void {
    this.#texts.forEachEqual(text, visit);
  }
}
