/** Workbooks written by hand, and reading any of them. */

import { readFileSync } from 'node:fs';
import { spooled } from '../../src/import/xlsx/random-access.ts';
import { type Sheet, type SheetRow, Workbook, type WorkbookOptions } from '../../src/import/xlsx/workbook.ts';
import { collected, once } from './iterables.ts';
import { zip } from './zip.ts';

/** The parts of a workbook by their names. */
export type Parts = Readonly<Record<string, string | Uint8Array>>;

export interface WorkbookContent {
  /** What is inside of `<sheetData>`, by the name of the sheet. */
  readonly sheets: Readonly<Record<string, string>>;
  /** What is inside of `<sst>`. */
  readonly strings?: string;
  /** What is inside of `<styleSheet>`. */
  readonly styles?: string;
  /** What is in `<workbook>` besides the sheets. */
  readonly workbook?: string;
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';

const document = (xml: string) => `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${xml}`;

function relationships(targets: readonly (readonly [type: string, target: string])[]): string {
  const found = targets.map(
    ([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return document(`<Relationships xmlns="${PACKAGE}">${found.join('')}</Relationships>`);
}

export function workbookParts({ sheets, strings, styles, workbook = '' }: WorkbookContent): Parts {
  const named = Object.entries(sheets);
  const listed = named.map(([name], index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`);
  return {
    '_rels/.rels': relationships([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': document(
      `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}">${workbook}<sheets>${listed.join('')}</sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': relationships([
      ...named.map((_, index) => ['worksheet', `worksheets/sheet${index + 1}.xml`] as const),
      ...(strings === undefined ? [] : [['sharedStrings', 'sharedStrings.xml'] as const]),
      ...(styles === undefined ? [] : [['styles', '/xl/styles.xml'] as const]),
    ]),
    ...Object.fromEntries(
      named.map(([, data], index) => [
        `xl/worksheets/sheet${index + 1}.xml`,
        document(`<worksheet xmlns="${MAIN}"><sheetData>${data}</sheetData></worksheet>`),
      ]),
    ),
    ...(strings !== undefined && { 'xl/sharedStrings.xml': document(`<sst xmlns="${MAIN}">${strings}</sst>`) }),
    ...(styles !== undefined && { 'xl/styles.xml': document(`<styleSheet xmlns="${MAIN}">${styles}</styleSheet>`) }),
  };
}

export function zipParts(parts: Parts): Buffer {
  return zip(Object.entries(parts).map(([name, content]) => ({ name, content })));
}

export function workbookFile(content: WorkbookContent): Buffer {
  return zipParts(workbookParts(content));
}

/** A file in `test/files`. */
export function exampleFile(name: string): Buffer {
  return readFileSync(new URL(`../files/${name}`, import.meta.url));
}

export const MAX_BYTES = 64 * 1024 * 1024;

export async function openWorkbook(bytes: Uint8Array, options: Partial<WorkbookOptions> = {}): Promise<Workbook> {
  return Workbook.open(await spooled(once(bytes), Number.POSITIVE_INFINITY), { maxBytes: MAX_BYTES, ...options });
}

/** All rows of its sheets. */
export async function readWorkbook(
  bytes: Uint8Array,
  options: Partial<WorkbookOptions> = {},
): Promise<readonly { readonly sheet: Sheet; readonly rows: readonly SheetRow[] }[]> {
  const workbook = await openWorkbook(bytes, options);
  try {
    const sheets = [];
    for (const sheet of workbook.sheets) sheets.push({ sheet, rows: (await collected(workbook.rows(sheet))).flat() });
    return sheets;
  } finally {
    await workbook.close();
  }
}

/** Of the first sheet. */
export async function rowsOf(bytes: Uint8Array, options: Partial<WorkbookOptions> = {}): Promise<readonly SheetRow[]> {
  const [first] = await readWorkbook(bytes, options);
  return first?.rows ?? [];
}

/** A sheet with these rows; a number is one, a text is inline. */
export const sheetOf = (...cells: readonly (readonly (string | number)[])[]) =>
  cells
    .map((row) => {
      const xml = row.map((value) =>
        typeof value === 'number' ? `<c><v>${value}</v></c>` : `<c t="inlineStr"><is><t>${value}</t></is></c>`,
      );
      return `<row>${xml.join('')}</row>`;
    })
    .join('');
