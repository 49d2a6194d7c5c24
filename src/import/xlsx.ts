/** An Excel workbook: the rows of one of its sheets, below the row that names the columns. Cells are typed, so only texts have to be interpreted. */

import { valueFromText } from '../catalog/field-value.ts';
import type { Field } from '../catalog/resource.ts';
import { Mismatch, type Value } from '../catalog/value.ts';
import { isNumeric, isText } from '../catalog/value-types.ts';
import { quoted, truncated } from '../problem/quoted.ts';
import { csv } from './csv.ts';
import { type Question, Undecided } from './decisions.ts';
import { isWorkbook, peek } from './file-kind.ts';
import { decompress } from './file-text.ts';
import { type FileFacts, type FileInput, type Format, type RawRow, UnreadableFile } from './format.ts';
import { signsOf } from './numbers.ts';
import { booleanOf, type TextCells } from './text-cells.ts';
import { openFile, spooled } from './xlsx/random-access.ts';
import { EMPTY } from './xlsx/sheet-cell.ts';
import { type Sheet, type SheetCell, type SheetRow, Workbook } from './xlsx/workbook.ts';

export const xlsx: Format<SheetCell> = {
  name: 'xlsx',
  extensions: ['.xlsx', '.xlsm'],
  mediaTypes: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  isCompressed: true,
  unit: 'row',
  hasHeader: true,
  async *rows(input, { sheet: name }, facts, isColumn) {
    const workbook = await openWorkbook(input);
    try {
      const sheet = await chooseSheet(workbook, name, isColumn);
      facts.sheet = sheet.name;
      yield* sheetRows(workbook.rows(sheet), facts, isColumn);
    } finally {
      await workbook.close();
    }
  },
  value: readCell,
  flag: (cell) => (cell.kind === 'empty' ? false : booleanOf(textOf(cell))),
  isEmpty: ({ kind }) => kind === 'empty',
  missing: EMPTY,
  words: (cell) => (cell.kind === 'text' ? cell.text : undefined),
  isNumberAsText: (field, { kind }) => kind === 'number' && isText(field),
  print: (cell) => (cell.kind === 'text' ? quoted(cell.text) : truncated(textOf(cell))),
  text: (cell) => truncated(textOf(cell)),
  // Rows of a sheet have no text of their own.
  rowsType: csv.rowsType,
  frame: csv.frame,
};

