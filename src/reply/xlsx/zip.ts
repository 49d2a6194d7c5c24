/**
 * Writes a ZIP archive while its files are being produced: the size of a file follows it, and the list of files is at the end. Neither a file nor the
 * archive may have more than 4 GiB, because Excel wants to repair archives that could have more.
 */

import { pipeline, Readable } from 'node:stream';
import { constants, crc32, createDeflateRaw } from 'node:zlib';

/** Sizes and offsets have 32 bits. */
const MAX_BYTES = 0xffff_ffff;

export interface ZippedFile {
  /** ASCII. */
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array>;
}

/** What the list of files has about one. */
interface Entry {
  readonly name: Buffer;
  readonly offset: number;
  readonly crc: number;
  readonly size: number;
  readonly compressedSize: number;
}

/** The pieces of an archive. The same files are the same bytes. */
export async function* zip(files: readonly ZippedFile[]): AsyncGenerator<Uint8Array> {
  const entries: Entry[] = [];
  let offset = 0;
  for (const { name, content } of files) {
    const entry = { name: Buffer.from(name), offset, crc: 0, size: 0, compressedSize: 0 };
    const header = localHeader(entry.name);
    yield header;
    // The fastest level: a file is compressed while its reader waits.
    const deflate = createDeflateRaw({ level: constants.Z_BEST_SPEED });
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of content) {
        entry.crc = crc32(piece, entry.crc);
        entry.size += piece.length;
        checkSize(entry.size);
        yield piece;
      }
    };
    // An error is thrown by the iterator of the compressor.
    pipeline(Readable.from(counted()), deflate, () => undefined);
    for await (const piece of deflate) {
      entry.compressedSize += piece.length;
      yield piece;
    }
    yield descriptor(entry);
    entries.push(entry);
    offset += header.length + entry.compressedSize + DESCRIPTOR_BYTES;
    checkSize(offset);
  }
  const list = Buffer.concat(entries.map(listed));
  yield Buffer.concat([list, endOf(entries.length, list.length, offset)]);
}

function checkSize(bytes: number): void {
  if (bytes > MAX_BYTES) throw new Error('a workbook would have more than 4 GiB');
}

/** APPNOTE 6.3.10, sections 4.3.7 to 4.3.16. */
const LOCAL = 0x04_03_4b_50;
const DESCRIPTOR = 0x08_07_4b_50;
const LISTED = 0x02_01_4b_50;
const END = 0x06_05_4b_50;

const DESCRIPTOR_BYTES = 16;

const VERSION = 20;
/** Bit 3: sizes and checksum follow the file. */
const FLAGS = 0x00_08;
const DEFLATED = 8;
/** 1980-01-01, the first one there is: the time of a file would change the bytes. */
const [TIME, DATE] = [0, 0x00_21];

function localHeader(name: Buffer): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(LOCAL, 0);
  writeMethod(header, 4);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, name]);
}

/** What both headers have. */
function writeMethod(header: Buffer, at: number): void {
  for (const [index, value] of [VERSION, FLAGS, DEFLATED, TIME, DATE].entries())
    header.writeUInt16LE(value, at + 2 * index);
}

function descriptor({ crc, compressedSize, size }: Entry): Buffer {
  const bytes = Buffer.alloc(DESCRIPTOR_BYTES);
  for (const [index, value] of [DESCRIPTOR, crc, compressedSize, size].entries()) bytes.writeUInt32LE(value, 4 * index);
  return bytes;
}

function listed({ name, offset, crc, compressedSize, size }: Entry): Buffer {
  const header = Buffer.alloc(46);
  header.writeUInt32LE(LISTED, 0);
  header.writeUInt16LE(VERSION, 4);
  writeMethod(header, 6);
  for (const [index, value] of [crc, compressedSize, size].entries()) header.writeUInt32LE(value, 16 + 4 * index);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt32LE(offset, 42);
  return Buffer.concat([header, name]);
}

function endOf(files: number, listBytes: number, listOffset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(files, 8);
  end.writeUInt16LE(files, 10);
  end.writeUInt32LE(listBytes, 12);
  end.writeUInt32LE(listOffset, 16);
  return end;
}
