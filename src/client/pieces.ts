/** What callers import, as bytes: row objects as NDJSON, text in UTF-8, files as they are. */

import { withFiniteNumbers } from './fields.ts';
import type { Bytes } from './upload.ts';

/** In which format bytes are: `any`, which may also be a workbook of Excel, if the service has to find out. A row object is NDJSON. */
export type ImportFormat = 'csv' | 'ndjson' | 'json' | 'any';

type Items<Item> = Iterable<Item> | AsyncIterable<Item> | ReadableStream<Item>;

/** The bytes of a file: a file or blob, all of them, or in parts. */
export type ImportFile = Blob | string | Uint8Array | ArrayBuffer | Items<Uint8Array | string>;

export type ImportInput<Row> = Items<Row> | ImportFile;

/** How many characters of rows are sent at a time. */
const PIECE = 64 * 1024;

/** How many bytes are compressed together. */
const BLOCK = 256 * 1024;

/** Calls `onPiece` with how many rows and bytes there were, before each piece. */
export async function* piecesOf(
  input: ImportInput<object>,
  format: ImportFormat | undefined,
  onPiece: (rows: number, bytes: number) => void,
): AsyncGenerator<Bytes, void> {
  const encoder = new TextEncoder();
  let [text, rows, bytes] = ['', 0, 0];
  const piece = (part: Bytes): Bytes => {
    bytes += part.length;
    onPiece(rows, bytes);
    return part;
  };
  for await (const item of itemsOf(input)) {
    const isText = typeof item === 'string';
    const isBytes = item instanceof Uint8Array;
    if ((isText || isBytes) !== (format !== undefined))
      throw new TypeError(format ? `format is for bytes, not for ${typeof item}s.` : 'format is needed for bytes.');
    if (isBytes) {
      // A stream may use its memory again.
      yield piece(new Uint8Array(item));
      continue;
    }
    text += isText ? item : `${JSON.stringify(withFiniteNumbers(item))}\n`;
    rows += isText ? 0 : 1;
    if (text.length < PIECE) continue;
    yield piece(encoder.encode(text));
    text = '';
  }
  if (text !== '') yield piece(encoder.encode(text));
}

async function* itemsOf(input: ImportInput<object>): AsyncGenerator<object | string, void> {
  if (typeof input === 'string' || input instanceof Uint8Array) yield input;
  else if (input instanceof ArrayBuffer) yield new Uint8Array(input);
  else if (input instanceof Blob) yield* read(input.stream());
  else if ('getReader' in input) yield* read<object | string>(input);
  else yield* input;
}

/** Not every browser can iterate over a stream. */
async function* read<Item>(stream: ReadableStream<Item>): AsyncGenerator<Item, void> {
  const reader = stream.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel();
  }
}

/**
 * In blocks, each of which is a gzip file of its own, as RFC 1952 allows: with all of the pieces in one stream, Node 20 would read
 * them before it returns the first compressed byte.
 */
export async function* gzipped(pieces: AsyncIterable<Bytes>): AsyncGenerator<Bytes, void> {
  let [block, size]: [Bytes[], number] = [[], 0];
  for await (const piece of pieces) {
    block.push(piece);
    size += piece.length;
    if (size < BLOCK) continue;
    yield gzip(block);
    [block, size] = [[], 0];
  }
  yield gzip(block);
}

async function gzip(block: Bytes[]): Promise<Bytes> {
  const stream = new Blob(block).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