function readCell(field: Field, cell: SheetCell, texts: TextCells): Value | null | undefined | Mismatch {
  switch (cell.kind) {
    case 'empty':
      return texts.empty(field);
    case 'text':
      return texts.read(field, cell.text);
    case 'number':
      return isNumeric(field) ? valueFromText(field, String(cell.value)) : texts.read(field, cell.text);
    case 'boolean':
      // In a field that is not true or false, Odoo means nothing.
      if (texts.isOdoo && !cell.value && field.nullable && field.type !== 'boolean') return null;
      return isNumeric(field) ? valueFromText(field, textOf(cell)) : texts.read(field, textOf(cell));
    case 'date':
    case 'time':
      return isNumeric(field) ? valueFromText(field, cell.text) : texts.read(field, cell.text);
    case 'error':
      return new Mismatch(`has the error ${cell.text} of Excel`);
    case 'uncalculated':
      return new Mismatch(
        'has a formula that was not calculated; open the file in Excel, save it, and import it again',
      );
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

async function openWorkbook({ bytes, path, coding, maxBytes = MAX_BYTES, cost }: FileInput): Promise<Workbook> {
  const peeked = await peek(bytes);
  const isFile = path !== undefined && isWorkbook(peeked.start);
  if (isFile) await peeked.close();
  const file = isFile ? await openFile(path) : await spooled(decompress(peeked.bytes, coding), maxBytes);
  return Workbook.open(file, { maxBytes, cost });
}

async function chooseSheet(workbook: Workbook, name: string | undefined, isColumn: IsColumn): Promise<Sheet> {
  const { sheets } = workbook;
  if (name !== undefined) {
    const named = sheets.find((sheet) => sheet.name === name);
    if (named !== undefined) return named;
    throw new UnreadableFile(`There is no sheet ${quoted(name)}, only ${namesOfSheets(sheets)}.`);
  }
  const visible = sheets.filter(({ visibility }) => visibility === 'visible');
  if (visible.length > MAX_SHEETS)
    throw new UnreadableFile(`The workbook has ${visible.length} sheets, too many to look at. Name one of them.`);
  const filled: { readonly sheet: Sheet; readonly header: SheetRow }[] = [];
  for (const sheet of visible) {
    const header = await headerOf(workbook, sheet, isColumn);
    if (header !== undefined) filled.push({ sheet, header });
  }
  const [only] = filled;
  if (only === undefined)
    throw new UnreadableFile('No sheet of the workbook has a row below the names of its columns.');
  if (filled.length > 1) throw new Undecided([sheetQuestion(filled)]);
  return only.sheet;
}

/** In how many sheets data is looked for. */
const MAX_SHEETS = 50;

/** How many of them a message names. */
const MAX_NAMED = 20;

function namesOfSheets(sheets: readonly Sheet[]): string {
  const names = sheets.slice(0, MAX_NAMED).map(({ name }) => quoted(name));
  return sheets.length > MAX_NAMED ? `${names.join(', ')}, …` : names.join(', ');
}

function sheetQuestion(filled: readonly { readonly sheet: Sheet; readonly header: SheetRow }[]): Question {
  return {
    option: 'sheet',
    question: `${filled.length} sheets have data. Which one is it?`,
    choices: filled.slice(0, MAX_NAMED).map(({ sheet, header }) => ({
      value: sheet.name,
      meaning: `${truncated(sheet.name)}: ${truncated(namesOf(header).filter(Boolean).join(', '))}`,
    })),
  };
}

/** Undefined if nothing is below it. */
async function headerOf(workbook: Workbook, sheet: Sheet, isColumn: IsColumn): Promise<SheetRow | undefined> {
  const start: SheetRow[] = [];
  for await (const rows of workbook.rows(sheet)) {
    start.push(...rows);
    if (start.length >= HEADER_ROWS) break;
  }
  const header = findHeader(start, isColumn);
  return header !== undefined && start.at(-1) !== header ? header : undefined;
}

/** Among how many rows the names of the columns are looked for. */
const HEADER_ROWS = 30;

type IsColumn = (name: string) => boolean;

/** The row with most names of columns that are known. If there is none, the first one that consists of different texts, in at least half of the columns. */
function findHeader(rows: readonly SheetRow[], isColumn: IsColumn): SheetRow | undefined {
  const start = rows.slice(0, HEADER_ROWS);
  const known = start.map((row) => namesOf(row).filter((name) => name !== '' && isColumn(name)).length);
  const most = Math.max(0, ...known);
  if (most > 0) return start[known.indexOf(most)];
  const filled = ({ cells }: SheetRow) => cells.filter(({ kind }) => kind !== 'empty');
  const widest = Math.max(0, ...rows.slice(0, HEADER_ROWS).map((row) => filled(row).length));
  return rows.find((row) => {
    const cells = filled(row);
    const texts = new Set(cells.map((cell) => (cell.kind === 'text' ? cell.text : undefined)));
    return cells.length * 2 >= widest && texts.size === cells.length && !texts.has(undefined);
  });
}

async function* sheetRows(
  batches: AsyncIterable<readonly SheetRow[]>,
  facts: FileFacts,
  isColumn: IsColumn,
): AsyncIterable<Iterable<RawRow<SheetCell>>> {
  let waiting: SheetRow[] | undefined = [];
  let columns: readonly string[] = [];
  const begin = (rows: readonly SheetRow[]): readonly RawRow<SheetCell>[] => {
    const header = findHeader(rows, isColumn);
    if (header === undefined) throw new UnreadableFile('No row of the sheet names the columns.');
    columns = namesOf(header);
    facts.headerRow = header.number;
    const below = rows.slice(rows.indexOf(header) + 1);
    return [headerRow(header.number, columns), ...below.map((row) => new RowOfCells(row, columns))];
  };
  for await (const rows of batches) {
    if (waiting === undefined) yield rows.map((row) => new RowOfCells(row, columns));
    else {
      waiting.push(...rows);
      if (waiting.length < HEADER_ROWS) continue;
      yield begin(waiting);
      waiting = undefined;
    }
  }
  if (waiting !== undefined) yield begin(waiting);
}

function headerRow(number: number, columns: readonly string[]): RawRow<SheetCell> {
  const text = csvLine(columns);
  return { kind: 'header', number, text, size: text.length, columns };
}

function namesOf({ cells }: SheetRow): readonly string[] {
  return cells.map((cell) => textOf(cell).trim());
}

/** A row as a line of CSV. */
class RowOfCells {
  readonly kind = 'row';
  readonly number: number;
  readonly columns: readonly string[];
  /** Those that are empty at the end of a row are not there. */
  readonly cells: readonly SheetCell[];

  constructor({ number, cells }: SheetRow, columns: readonly string[]) {
    this.number = number;
    this.columns = columns;
    this.cells = cells;
  }

  get size(): number {
    return this.cells.reduce((size, cell) => size + textOf(cell).length + 1, 0);
  }

  get text(): string {
    const missing = ','.repeat(Math.max(0, this.columns.length - Math.max(1, this.cells.length)));
    return csvLine(this.cells.map(writtenCell)) + missing;
  }
}

/** `1.2990` for the number 1.299, which nobody takes for 1299. */
function writtenCell(cell: SheetCell): string {
  const text = textOf(cell);
  return cell.kind === 'number' && text.includes('.') && signsOf(text).length > 1 ? `${text}0` : text;
}

function csvLine(texts: readonly string[]): string {
  return texts.map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(',');
}
