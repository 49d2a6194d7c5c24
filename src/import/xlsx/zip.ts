/**
 * The files in a ZIP archive (APPNOTE 6.3.10), as far as workbooks use it: stored or deflated, not encrypted, in one volume. Whatever the archive says about itself
 * is checked before anything is unpacked, so that unpacking takes no more than it says.
 */

import { pipeline } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { quoted } from '../../problem/quoted.ts';
import { TooManyBytes } from '../file-text.ts';
import { UnreadableFile } from '../format.ts';
import type { RandomAccess } from './random-access.ts';

/** A workbook has a few files per sheet. */
export const MAX_ENTRIES = 4_096;

/** What the list of the files may take, in bytes. */
const MAX_DIRECTORY = 1024 * 1024;

/** How much larger a file may become, unless it is small. Sheets become 5 to 50 times as large, and deflate reaches 1,032. */
const MAX_RATIO = 200;
const SMALL = 4 * 1024 * 1024;

/** A file that claims more bytes is unpacked once before it is read, which takes a second or two per gigabyte: reading takes far longer. */
const LARGE = 64 * 1024 * 1024;

/** The bytes of an entry come in pieces of at most this size, however it is compressed. */
const PIECE = 16 * 1024;

/** The same, if nobody reads them. */
const UNREAD_PIECE = 256 * 1024;

const END = { signature: 0x06_05_4b_50, length: 22, maxComment: 0xffff };
const ZIP64_LOCATOR = { signature: 0x07_06_4b_50, length: 20 };
const ZIP64_END = { signature: 0x06_06_4b_50, length: 56 };
const DIRECTORY_ENTRY = { signature: 0x02_01_4b_50, length: 46 };
const LOCAL_HEADER = { signature: 0x04_03_4b_50, length: 30 };
const ZIP64_EXTRA = 0x0001;

const STORED = 0;
const DEFLATED = 8;

/** Encrypted; strongly encrypted; with an encrypted list of files. */
const ENCRYPTED = 0b10_0000_0100_0001;

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  /** Of its local header. */
  readonly offset: number;
  /** Where the next entry, or the list of the entries, begins. */
  readonly limit: number;
}

export interface ZipOptions {
  /** How many bytes may be unpacked, of all files together. More throw TooManyBytes. Unlimited by default. */
  readonly maxBytes?: number;
  readonly onUnpacked?: (bytes: number) => void;
}

export class ZipArchive {
  readonly #file: RandomAccess;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #options: ZipOptions;
  /** Those that have been unpacked, and how large they claim to be together. */
  readonly #unpackedEntries = new Set<Entry>();
  #claimed = 0;

  private constructor(file: RandomAccess, entries: ReadonlyMap<string, Entry>, options: ZipOptions) {
    this.#file = file;
    this.#entries = entries;
    this.#options = options;
  }

  static async open(file: RandomAccess, options: ZipOptions = {}): Promise<ZipArchive> {
    return new ZipArchive(file, await readDirectory(file), options);
  }

  /** In lowercase, because names in a workbook ignore case. */
  get names(): Iterable<string> {
    return this.#entries.keys();
  }

  has(name: string): boolean {
    return this.#entries.has(keyOf(name));
  }

  /** What the archive says about a file. */
  sizeOf(name: string): number {
    return this.#entryOf(name).size;
  }

