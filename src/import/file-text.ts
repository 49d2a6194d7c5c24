/** A file's bytes as text: decompressed if they are gzip, decoded as UTF-8, without the byte order mark. */

import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { UnreadableFile } from './format.ts';

export async function* fileText(bytes: AsyncIterable<Uint8Array>): AsyncIterable<string> {
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
  for await (const chunk of decompress(bytes)) yield decode(chunk);
  yield decode();
}

const GZIP_MAGIC = [0x1f, 0x8b] as const;

/** Recognized by the first two bytes: the extension may be missing or wrong. */
async function* decompress(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const chunks = bytes[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  while (start.length < GZIP_MAGIC.length) {
    const { done, value } = await chunks.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  const whole = prepend(start, chunks);
  if (GZIP_MAGIC.every((byte, index) => start[index] === byte)) yield* gunzip(whole);
  else yield* whole;
}

async function* prepend(start: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    if (start.length > 0) yield start;
    for (let chunk = await rest.next(); !chunk.done; chunk = await rest.next()) yield chunk.value;
  } finally {
    await rest.return?.();
  }
}

async function* gunzip(compressed: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const stream = createGunzip();
  pipeline(compressed, stream, () => {
    // An error reaches the reader of the stream.
  });
  try {
    yield* stream;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw error;
    throw new UnreadableFile(`The gzip file is damaged or truncated (${error.message}).`);
  }
}
