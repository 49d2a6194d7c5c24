/**
 * A workbook of Excel: the rows of one sheet. The first row that has texts in most of its columns names them, since there may be a title above it.
 * Cells have types, so that only texts have to be interpreted.
 */

import { valueFromText } from '../catalog/field-value.ts';
import type { Field } from '../catalog/resource.ts';
import { Mismatch, type Value } from '../catalog/value.ts';
import { isNumeric, isText } from '../catalog/value-types.ts';
import { quoted, truncated } from '../problem/quoted.ts';
import { type Question, Undecided } from './decisions.ts';
import { isWorkbook, peek } from './file-kind.ts';
import { decompress } from './file-text.ts';
import { type FileInput, type Format, type RawRow, UnreadableFile } from './format.ts';
import type { TextCells } from './text-cells.ts';
import { openFile, spooled } from './xlsx/random-access.ts';
import { type Sheet, type SheetCell, type SheetRow, Workbook } from './xlsx/workbook.ts';

export const xlsx: Format<SheetCell> = {
  name: 'xlsx',
  extensions: ['.xlsx', '.xlsm'],
  mediaTypes: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  unit: 'row',
  hasHeader: true,
  async *rows(input, { sheet: name }, facts) {
    const workbook = await openWorkbook(input);
    try {
      const sheet = await chooseSheet(workbook, name);
      facts.sheet = sheet.name;
      yield* sheetRows(workbook.rows(sheet));
    } finally {
      await workbook.close();
    }
  },
  value: readCell,
  flag: (cell) =>
    cell.kind === 'empty' ? false : cell.kind === 'boolean' ? cell.value : FLAGS.get(textOf(cell).toLowerCase()),
  isEmpty: ({ kind }) => kind === 'empty',
  words: (cell) => (cell.kind === 'text' ? cell.text : undefined),
  isNumberAsText: (field, { kind }) => kind === 'number' && isText(field),
  print: (cell) => (cell.kind === 'text' ? quoted(cell.text) : truncated(textOf(cell))),
  text: (cell) => truncated(textOf(cell)),
  // Rows of a sheet have no text of their own.
  rowsType: 'text/csv',
  frame: { before: (header) => `${header}\n`, between: '\n', after: '\n' },
};

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

function readCell(field: Field, cell: SheetCell, texts: TextCells): Value | null | undefined | Mismatch {
  switch (cell.kind) {
    case 'empty':
      return texts.empty(field);
    case 'text':
      return texts.read(field, cell.text);
    case 'number':
      return isNumeric(field) ? valueFromText(field, String(cell.value)) : texts.read(field, cell.text);
    case 'boolean':
      return isNumeric(field) ? valueFromText(field, textOf(cell)) : texts.read(field, textOf(cell));
    case 'date':
    case 'time':
      return isNumeric(field) ? valueFromText(field, cell.text) : texts.read(field, cell.text);
    case 'error':
      return new Mismatch('must be a value, but the cell shows an error of Excel');
    case 'uncalculated':
      return new Mismatch('must be calculated: open the file in Excel, save it, and import it again');
  }
}

function textOf(cell: SheetCell): string {
  switch (cell.kind) {
    case 'empty':
    case 'uncalculated':
      return '';
    case 'boolean':
      return String(cell.value);
    default:
      return cell.text;
  }
}

/** How large a workbook may be that a command reads, and how large its parts may become, in bytes. */
const MAX_BYTES = 2 ** 30;

async function openWorkbook({ bytes, path, coding, maxBytes = MAX_BYTES, turn }: FileInput): Promise<Workbook> {
  const peeked = await peek(bytes);
  const isFile = path !== undefined && isWorkbook(peeked.start);
  if (isFile) await peeked.bytes[Symbol.asyncIterator]().return?.();
  const file = isFile ? await openFile(path) : await spooled(decompress(peeked.bytes, coding), maxBytes);
  return Workbook.open(file, { maxBytes, turn });
}

