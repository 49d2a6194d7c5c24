/** The rows of a sheet, from its XML: `<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c>…</row>…</sheetData>…</worksheet>`. */

import { quoted } from '../../problem/quoted.ts';
import { TooManyBytes } from '../file-text.ts';
import { UnreadableFile } from '../format.ts';
import { MAX_LINE_LENGTH } from '../lines.ts';
import { isTrue } from './part.ts';
import { checkLength, RichText, unescaped } from './rich-text.ts';
import { type DateSystem, dateOf, dateOfText } from './serial-date.ts';
import type { SharedStrings } from './shared-strings.ts';
import { columnName, EMPTY, numberCell, type SheetCell, type SheetRow, textCell, UNCALCULATED } from './sheet-cell.ts';
import type { Styles } from './styles.ts';
import type { Attributes, XmlHandler } from './xml.ts';
import { damaged } from './zip.ts';

/** The columns that may have values. Formats go on to the last column, XFD. */
const MAX_COLUMNS = 1_000;

/** As in Excel. */
const MAX_ROWS = 1_048_576;

/** What the cells of a sheet refer to. */
export interface SheetContext extends DateSystem {
  /** How many characters the texts of all rows may have. */
  readonly maxBytes: number;
  readonly strings: SharedStrings | undefined;
  readonly styles: Styles;
  /** Whether all formulas have to be calculated before their results are used, since the program that wrote them did not. */
  readonly isStale: boolean;
}

interface OpenCell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  hasFormula: boolean;
  /** Undefined if it has none. */
  value: string | undefined;
}

export class SheetReader implements XmlHandler {
  readonly #name: string;
  readonly #context: SheetContext;
  #rows: SheetRow[] = [];
  #depth = 0;
  #isInData = false;
  #isComplete = false;
  #isInRow = false;
  #row = 0;
  #cells: SheetCell[] = [];
  /** How many characters the row has, and all rows. */
  #length = 0;
  #total = 0;
  /** Of the next cell, if it does not say. */
  #column = 0;
  #cell: OpenCell | undefined;
  /** Which element of the cell is open. */
  #child: string | undefined;
  readonly #inline = new RichText();

  constructor(name: string, context: SheetContext) {
    this.#name = name;
    this.#context = context;
  }

