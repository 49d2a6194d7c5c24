/** A file's bytes as text: unpacked where they are gzip, decoded as UTF-8, without the byte order mark. */

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
      throw new UnreadableFile(`The file is not UTF-8, after line ${lines}. Save it as UTF-8 and try again.`);
    }
  };
  for await (const chunk of unpacked(bytes)) yield decode(chunk);
  yield decode();
}

const GZIP_MAGIC = [0x1f, 0x8b] as const;

/** What it is, is seen from its first two bytes: an ending may be missing, or wrong. */
async function* unpacked(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const pieces = bytes[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  while (start.length < GZIP_MAGIC.length) {
    const { done, value } = await pieces.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  const whole = behind(start, pieces);
  if (GZIP_MAGIC.every((byte, index) => start[index] === byte)) yield* gunzipped(whole);
  else yield* whole;
}

async function* behind(start: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    if (start.length > 0) yield start;
    for (let piece = await rest.next(); !piece.done; piece = await rest.next()) yield piece.value;
  } finally {
    await rest.return?.();
  }
}

async function* gunzipped(packed: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const gunzip = createGunzip();
  pipeline(packed, gunzip, () => {
    // Its failure reaches whoever reads.
  });
  try {
    yield* gunzip;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw error;
    throw new UnreadableFile(`The gzip file is damaged, or cut short (${error.message}).`);
  }
}
