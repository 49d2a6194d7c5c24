/** Files that are taken for workbooks: what they are, and what to do. */

import { UnreadableFile } from '../format.ts';
import type { RandomAccess } from './random-access.ts';

const ZIP = Buffer.from('PK');
const OLE2 = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const MARKUP = /^\s*<(!doctype|html|table|\?xml|head|meta)/i;

/** Reads the first bytes. */
export async function checkIsArchive(file: RandomAccess): Promise<void> {
  const start = Buffer.from(await file.read(0, 256));
  const startsWith = (magic: Buffer) => start.subarray(0, magic.length).equals(magic);
  if (startsWith(ZIP)) return;
  if (start.length === 0) throw new UnreadableFile('The file is empty.');
  if (startsWith(OLE2)) {
    throw new UnreadableFile(
      'This is an .xls workbook of Excel 97–2003, or a workbook with a password. Save it as .xlsx without a password.',
    );
  }
  if (MARKUP.test(start.toString('utf8').replace('\ufeff', ''))) {
    throw new UnreadableFile(
      'This is not a workbook but HTML or XML, which some programs export as if it were one. Open it in Excel and save it as .xlsx.',
    );
  }
  throw new UnreadableFile('This is not an .xlsx workbook. If it is text, such as CSV, import it as that.');
}

const OTHER_ARCHIVES: readonly { readonly hasName: RegExp; readonly message: string }[] = [
  { hasName: /^xl\/workbook\.bin$/, message: 'This is a binary workbook (.xlsb). Save it as .xlsx.' },
  { hasName: /\.iwa$|^index\.zip$/, message: 'This is a document of Numbers. Export it as Excel (.xlsx), or as CSV.' },
  { hasName: /^content\.xml$/, message: 'This is an OpenDocument file (.ods). Save it as .xlsx, or as CSV.' },
  { hasName: /^(word|ppt|visio)\//, message: 'This is a document of Office, but not a workbook.' },
];

/** The names are in lowercase. */
export function withoutWorkbook(names: readonly string[]): UnreadableFile {
  const other = OTHER_ARCHIVES.find(({ hasName }) => names.some((name) => hasName.test(name)));
  return new UnreadableFile(other?.message ?? 'This is a ZIP archive without a workbook: unpack it first.');
}
