/** Writes all records of a view to a file, with its columns, filter and order. The client checks that none is missing. */

import type { Records } from '../data/records.ts';
import { listQuery } from '../data/use-list.ts';
import type { View } from '../view/view.ts';
import type { FileTarget } from './file-target.ts';

export const EXPORT_FORMATS = {
  xlsx: {
    title: 'Excel',
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
  },
  csv: { title: 'CSV', mediaType: 'text/csv', extension: 'csv' },
  spreadsheet: { title: 'CSV for spreadsheets', mediaType: 'text/csv', extension: 'csv' },
  ndjson: { title: 'NDJSON', mediaType: 'application/x-ndjson', extension: 'ndjson' },
} as const;

export type ExportFormat = keyof typeof EXPORT_FORMATS;

export interface ExportOptions {
  readonly format: ExportFormat;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ExportProgress) => void;
}

export interface ExportProgress {
  /** Undefined while nobody can tell, because they are compressed. */
  readonly records: number | undefined;
  readonly bytes: number;
}

/** The size of a write, in bytes. */
const PIECE = 256 * 1024;

/** How long the export may block the main thread, in milliseconds. */
const MAX_TASK = 16;

/** How often a stream that fails to start is retried. */
const RETRIES = 4;

export function initialProgress(format: ExportFormat): ExportProgress {
  return { records: format === 'xlsx' ? undefined : 0, bytes: 0 };
}

/** Resolves to the number of records; undefined if nobody has counted them. */
export async function exportView(
  records: Records,
  view: View,
  target: FileTarget,
  { format, signal, onProgress }: ExportOptions,
): Promise<number | undefined> {
  const { q, filter, sort } = listQuery(view);
  const query = { fields: view.fields, q, filter, sort, signal, retries: RETRIES };
  let rows = initialProgress(format).records;
  let bytes = 0;
  const count = (complete: number) => {
    rows = complete;
  };
  const pieces = () => {
    switch (format) {
      case 'xlsx':
        return records.xlsx(query);
      case 'ndjson':
        return linesOf(records.stream(query), count);
      case 'csv':
      case 'spreadsheet':
        return records.csv({ ...query, excelSafe: format === 'spreadsheet', onProgress: count });
    }
  };
  try {
    let began = performance.now();
    for await (const piece of joined(pieces())) {
      await target.write(piece);
      bytes += piece.length;
      if (performance.now() - began < MAX_TASK) continue;
      onProgress({ records: rows, bytes });
      await nextTask();
      began = performance.now();
    }
    await target.close();
    return rows;
  } catch (error) {
    await target.discard();
    throw error;
  }
}

/** Records as NDJSON. Members are in the order of the columns, as in the response. */
async function* linesOf(records: AsyncIterable<object>, onProgress: (records: number) => void) {
  const encoder = new TextEncoder();
  let rows = 0;
  for await (const record of records) {
    rows += 1;
    onProgress(rows);
    yield encoder.encode(`${JSON.stringify(record)}\n`);
  }
}

/** Joins small pieces, because each write has a fixed cost. Yields to the page in between. */
async function* joined(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let buffer = new Uint8Array(PIECE);
  let length = 0;
  let began = performance.now();
  for await (const piece of pieces) {
    if (length + piece.length > buffer.length) {
      yield buffer.slice(0, length);
      length = 0;
      if (piece.length > buffer.length) buffer = new Uint8Array(piece.length);
    }
    buffer.set(piece, length);
    length += piece.length;
    if (performance.now() - began < MAX_TASK) continue;
    await nextTask();
    began = performance.now();
  }
  if (length > 0) yield buffer.slice(0, length);
}

/** Not a timer: browsers throttle those in background tabs. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
