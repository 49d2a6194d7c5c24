/** Which format a file has, by its first bytes: its extension may be missing or wrong. */

import { atLeast, firstBytes, prepend } from './file-text.ts';

/** ZIP, which workbooks are, and what they were before 2007, whose reader says what to do. */
const WORKBOOKS = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
];

/** The bytes, and those that come first of them. */
export interface Peeked {
  readonly start: Uint8Array;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Instead of reading the bytes. */
  close(): Promise<void>;
}

/** Of how many bytes a format is recognised, also if they are compressed. */
const START_LENGTH = 4_096;

export async function peek(bytes: AsyncIterable<Uint8Array>): Promise<Peeked> {
  const chunks = atLeast(START_LENGTH, bytes)[Symbol.asyncIterator]();
  const { done, value } = await chunks.next();
  const start = done === true ? new Uint8Array() : value;
  return {
    start,
    bytes: prepend(start, chunks),
    async close() {
      await chunks.return?.();
    },
  };
}

/** A workbook is recognised by its content, whatever it is called; others by the extension, if it is known. */
export async function recognisedFormat<Named extends NamedFormat>(
  formats: readonly Named[],
  file: string,
  start: Uint8Array,
): Promise<Named> {
  const path = file.toLowerCase().replace(/\.(gz|zst)$/, '');
  const byName = formats.find(({ extensions }) => extensions.some((extension) => path.endsWith(extension)));
  const first = await firstBytes(start);
  if (byName !== undefined && (byName.name === 'xlsx') === isWorkbook(first)) return byName;
  const name = formatOf(first);
  const format = formats.find((known) => known.name === name);
  if (format === undefined) throw new Error(`there is no format ${name}`);
  return format;
}

interface NamedFormat {
  readonly name: string;
  readonly extensions: readonly string[];
}

/** The name of the format. Whatever is neither a workbook nor JSON may be CSV. */
function formatOf(start: Uint8Array): 'xlsx' | 'json' | 'ndjson' | 'csv' {
  if (isWorkbook(start)) return 'xlsx';
  const text = Buffer.from(start)
    .toString('latin1')
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .trimStart();
  // An array of objects: `[Code];Name` is CSV.
  if (/^\[\s*(?:[{\]]|$)/.test(text) || /^\{\s*"data"\s*:\s*\[/.test(text)) return 'json';
  // Some programs write a table of HTML and call it a workbook.
  if (text.startsWith('<')) return 'xlsx';
  return /^\{\s*(?:["}]|$)/.test(text) ? 'ndjson' : 'csv';
}

export function isWorkbook(start: Uint8Array): boolean {
  return WORKBOOKS.some((magic) => magic.every((byte, index) => start[index] === byte));
}