async function chooseSheet(workbook: Workbook, name: string | undefined): Promise<Sheet> {
  const { sheets } = workbook;
  if (name !== undefined) {
    const named = sheets.find((sheet) => sheet.name === name);
    if (named !== undefined) return named;
    throw new UnreadableFile(
      `There is no sheet ${quoted(name)}, only ${sheets.map((sheet) => quoted(sheet.name)).join(', ')}.`,
    );
  }
  const filled: { readonly sheet: Sheet; readonly header: SheetRow }[] = [];
  for (const sheet of sheets) {
    const header = sheet.visibility === 'visible' ? await headerOf(workbook, sheet) : undefined;
    if (header !== undefined) filled.push({ sheet, header });
  }
  const [only] = filled;
  if (only === undefined)
    throw new UnreadableFile('No sheet of the workbook has a row below the names of its columns.');
  if (filled.length > 1) throw new Undecided([sheetQuestion(filled)]);
  return only.sheet;
}

function sheetQuestion(filled: readonly { readonly sheet: Sheet; readonly header: SheetRow }[]): Question {
  return {
    option: 'sheet',
    question: `${filled.length} sheets have data. Which one is it?`,
    choices: filled.map(({ sheet, header }) => ({
      value: sheet.name,
      meaning: `${sheet.name}: ${truncated(namesOf(header).filter(Boolean).join(', '))}`,
    })),
  };
}

/** Undefined if nothing is below it. */
async function headerOf(workbook: Workbook, sheet: Sheet): Promise<SheetRow | undefined> {
  const start: SheetRow[] = [];
  for await (const rows of workbook.rows(sheet)) {
    start.push(...rows.filter(isFilled));
    if (start.length >= HEADER_ROWS) break;
  }
  const header = findHeader(start);
  return header !== undefined && start.at(-1) !== header ? header : undefined;
}

/** Among how many rows the names of the columns are looked for. */
const HEADER_ROWS = 30;

/** The first row that consists of different texts, in at least half of the columns. */
function findHeader(rows: readonly SheetRow[]): SheetRow | undefined {
  const filled = ({ cells }: SheetRow) => cells.filter(({ kind }) => kind !== 'empty');
  const widest = Math.max(0, ...rows.slice(0, HEADER_ROWS).map((row) => filled(row).length));
  return rows.find((row) => {
    const cells = filled(row);
    const texts = new Set(cells.map((cell) => (cell.kind === 'text' ? cell.text : undefined)));
    return cells.length * 2 >= widest && texts.size === cells.length && !texts.has(undefined);
  });
}

function isFilled({ cells }: SheetRow): boolean {
  return cells.some(({ kind }) => kind !== 'empty');
}

async function* sheetRows(batches: AsyncIterable<readonly SheetRow[]>): AsyncIterable<Iterable<RawRow<SheetCell>>> {
  let waiting: SheetRow[] | undefined = [];
  let columns: readonly string[] = [];
  const begin = (rows: readonly SheetRow[]): readonly RawRow<SheetCell>[] => {
    const header = findHeader(rows);
    if (header === undefined) throw new UnreadableFile('No row of the sheet names the columns.');
    columns = namesOf(header);
    const below = rows.slice(rows.indexOf(header) + 1);
    return [
      { kind: 'header', number: header.number, text: csvLine(columns), columns },
      ...below.map((row) => rawRow(row, columns)),
    ];
  };
  for await (const batch of batches) {
    const rows = batch.filter(isFilled);
    if (waiting === undefined) yield rows.map((row) => rawRow(row, columns));
    else {
      waiting.push(...rows);
      if (waiting.length < HEADER_ROWS) continue;
      yield begin(waiting);
      waiting = undefined;
    }
  }
  if (waiting !== undefined) yield begin(waiting);
}

function namesOf({ cells }: SheetRow): readonly string[] {
  return cells.map((cell) => textOf(cell).trim());
}

/** Cells that are empty at the end of a row are not there. */
function rawRow({ number, cells }: SheetRow, columns: readonly string[]): RawRow<SheetCell> {
  const missing = Array.from({ length: Math.max(0, columns.length - cells.length) }, () => EMPTY);
  const all = [...cells, ...missing];
  const text = csvLine(all.map(textOf));
  return { kind: 'row', number, text, columns, cells: all };
}

const EMPTY: SheetCell = { kind: 'empty' };

function csvLine(texts: readonly string[]): string {
  return texts.map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(',');
}
