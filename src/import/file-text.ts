/** A file's bytes as text: decompressed if they are gzip or zstd, decoded, without the byte order mark. */

import { constants, createGunzip, createZstdDecompress, type Gunzip, type ZstdDecompress } from 'node:zlib';
import { FileDecoder, START_LENGTH } from './encoding.ts';
import { type Coding, type TextOptions, UnreadableFile } from './format.ts';

/** The decompressed rows have more bytes than they may have. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes';
}

export async function* fileText(
  bytes: AsyncIterable<Uint8Array>,
  { maxBytes = Number.POSITIVE_INFINITY, coding, encoding }: TextOptions = {},
  onEncoding?: (encoding: string) => void,
): AsyncIterable<string> {
  let length = 0;
  let decoder: FileDecoder | undefined;
  for await (const chunk of atLeast(START_LENGTH, decompress(bytes, coding))) {
    length += chunk.length;
    if (length > maxBytes) throw new TooManyBytes();
    if (decoder === undefined) {
      decoder = new FileDecoder(chunk, encoding);
      onEncoding?.(decoder.encoding);
    }
    yield decoder.decode(chunk);
  }
  if (decoder !== undefined) yield decoder.decode();
}

/** RFC 9659: how large the window of a body may be that is compressed with zstd, as a power of two. It is held in memory. */
const MAX_WINDOW = 23;

const zstdWindow = { params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW } };

const COMPRESSIONS = [
  { name: 'gzip', magic: [0x1f, 0x8b], decompressor: () => createGunzip() },
  { name: 'zstd', magic: [0x28, 0xb5, 0x2f, 0xfd], decompressor: () => createZstdDecompress(zstdWindow) },
] as const;

const MAGIC_LENGTH = Math.max(...COMPRESSIONS.map(({ magic }) => magic.length));

/** Those of the content, of a file that begins with these. */
export async function firstBytes(start: Uint8Array): Promise<Uint8Array> {
  const whole = async function* () {
    yield start;
  };
  try {
    // Compressed bytes end in the middle, which is an error only after these.
    for await (const chunk of decompress(whole())) return chunk;
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
  }
  return new Uint8Array();
}

export async function* decompress(bytes: AsyncIterable<Uint8Array>, coding?: Coding): AsyncIterable<Uint8Array> {
  if (coding === undefined) {
    yield* decompressBySight(bytes);
    return;
  }
  const compression = COMPRESSIONS.find(({ name }) => name === coding);
  yield* compression === undefined ? bytes : decompressed(bytes, compression);
}

async function* decompressBySight(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const chunks = atLeast(MAGIC_LENGTH, bytes)[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done === true) return;
  const start = first.value;
  const compression = COMPRESSIONS.find(({ magic }) => magic.every((byte, index) => start[index] === byte));
  const whole = prepend(start, chunks);
  yield* compression === undefined ? whole : decompressed(whole, compression);
}

/** The same bytes; the first chunk has at least this many, if there are as many. */
async function* atLeast(length: number, chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let start: Uint8Array | undefined = new Uint8Array();
  for await (const chunk of chunks) {
    if (start === undefined) {
      yield chunk;
      continue;
    }
    start = start.length === 0 ? chunk : Buffer.concat([start, chunk]);
    if (start.length < length) continue;
    yield start;
    start = undefined;
  }
  if (start !== undefined && start.length > 0) yield start;
}

/** Bytes of which the first have been read already. */
export async function* prepend(start: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncIterable<Uint8Array> {
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