  /** Whether all rows have been read. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** The rows that are complete. Rows without values are left out. */
  take(): readonly SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  open(element: string, attributes: Attributes): void {
    this.#depth += 1;
    switch (this.#depth) {
      case 1:
        if (element !== 'worksheet') throw damaged(`sheet ${quoted(this.#name)} has no cells but ${quoted(element)}`);
        break;
      case 2:
        this.#isInData = element === 'sheetData' && !this.#isComplete;
        break;
      case 3:
        if (this.#isInData && element === 'row') this.#openRow(attributes);
        break;
      case 4:
        if (this.#isInRow && element === 'c') this.#cell = this.#openCell(attributes);
        break;
      case 5:
        if (this.#cell !== undefined) this.#openChild(this.#cell, element);
        break;
      default:
        if (this.#child === 'is') this.#inline.open(element, attributes);
    }
  }

  text(text: string): void {
    if (this.#child === 'is') this.#inline.text(text);
    if (this.#child !== 'v' || this.#cell === undefined) return;
    this.#cell.value = (this.#cell.value ?? '') + text;
    checkLength(this.#cell.value.length);
  }

  close(element: string): void {
    switch (this.#depth) {
      case 2:
        this.#isComplete ||= this.#isInData;
        this.#isInData = false;
        break;
      case 3:
        if (this.#isInRow) this.#closeRow();
        break;
      case 4:
        if (this.#cell !== undefined) this.#closeCell(this.#cell);
        break;
      case 5:
        if (this.#cell !== undefined && this.#child === 'is') this.#cell.value = this.#inline.take();
        this.#child = undefined;
        break;
      default:
        if (this.#child === 'is') this.#inline.close(element);
    }
    this.#depth -= 1;
  }

  #openRow(attributes: Attributes): void {
    const reference = attributes.get('r');
    const row = reference === undefined ? this.#row + 1 : readCount(reference);
    if (row === undefined || row > MAX_ROWS) {
      throw damaged(`sheet ${quoted(this.#name)} has a row ${quoted(reference ?? String(row))}`);
    }
    if (row <= this.#row) throw damaged(`sheet ${quoted(this.#name)} has row ${row} after row ${this.#row}`);
    this.#row = row;
    this.#isInRow = true;
    this.#column = 0;
    this.#length = 0;
  }

  #closeRow(): void {
    this.#isInRow = false;
    if (this.#cells.length === 0) return;
    this.#rows.push({ number: this.#row, cells: this.#cells });
    this.#cells = [];
  }

  #openCell(attributes: Attributes): OpenCell {
    const reference = attributes.get('r');
    const column = reference === undefined ? this.#column : columnOf(reference, this.#row);
    if (column === undefined) {
      throw damaged(`row ${this.#row} of sheet ${quoted(this.#name)} has a cell ${quoted(reference ?? '')}`);
    }
    this.#column = column + 1;
    return {
      column,
      type: attributes.get('t') ?? 'n',
      style: Number(attributes.get('s') ?? -1),
      hasFormula: false,
      value: undefined,
    };
  }

  #openChild(cell: OpenCell, element: string): void {
    this.#child = element;
    if (element === 'v') cell.value = '';
    if (element === 'f') cell.hasFormula = true;
  }

  #closeCell(cell: OpenCell): void {
    this.#cell = undefined;
    const value = this.#valueOf(cell);
    if (value.kind === 'empty') return;
    const { column } = cell;
    if (column >= MAX_COLUMNS) {
      throw new UnreadableFile(
        `Cell ${this.#place(column)} is beyond column ${columnName(MAX_COLUMNS - 1)}, the last of ${MAX_COLUMNS} columns that are read. Remove what is there, or move it to the left.`,
      );
    }
    if ((this.#cells[column] ?? EMPTY) !== EMPTY) throw damaged(`cell ${this.#place(column)} is there twice`);
    while (this.#cells.length < column) this.#cells.push(EMPTY);
    this.#cells[column] = value;
    if (value.kind !== 'text') return;
    this.#length += value.text.length;
    this.#total += value.text.length;
    // A text that many cells refer to is in the file once, but in the rows many times.
    if (this.#total > this.#context.maxBytes) throw new TooManyBytes();
    if (this.#length > MAX_LINE_LENGTH) {
      throw new UnreadableFile(
        `Row ${this.#row} of sheet ${quoted(this.#name)} has more than ${MAX_LINE_LENGTH} characters, too many for a row.`,
      );
    }
  }

  #valueOf(cell: OpenCell): SheetCell {
    const { type, hasFormula, value } = cell;
    // The result of a formula may be a text without characters, but not a number without digits.
    const isMissing = value === undefined || (value === '' && type !== 'str');
    // Programs that do not calculate write no result, or zero.
    if (hasFormula && (isMissing || (this.#context.isStale && value === '0'))) return UNCALCULATED;
    if (isMissing) return EMPTY;
    switch (type) {
      case 's':
        return this.#shared(cell, value);
      case 'inlineStr':
        return textCell(value);
      case 'str':
        return textCell(unescaped(value));
      case 'n':
        return this.#numeric(cell, value);
      case 'b':
        return { kind: 'boolean', value: isTrue(value) };
      case 'e':
        return { kind: 'error', text: value };
      case 'd':
        return dateOfText(value) ?? textCell(value);
      default:
        throw damaged(`cell ${this.#place(cell.column)} has the unknown type ${quoted(type)}`);
    }
  }

  #shared({ column }: OpenCell, value: string): SheetCell {
    const index = readCount(value);
    const text = index === undefined ? undefined : this.#context.strings?.get(index);
    if (text === undefined) {
      const count = this.#context.strings?.count ?? 0;
      throw damaged(`cell ${this.#place(column)} refers to text ${quoted(value)}, but there are ${count}`);
    }
    return textCell(text);
  }

  #numeric({ column, style }: OpenCell, value: string): SheetCell {
    const number = NUMBER.test(value) ? Number(value) : Number.NaN;
    if (!Number.isFinite(number)) throw damaged(`cell ${this.#place(column)} has the number ${quoted(value)}`);
    const moment = this.#context.styles[style];
    const date = moment && dateOf(number, moment, this.#context);
    return date ?? numberCell(number);
  }

  #place(column: number): string {
    return `${columnName(column)}${this.#row} of sheet ${quoted(this.#name)}`;
  }
}

const NUMBER = /^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?\s*$/i;

/** Undefined if it is not a number from 0 on. */
function readCount(text: string): number | undefined {
  return /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : undefined;
}

/** 2 for `C7`; undefined if it is not a cell of that row. */
function columnOf(reference: string, row: number): number | undefined {
  const [, letters, digits] = /^([A-Z]{1,3})(\d+)$/.exec(reference) ?? [];
  if (letters === undefined || Number(digits) !== row) return undefined;
  let column = 0;
  for (let at = 0; at < letters.length; at += 1) column = column * 26 + letters.charCodeAt(at) - 0x40;
  return column - 1;
}
