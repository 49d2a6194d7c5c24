/** Which format a file has, by its first bytes: its extension may be missing or wrong. */

import { firstBytes, prepend } from './file-text.ts';

/** ZIP, which workbooks are, and what they were before 2007, whose reader says what to do. */
const WORKBOOKS = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
];

/** The bytes, and those that come first of them. */
export interface Peeked {
  readonly start: Uint8Array;
  readonly bytes: AsyncIterable<Uint8Array>;
}

export async function peek(bytes: AsyncIterable<Uint8Array>): Promise<Peeked> {
  const chunks = bytes[Symbol.asyncIterator]();
  const { done, value } = await chunks.next();
  const start = done === true ? new Uint8Array() : value;
  return { start, bytes: prepend(start, chunks) };
}

/** A workbook is recognised by its content, whatever it is called; others by the extension, if it is known. */
export async function recognisedFormat<Named extends NamedFormat>(
  formats: readonly Named[],
  file: string,
  start: Uint8Array,
): Promise<Named> {
  const path = file.toLowerCase().replace(/\.(gz|zst)$/, '');
  const byName = formats.find(({ extensions }) => extensions.some((extension) => path.endsWith(extension)));
  if (byName !== undefined && (byName.name === 'xlsx') === isWorkbook(start)) return byName;
  const name = await formatOf(start);
  const format = formats.find((known) => known.name === name);
  if (format === undefined) throw new Error(`there is no format ${name}`);
  return format;
}

interface NamedFormat {
  readonly name: string;
  readonly extensions: readonly string[];
}

/** The name of the format. Whatever is neither a workbook nor JSON may be CSV. */
async function formatOf(start: Uint8Array): Promise<'xlsx' | 'json' | 'ndjson' | 'csv'> {
  if (isWorkbook(start)) return 'xlsx';
  const text = Buffer.from(await firstBytes(start))
    .toString('latin1')
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .trimStart();
  if (text.startsWith('[') || /^\{\s*"data"\s*:\s*\[/.test(text)) return 'json';
  // Some programs write a table of HTML and call it a workbook.
  if (text.startsWith('<')) return 'xlsx';
  return text.startsWith('{') ? 'ndjson' : 'csv';
}

export function isWorkbook(start: Uint8Array): boolean {
  return WORKBOOKS.some((magic) => magic.every((byte, index) => start[index] === byte));
}
