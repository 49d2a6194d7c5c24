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
import { noSuchRow, severalTables } from './tables.ts';
import { booleanOf, type TextCells } from './text-cells.ts';
import { type FoundHeader, HEADER_ROWS, HeaderFinder, namesOf, textOf } from './xlsx/header.ts';
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
  async *rows(input, { sheet: name, headerRow: row }, facts, isColumn) {
    const workbook = await openWorkbook(input);
    try {
      const columns = { isColumn, row };
      const sheet = await chooseSheet(workbook, name, columns);
      facts.sheet = sheet.name;
      yield* sheetRows(workbook.rows(sheet), facts, columns);
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
      if (texts.isLenient) return texts.empty(field);
      return new Mismatch(`has the error ${cell.text} of Excel`, undefined, 'as an empty cell');
    case 'uncalculated':
      return new Mismatch(
        'has a formula that was not calculated; open the file in Excel, save it, and import it again',
      );
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

async function chooseSheet(workbook: Workbook, name: string | undefined, columns: ColumnFinding): Promise<Sheet> {
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
  let hasNames = false;
  for (const sheet of visible) {
    const header = await headerOf(workbook, sheet, columns);
    if (header?.hasRows) filled.push({ sheet, header: header.row });
    else if (header?.isKnown) hasNames = true;
  }
  const [only] = filled;
  if (only === undefined) {
    if (!hasNames && columns.row !== undefined) throw new UnreadableFile(noSuchRow(columns.row, 'row'));
    throw new UnreadableFile(
      hasNames
        ? 'No sheet of the workbook has a row below the names of its columns.'
        : `No sheet of the workbook has names of fields in one of its first ${HEADER_ROWS} rows.`,
    );
  }
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

/** Reads no more of the sheet than is needed. Undefined if no row names columns. */
async function headerOf(workbook: Workbook, sheet: Sheet, columns: ColumnFinding): Promise<Header | undefined> {
  const finder = new HeaderFinder(columns.isColumn, columns.row);
  let found: FoundHeader | undefined;
  for await (const rows of workbook.rows(sheet)) {
    if (found !== undefined) return { ...found, hasRows: true };
    found = finder.add(rows);
    if (found !== undefined && found.below.length > 0) break;
  }
  found ??= endOf(finder);
  return found && { ...found, hasRows: found.below.length > 0 };
}

/** Of one of several sheets, of which another one may have the row. */
function endOf(finder: HeaderFinder): FoundHeader | undefined {
  try {
    return finder.end();
  } catch (error) {
    if (error instanceof UnreadableFile) return undefined;
    throw error;
  }
}

interface Header extends FoundHeader {
  /** Whether something is below it. */
  readonly hasRows: boolean;
}

/** What is needed to find the names of the columns. */
interface ColumnFinding {
  readonly isColumn: (name: string) => boolean;
  /** In which row they are, if somebody has said it. */
  readonly row: number | undefined;
}

async function* sheetRows(
  batches: AsyncIterable<readonly SheetRow[]>,
  facts: FileFacts,
  { isColumn, row: named }: ColumnFinding,
): AsyncIterable<Iterable<RawRow<SheetCell>>> {
  let finder: HeaderFinder | undefined = new HeaderFinder(isColumn, named);
  let columns: readonly string[] = [];
  let isEmpty = true;
  const begin = (found: FoundHeader | undefined): readonly RawRow<SheetCell>[] => {
    if (found === undefined || !(found.isKnown || found.below.length > 0))
      throw new UnreadableFile(isEmpty ? 'The sheet has no rows.' : NO_NAMES);
    const { row, below, above, other } = found;
    columns = namesOf(row);
    if (other !== undefined) throw severalTables([other, { number: row.number, names: columns }], 'row');
    facts.headerRow = row.number;
    facts.above = above;
    return [headerRow(row.number, columns), ...below.map((each) => new RowOfCells(each, columns))];
  };
  for await (const rows of batches) {
    isEmpty = false;
    if (finder === undefined) yield rows.map((row) => new RowOfCells(row, columns));
    else {
      const found = finder.add(rows);
      if (found === undefined) continue;
      finder = undefined;
      yield begin(found);
    }
  }
  if (finder !== undefined) yield begin(finder.end());
}

const NO_NAMES = `None of the first ${HEADER_ROWS} rows of the sheet has names of fields in its cells.`;

function headerRow(number: number, columns: readonly string[]): RawRow<SheetCell> {
  const text = csvLine(columns);
  return { kind: 'header', number, text, size: text.length, columns };
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
