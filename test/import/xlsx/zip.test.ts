import { crc32, deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { TooManyBytes } from '../../../src/import/file-text.ts';
import { UnreadableFile } from '../../../src/import/format.ts';
import { spooled } from '../../../src/import/xlsx/random-access.ts';
import { ZipArchive } from '../../../src/import/xlsx/zip.ts';
import { collected, once } from '../../support/iterables.ts';
import { type ZipEntry, type ZipOptions, zip } from '../../support/zip.ts';

async function opened(bytes: Uint8Array) {
  const file = await spooled(once(bytes), Number.POSITIVE_INFINITY);
  return { file, archive: ZipArchive.open(file) };
}

/** The content of a file in an archive. */
async function unpacked(bytes: Uint8Array, name: string, maxBytes = 1e9): Promise<string> {
  const { file, archive } = await opened(bytes);
  try {
    return Buffer.concat(await collected((await archive).bytes(name, maxBytes))).toString();
  } finally {
    await file.close();
  }
}

const LONG = Array.from({ length: 20_000 }, (_, index) => `${index * 7919}`).join(',');
const a: ZipEntry = { name: 'a.txt', content: 'aaa' };
const long: ZipEntry = { name: 'dir/long.txt', content: LONG };

describe('files are unpacked', () => {
  test.each<[string, readonly ZipEntry[], ZipOptions]>([
    ['deflated', [a, long], {}],
    [
      'stored',
      [
        { ...a, isStored: true },
        { ...long, isStored: true },
      ],
      {},
    ],
    ['in the format for large archives', [a, long], { isLarge: true }],
    ['with a comment', [a, long], { comment: 'PK\u0005\u0006 is not the end' }],
    ['with extra fields', [{ ...a, localExtra: Buffer.alloc(36) }, long], {}],
    ['with names of Windows', [a, { ...long, name: '\\DIR\\long.TXT' }], {}],
  ])('%s', async (_, entries, options) => {
    const bytes = zip(entries, options);
    expect(await unpacked(bytes, 'a.txt')).toBe('aaa');
    expect(await unpacked(bytes, 'Dir/Long.txt')).toBe(LONG);
  });
});

describe('archives that are refused', () => {
  const end = (bytes: Buffer) => bytes.length - 22;
  test.each<[string, Buffer, string]>([
    ['wrong checksum', zip([{ ...a, claim: { crc: 1 } }]), 'wrong checksum'],
    ['longer than it says', zip([{ ...a, claim: { size: 2 } }]), 'longer than it should be'],
    ['shorter than it says', zip([{ ...a, claim: { size: 4 } }]), "'a.txt' is truncated"],
    ['compressed data that ends early', zip([{ ...a, claim: { compressedSize: 2 } }]), 'cannot be unpacked'],
    ['data that is not compressed', zip([{ ...a, isStored: true, claim: { method: 8 } }]), 'cannot be unpacked'],
    ['truncated', zip([a, long]).subarray(0, -30), 'truncated'],
    ['without its middle', cut(zip([a, long]), 10, 100), 'not where it should be'],
    ['encrypted', zip([{ ...a, claim: { flags: 1 } }]), 'encrypted'],
    ['unknown method', zip([{ ...a, claim: { method: 14 } }]), 'method 14'],
    ['the same name twice', zip([a, { ...a, name: 'A.txt' }]), 'twice'],
    ['overlapping', zip([a, { ...long, claim: { offset: 0 } }]), 'overlaps'],
    [
      'overlapping by its local header',
      zip([{ ...a, isStored: true, claim: { compressedSize: 8, size: 8 } }]),
      'not where',
    ],
    ['beyond the end', zip([{ ...a, claim: { offset: 1e9 } }]), 'overlaps'],
    ['not at a header', zip([{ ...a, localExtra: Buffer.alloc(20), claim: { offset: 3 } }]), 'not where it should be'],
    ['fewer files than it says', zip([a], { count: 2 }), 'not complete'],
    ['too many files', zip([a], { count: 4_097 }), 'more than 4096 files'],
    [
      'a list that is too long',
      patched(zip([a]), (bytes) => bytes.writeUInt32LE(2 ** 31, end(bytes) + 12)),
      'not where',
    ],
    [
      'more than any file has',
      patched(zip([a], { isLarge: true }), (bytes) => bytes.writeBigUInt64LE(2n ** 63n, end(bytes) - 20 - 56 + 48)),
      'not where',
    ],
    ['a bomb', zip([{ name: 'a.txt', content: Buffer.alloc(20_000_000) }]), 'more than 200 times'],
  ])('%s', async (_, bytes, message) => {
    const error = await unpacked(bytes, 'a.txt').then(
      () => unpacked(bytes, 'dir/long.txt').catch((reason: unknown) => reason),
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(UnreadableFile);
    expect(String(error)).toContain(message);
  });

  test('a bomb that says it is small is unpacked no further than it says', async () => {
    const bytes = zip([{ name: 'a.txt', content: Buffer.alloc(20_000_000), claim: { size: 1_000 } }]);
    await expect(unpacked(bytes, 'a.txt')).rejects.toThrow('longer than it should be');
  });

  test('a file that is missing', async () => {
    await expect(unpacked(zip([a]), 'b.txt')).rejects.toThrow("'b.txt' is missing");
  });

  test('files with too many bytes', async () => {
    expect(await unpacked(zip([a]), 'a.txt', 3)).toBe('aaa');
    await expect(unpacked(zip([a]), 'a.txt', 2)).rejects.toThrow(TooManyBytes);
  });
});

test('bytes after the end of compressed data are ignored', async () => {
  const content = Buffer.concat([deflateRawSync('aaa'), Buffer.alloc(100_000)]);
  const claim = { method: 8, size: 3, crc: crc32('aaa') };
  expect(await unpacked(zip([{ name: 'a.txt', content, isStored: true, claim }]), 'a.txt')).toBe('aaa');
});

test('reading can stop early', async () => {
  const { file, archive } = await opened(zip([long]));
  for await (const piece of (await archive).bytes(long.name, 1e9)) {
    expect(piece.length).toBeGreaterThan(0);
    break;
  }
  await file.close();
});

function cut(bytes: Buffer, from: number, to: number): Buffer {
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
}

function patched(bytes: Buffer, change: (bytes: Buffer) => void): Buffer {
  change(bytes);
  return bytes;
}

describe('all files together', () => {
  test('may be unpacked up to a limit, each of them more than once', async () => {
    const file = await spooled(once(zip([a, long])), Number.POSITIVE_INFINITY);
    const read = async (maxBytes: number) => {
      const archive = await ZipArchive.open(file, { maxBytes });
      for (const name of ['a.txt', 'dir/long.txt', 'a.txt']) await collected(archive.bytes(name, 1e9));
    };
    const size = 3 + LONG.length;
    await read(size);
    await expect(read(size - 1)).rejects.toThrow(TooManyBytes);
    await file.close();
  });

  test('a large one that lies about its size is refused before any of it is read', async () => {
    const content = Buffer.alloc(80 * 1024 * 1024, 'Stockbook ');
    for (const size of [content.length - 1, content.length + 1]) {
      const file = await spooled(once(zip([{ name: 'large', content, claim: { size } }])), Number.POSITIVE_INFINITY);
      const archive = await ZipArchive.open(file, {});
      const pieces = archive.bytes('large', 1e9)[Symbol.asyncIterator]();
      await expect(pieces.next()).rejects.toThrow(UnreadableFile);
      await file.close();
    }
  });
});
