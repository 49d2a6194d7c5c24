/** Checks streams for completeness, whatever is between the client and the service. */

import { parseJson, StockbookError } from './stockbook-error.ts';

/** The last line of a stream. */
export interface StreamEnd {
  readonly rows: number;
  /** The revision of the snapshot that the stream is of. */
  readonly revision: number;
}

/** Records from NDJSON with `end=line`. */
export async function* recordsIn<R>(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<R, StreamEnd> {
  let rows = 0;
  let end: StreamEnd | undefined;
  for await (const line of linesOf(bytes)) {
    const record: R & { readonly end?: StreamEnd } = parseJson(line);
    end = record.end;
    if (end !== undefined) continue;
    rows += 1;
    const complete: R = record;
    yield complete;
  }
  if (end?.rows === rows) return end;
  throw incomplete(rows, end?.rows);
}

/** Without what follows the last line break: a line is complete when it has one. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

const [QUOTE, LINE_FEED] = [0x22, 0x0a];

/** The bytes of CSV as they are, counted: a line break in quotes is part of a value, and the first line has the names. */
export async function* checkedCsv(
  bytes: AsyncIterable<Uint8Array>,
  expected: string | null,
  onProgress?: (rows: number) => void,
): AsyncGenerator<Uint8Array> {
  let rows = -1;
  let isQuoted = false;
  for await (const chunk of bytes) {
    for (const byte of chunk) {
      if (byte === QUOTE) isQuoted = !isQuoted;
      else if (byte === LINE_FEED && !isQuoted) rows += 1;
    }
    onProgress?.(Math.max(rows, 0));
    yield chunk;
  }
  if (String(rows) !== expected) throw incomplete(rows, expected);
}

/** The bytes of an archive, such as a workbook, as they are. It ends with a record of 22 bytes that has a signature. */
export async function* checkedArchive(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let end = '';
  for await (const chunk of bytes) {
    end = (end + String.fromCharCode(...chunk.slice(-22))).slice(-22);
    yield chunk;
  }
  if (!end.startsWith('PK\x05\x06')) throw incompleteStream('The workbook is incomplete.');
}

function incomplete(rows: number, expected: number | string | null | undefined): StockbookError {
  return incompleteStream(`The stream ended after ${rows} records${expected ? ` of ${expected}` : ''}.`);
}

function incompleteStream(detail: string): StockbookError {
  return new StockbookError('incomplete_stream', { detail });
}
