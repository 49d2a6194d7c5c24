/** A file's bytes as text: decompressed if they are gzip or zstd, decoded as UTF-8, without the byte order mark. */

import { pipeline } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { UnreadableFile } from './format.ts';

/** The decompressed rows have more bytes than they may have. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes';
}

/** `maxBytes` is how many bytes it may have once it is decompressed. */
export async function* fileText(
  bytes: AsyncIterable<Uint8Array>,
  maxBytes = Number.POSITIVE_INFINITY,
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
      throw new UnreadableFile(`The file is not UTF-8 after line ${lines}. Save it as UTF-8 and try again.`);
    }
  };
  for await (const chunk of decompress(bytes)) {
    length += chunk.length;
    if (length > maxBytes) throw new TooManyBytes();
    yield decode(chunk);
  }
  yield decode();
}

const COMPRESSIONS = [
  { name: 'gzip', magic: [0x1f, 0x8b], decompressor: createGunzip },
  { name: 'zstd', magic: [0x28, 0xb5, 0x2f, 0xfd], decompressor: createZstdDecompress },
] as const;

const MAGIC_LENGTH = Math.max(...COMPRESSIONS.map(({ magic }) => magic.length));

/** Recognized by the first bytes: the extension may be missing or wrong. */
async function* decompress(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const chunks = bytes[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  while (start.length < MAGIC_LENGTH) {
    const { done, value } = await chunks.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  const whole = prepend(start, chunks);
  const compression = COMPRESSIONS.find(({ magic }) => magic.every((byte, index) => start[index] === byte));
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
  const stream = decompressor();
  let failure: unknown;
  pipeline(compressed, stream, (error) => {
    // An error also reaches the reader of the stream, but not as what it was.
    failure = error;
  });
  try {
    yield* stream;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!/^(Z_|ZSTD_|ERR_)/.test(code) || code === 'ERR_STREAM_PREMATURE_CLOSE') throw failure ?? error;
    throw new UnreadableFile(
      `The ${name} data is damaged or truncated (${error instanceof Error ? error.message : code}).`,
    );
  }
}
