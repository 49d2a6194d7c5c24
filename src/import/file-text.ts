/** A file's bytes as text: decompressed if they are gzip or zstd, decoded as UTF-8, without the byte order mark. */

import { constants, createGunzip, createZstdDecompress, type Gunzip, type ZstdDecompress } from 'node:zlib';
import { UnreadableFile } from './format.ts';

/** The decompressed rows have more bytes than they may have. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes';
}

/** How bytes are compressed. */
export type Coding = 'identity' | 'gzip' | 'zstd';

export interface TextOptions {
  /** How many bytes there may be once they are decompressed. */
  readonly maxBytes?: number | undefined;
  /** By default, the first bytes tell: the extension of a file may be missing or wrong. */
  readonly coding?: Coding | undefined;
}

export async function* fileText(
  bytes: AsyncIterable<Uint8Array>,
  { maxBytes = Number.POSITIVE_INFINITY, coding }: TextOptions = {},
): AsyncIterable<string> {
  let length = 0;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let lines = 1;
  const decode = (chunk?: Uint8Array): string => {
    try {
      const text = decoder.decode(chunk, { stream: chunk !== undefined });
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
      return text;
    } catch {
      throw new UnreadableFile(`What follows line ${lines} is not UTF-8. Save it as UTF-8 and try again.`);
    }
  };
  for await (const chunk of decompress(bytes, coding)) {
    length += chunk.length;
    if (length > maxBytes) throw new TooManyBytes();
    yield decode(chunk);
  }
  yield decode();
}

/** RFC 9659: how large the window of a body may be that is compressed with zstd, as a power of two. It is held in memory. */
const MAX_WINDOW = 23;

const zstdWindow = { params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW } };

const COMPRESSIONS = [
  { name: 'gzip', magic: [0x1f, 0x8b], decompressor: () => createGunzip() },
  { name: 'zstd', magic: [0x28, 0xb5, 0x2f, 0xfd], decompressor: () => createZstdDecompress(zstdWindow) },
] as const;

const MAGIC_LENGTH = Math.max(...COMPRESSIONS.map(({ magic }) => magic.length));

async function* decompress(bytes: AsyncIterable<Uint8Array>, coding?: Coding): AsyncIterable<Uint8Array> {
  const chunks = bytes[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  while (coding === undefined && start.length < MAGIC_LENGTH) {
    const { done, value } = await chunks.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  const whole = prepend(start, chunks);
  const compression = COMPRESSIONS.find(({ name, magic }) =>
    coding === undefined ? magic.every((byte, index) => start[index] === byte) : name === coding,
  );
  if (compression === undefined) yield* whole;
  else yield* decompressed(whole, compression);
}

async function* prepend(start: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    if (start.length > 0) yield start;
    for (let chunk = await rest.next(); !chunk.done; chunk = await rest.next()) yield chunk.value;
  } finally {
    await rest.return?.();
  }
}

async function* decompressed(
  compressed: AsyncIterable<Uint8Array>,
  { name, decompressor }: (typeof COMPRESSIONS)[number],
): AsyncIterable<Uint8Array> {
  const chunks = compressed[Symbol.asyncIterator]();
  try {
    // A decompressor of zstd ends with the first frame, and leaves what follows it.
    for (let rest: Uint8Array | undefined = new Uint8Array(); rest !== undefined; ) {
      const stream = decompressor();
      const fed = feed(stream, rest, chunks);
      // An error reaches the reader of the stream.
      fed.catch((error: unknown) => stream.destroy(error instanceof Error ? error : undefined));
      yield* stream;
      rest = await fed;
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!/^(Z_|ZSTD_)/.test(code)) throw error;
    throw new UnreadableFile(
      `The ${name} data is damaged or truncated (${error instanceof Error ? error.message : code}).`,
    );
  } finally {
    await chunks.return?.();
  }
}

/** Returns what the stream has left, at which it has ended; undefined if it has taken everything. */
async function feed(
  stream: Gunzip | ZstdDecompress,
  start: Uint8Array,
  chunks: AsyncIterator<Uint8Array>,
): Promise<Uint8Array | undefined> {
  for (let chunk = start; ; ) {
    const before = stream.bytesWritten;
    if (chunk.length > 0) await write(stream, chunk);
    const taken = stream.bytesWritten - before;
    if (taken < chunk.length) return chunk.subarray(taken);
    const { done, value } = await chunks.next();
    if (done === true) {
      stream.end();
      return undefined;
    }
    chunk = value;
  }
}

/** Resolves when the stream has taken the chunk, or has ended in the middle of it. */
function write(stream: Gunzip | ZstdDecompress, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('end', resolve);
    stream.write(chunk, (error) => {
      stream.off('end', resolve);
      if (error) reject(error);
      else resolve();
    });
  });
}