  #entryOf(name: string): Entry {
    const entry = this.#entries.get(keyOf(name));
    if (entry === undefined) throw damaged(`${quoted(name)} is missing`);
    return entry;
  }

  /** The bytes of a file, unpacked. Throws TooManyBytes, before any of them, if they are more than `maxBytes`, or than the archive may have. */
  async *bytes(name: string, maxBytes: number): AsyncIterable<Uint8Array> {
    const entry = this.#entryOf(name);
    const { size, compressedSize } = entry;
    if (size > maxBytes) throw new TooManyBytes();
    const isNew = !this.#unpackedEntries.has(entry);
    if (isNew) this.#claimed += size;
    if (this.#claimed > (this.#options.maxBytes ?? Number.POSITIVE_INFINITY)) throw new TooManyBytes();
    this.#unpackedEntries.add(entry);
    if (size > SMALL && size > compressedSize * MAX_RATIO) {
      throw new UnreadableFile(
        `${quoted(name)} in the workbook would become more than ${MAX_RATIO} times as large when it is unpacked. Remove empty rows and columns with formats, or save the sheet as CSV.`,
      );
    }
    if (isNew && size > LARGE) for await (const _ of this.#checked(entry, UNREAD_PIECE));
    for await (const piece of this.#checked(entry, PIECE)) {
      this.#options.onUnpacked?.(piece.length);
      yield piece;
    }
  }

  /** Throws if they are not what the archive says. */
  async *#checked(entry: Entry, pieceSize: number): AsyncIterable<Uint8Array> {
    const { name, size } = entry;
    let length = 0;
    let crc = 0;
    for await (const piece of this.#unpacked(entry, pieceSize)) {
      length += piece.length;
      if (length > size) throw damaged(`${quoted(name)} is longer than it should be`);
      crc = crc32(piece, crc);
      yield piece;
    }
    if (length < size) throw damaged(`${quoted(name)} is truncated`);
    if (crc !== entry.crc) throw damaged(`${quoted(name)} has a wrong checksum`);
  }

  async *#unpacked(entry: Entry, pieceSize: number): AsyncIterable<Uint8Array> {
    if (entry.method === STORED) {
      yield* this.#packed(entry);
      return;
    }
    const inflate = createInflateRaw({ chunkSize: pieceSize });
    // An error of either reaches the reader of the last.
    pipeline(this.#packed(entry), inflate, () => {});
    try {
      yield* inflate;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (!code.startsWith('Z_')) throw error;
      throw damaged(`${quoted(entry.name)} cannot be unpacked`);
    } finally {
      // If there are bytes after the end of the compressed data, it would wait for somebody to take them.
      inflate.destroy();
    }
  }

  async *#packed({ name, offset, compressedSize, limit }: Entry): AsyncIterable<Uint8Array> {
    const header = view(await readAll(this.#file, offset, LOCAL_HEADER.length));
    const start = offset + LOCAL_HEADER.length + header.getUint16(26, true) + header.getUint16(28, true);
    const isHeader = header.getUint32(0, true) === LOCAL_HEADER.signature;
    if (!isHeader || start + compressedSize > limit) throw damaged(`${quoted(name)} is not where it should be`);
    for (let at = 0; at < compressedSize; at += PIECE) {
      yield await readAll(this.#file, start + at, Math.min(PIECE, compressedSize - at));
    }
  }
}

interface Directory {
  readonly offset: number;
  readonly length: number;
  readonly entries: number;
}

async function readDirectory(file: RandomAccess): Promise<ReadonlyMap<string, Entry>> {
  const { offset, length, entries: count } = await findDirectory(file);
  if (count > MAX_ENTRIES || length > MAX_DIRECTORY) {
    throw new UnreadableFile(`The archive has more than ${MAX_ENTRIES} files, too many for a workbook.`);
  }
  const bytes = await readAll(file, offset, length);
  const entries: Omit<Entry, 'limit'>[] = [];
  for (let at = 0; entries.length < count; ) {
    const { entry, end } = readEntry(bytes, at);
    entries.push(entry);
    at = end;
  }
  return indexed(entries, offset);
}

/** Every entry by its name, if they do not overlap. */
function indexed(entries: readonly Omit<Entry, 'limit'>[], end: number): ReadonlyMap<string, Entry> {
  const byName = new Map<string, Entry>();
  let limit = end;
  for (const entry of entries.toSorted((a, b) => b.offset - a.offset)) {
    const { name, offset, compressedSize } = entry;
    // Its local header may have more, which is checked when it is read.
    if (offset + LOCAL_HEADER.length + compressedSize > limit) throw damaged(`${quoted(name)} overlaps with others`);
    const key = keyOf(name);
    if (byName.has(key)) throw damaged(`it has ${quoted(name)} twice`);
    byName.set(key, { ...entry, limit });
    limit = offset;
  }
  return byName;
}

/** Names in a workbook ignore case. Some programs write `\`, or begin with `/`. */
function keyOf(name: string): string {
  return name.toLowerCase().replaceAll('\\', '/').replace(/^\//, '');
}

async function findDirectory(file: RandomAccess): Promise<Directory> {
  const tailLength = Math.min(file.size, END.length + END.maxComment);
  const tailOffset = file.size - tailLength;
  const tail = view(await readAll(file, tailOffset, tailLength));
  for (let at = tailLength - END.length; at >= 0; at -= 1) {
    const isEnd = tail.getUint32(at, true) === END.signature;
    // The comment is last. Its length tells the signature from the same bytes in the comment.
    if (!isEnd || at + END.length + tail.getUint16(at + 20, true) !== tailLength) continue;
    const directory = {
      entries: tail.getUint16(at + 10, true),
      length: tail.getUint32(at + 12, true),
      offset: tail.getUint32(at + 16, true),
    };
    const found = (await findZip64(file, tailOffset + at)) ?? directory;
    if (found.offset + found.length > tailOffset + at) throw damaged('its list of files is not where it should be');
    return found;
  }
  throw new UnreadableFile(
    'The workbook is truncated: the end of the file is missing. Copy or download it again, or save it again in Excel.',
  );
}

/** Undefined if the archive is not in the format for large ones, which some programs use for any size. */
async function findZip64(file: RandomAccess, end: number): Promise<Directory | undefined> {
  if (end < ZIP64_LOCATOR.length) return undefined;
  const locator = view(await readAll(file, end - ZIP64_LOCATOR.length, ZIP64_LOCATOR.length));
  if (locator.getUint32(0, true) !== ZIP64_LOCATOR.signature) return undefined;
  const header = view(await readAll(file, safe(locator.getBigUint64(8, true)), ZIP64_END.length));
  if (header.getUint32(0, true) !== ZIP64_END.signature) throw damaged('its list of files is not where it should be');
  return {
    entries: safe(header.getBigUint64(32, true)),
    length: safe(header.getBigUint64(40, true)),
    offset: safe(header.getBigUint64(48, true)),
  };
}

function readEntry(bytes: Uint8Array, at: number): { readonly entry: Omit<Entry, 'limit'>; readonly end: number } {
  const header = view(bytes.subarray(at, at + DIRECTORY_ENTRY.length));
  if (header.byteLength < DIRECTORY_ENTRY.length || header.getUint32(0, true) !== DIRECTORY_ENTRY.signature) {
    throw damaged('its list of files is not complete');
  }
  const nameEnd = at + DIRECTORY_ENTRY.length + header.getUint16(28, true);
  const extraEnd = nameEnd + header.getUint16(30, true);
  const end = extraEnd + header.getUint16(32, true);
  if (end > bytes.length) throw damaged('its list of files is not complete');
  const name = Buffer.from(bytes.subarray(at + DIRECTORY_ENTRY.length, nameEnd)).toString('utf8');
  const method = header.getUint16(10, true);
  if ((header.getUint16(8, true) & ENCRYPTED) !== 0) {
    throw new UnreadableFile(`${quoted(name)} in the archive is encrypted. Save it without a password.`);
  }
  if (method !== STORED && method !== DEFLATED) {
    throw new UnreadableFile(
      `${quoted(name)} in the archive is compressed by method ${method}, which workbooks do not use. Open it in Excel and save it again.`,
    );
  }
  // Those that do not fit into 32 bits are in the extra field, in this order.
  const large = largeNumbers(bytes.subarray(nameEnd, extraEnd));
  const number = (offset: number) => {
    const value = header.getUint32(offset, true);
    return value === 0xffff_ffff ? (large.shift() ?? value) : value;
  };
  const size = number(24);
  const compressedSize = number(20);
  return { entry: { name, method, crc: header.getUint32(16, true), size, compressedSize, offset: number(42) }, end };
}

function largeNumbers(extra: Uint8Array): number[] {
  const fields = view(extra);
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = Math.min(fields.getUint16(at + 2, true), extra.length - at - 4);
    if (fields.getUint16(at, true) === ZIP64_EXTRA) {
      return Array.from({ length: Math.floor(length / 8) }, (_, index) =>
        safe(fields.getBigUint64(at + 4 + 8 * index, true)),
      );
    }
    at += 4 + length;
  }
  return [];
}

/** Larger ones are in no file. */
function safe(value: bigint): number {
  if (value > Number.MAX_SAFE_INTEGER) throw damaged('its list of files is not where it should be');
  return Number(value);
}

async function readAll(file: RandomAccess, offset: number, length: number): Promise<Uint8Array> {
  // Checked first: a length that is wrong may be longer than any buffer.
  const bytes = offset + length <= file.size ? await file.read(offset, length) : undefined;
  if (bytes?.length !== length) throw damaged('it ends too early');
  return bytes;
}

function view({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** The reason completes "The workbook is damaged: …". */
export function damaged(reason: string): UnreadableFile {
  return new UnreadableFile(
    `The workbook is damaged: ${reason}. Copy or download it again, or open it in Excel and save it again.`,
  );
}
