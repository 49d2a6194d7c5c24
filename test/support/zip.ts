/** Writes ZIP archives, also such as no program writes. */

import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly isStored?: boolean;
  /** Bytes of its local header after the name. */
  readonly localExtra?: Uint8Array;
  /** What the list of files says, if it is not true. */
  readonly claim?: Partial<Claim>;
}

interface Claim {
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly offset: number;
}

export interface ZipOptions {
  /** Whether it is in the format for large archives. */
  readonly isLarge?: boolean;
  readonly comment?: string;
  /** How many files there are, if it is not true. */
  readonly count?: number;
}

const MAX_32 = 0xffff_ffff;

export function zip(entries: readonly ZipEntry[], { isLarge = false, comment = '', count }: ZipOptions = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, isStored = false, localExtra = new Uint8Array(), claim } of entries) {
    const bytes = Buffer.from(content);
    const packed = isStored ? bytes : deflateRawSync(bytes);
    const method = isStored ? 0 : 8;
    const truth = { flags: 0, method, crc: crc32(bytes), compressedSize: packed.length, size: bytes.length, offset };
    const local = Buffer.concat([localHeader(name, truth, localExtra.length), Buffer.from(name), localExtra, packed]);
    parts.push(local);
    directory.push(directoryEntry(name, { ...truth, ...claim }, isLarge));
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const files = count ?? entries.length;
  const end = isLarge
    ? Buffer.concat([largeEnd(files, list.length, offset), endRecord(0xffff, MAX_32, MAX_32, comment)])
    : endRecord(files, list.length, offset, comment);
  return Buffer.concat([...parts, list, end]);
}

function localHeader(name: string, { flags, method, crc, compressedSize, size }: Claim, extra: number): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04_03_4b_50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(flags, 6);
  header.writeUInt16LE(method, 8);
  header.writeUInt32LE(crc, 14);
  header.writeUInt32LE(compressedSize, 18);
  header.writeUInt32LE(size, 22);
  header.writeUInt16LE(Buffer.byteLength(name), 26);
  header.writeUInt16LE(extra, 28);
  return header;
}

function directoryEntry(name: string, claim: Claim, isLarge: boolean): Buffer {
  const { flags, method, crc, compressedSize, size, offset } = claim;
  const extra = Buffer.alloc(isLarge ? 28 : 0);
  if (isLarge) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(24, 2);
    [size, compressedSize, offset].forEach((value, index) => void extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index));
  }
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02_01_4b_50, 0);
  header.writeUInt16LE(flags, 8);
  header.writeUInt16LE(method, 10);
  header.writeUInt32LE(crc, 16);
  header.writeUInt32LE(isLarge ? MAX_32 : compressedSize, 20);
  header.writeUInt32LE(isLarge ? MAX_32 : size, 24);
  header.writeUInt16LE(Buffer.byteLength(name), 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE(isLarge ? MAX_32 : offset, 42);
  return Buffer.concat([header, Buffer.from(name), extra]);
}

function endRecord(count: number, length: number, offset: number, comment: string): Buffer {
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06_05_4b_50, 0);
  record.writeUInt16LE(count, 8);
  record.writeUInt16LE(count, 10);
  record.writeUInt32LE(length, 12);
  record.writeUInt32LE(offset, 16);
  record.writeUInt16LE(Buffer.byteLength(comment), 20);
  return Buffer.concat([record, Buffer.from(comment)]);
}

function largeEnd(count: number, length: number, offset: number): Buffer {
  const record = Buffer.alloc(56 + 20);
  record.writeUInt32LE(0x06_06_4b_50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(BigInt(count), 24);
  record.writeBigUInt64LE(BigInt(count), 32);
  record.writeBigUInt64LE(BigInt(length), 40);
  record.writeBigUInt64LE(BigInt(offset), 48);
  record.writeUInt32LE(0x07_06_4b_50, 56);
  record.writeBigUInt64LE(BigInt(offset + length), 56 + 8);
  record.writeUInt32LE(1, 56 + 16);
  return record;
}
