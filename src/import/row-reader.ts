/** The rows of a file as the store loads them: columns matched to fields, cells read as values. */

import { type Field, id } from '../catalog/resource.ts';
import { Mismatch, type Value } from '../catalog/value.ts';
import { isText } from '../catalog/value-types.ts';
import { truncated } from '../problem/quoted.ts';
import type { IncomingRow, RowError } from '../store/store.ts';
import { type ColumnError, type ColumnMatcher, type Columns, REMOVED } from './columns.ts';
import { DamagedTexts } from './damaged-texts.ts';
import type { Format, RawRow } from './format.ts';
import { CountedRows, type NamingRow, namesColumns, severalTables } from './tables.ts';
import type { TextCells } from './text-cells.ts';
import type { ImportWords } from './words.ts';

/** The maximum number of columns of a row. Resources have far fewer fields. */
export const MAX_COLUMNS = 1_000;

/** How many columns with errors are remembered, to report each once. */
const MAX_REPORTED = 1_000;

export interface InvalidRow {
  readonly text?: string;
  /** Empty if the same errors were reported for an earlier row. */
  readonly errors: readonly RowError[];
}

/** What tells a row of values from one that begins another table, and what messages call options. */
export interface RowRules {
  readonly words: ImportWords;
  readonly isColumn: (name: string) => boolean;
  /** Whether somebody has said in which row the names of the columns are, so that other tables are left out. */
  readonly isChosen: boolean;
}

export class RowReader<Cell> {
  readonly #format: Format<Cell>;
  readonly #key: Field;
  readonly #columns: ColumnMatcher;
  readonly #texts: TextCells;
  readonly #keepsText: boolean;
  readonly #rules: RowRules;
  #header: NamingRow | undefined;
  /** Rows that have the names of the columns once more. */
  readonly #repeated = new CountedRows();
  /** Where another table begins, and its rows. */
  #below: CountedRows | undefined;
  /** An unknown column is reported once, not for every row. */
  readonly #reported = new Set<string>();
  readonly #damage = new DamagedTexts();
  #linesOfOthers = 0;
  /** By the name of the field. */
  readonly #numbersAsText = new Map<string, { cells: number; readonly first: string; readonly line: number }>();

  /** `keepsText`: whether rows have their texts. */
  constructor(
    format: Format<Cell>,
    key: Field,
    columns: ColumnMatcher,
    texts: TextCells,
    keepsText: boolean,
    rules: RowRules,
  ) {
    this.#rules = rules;
    this.#format = format;
    this.#key = key;
    this.#columns = columns;
    this.#texts = texts;
    this.#keepsText = keepsText;
  }

  /** What somebody should know about the rows that were read. */
  get notes(): readonly string[] {
    const { unit } = this.#format;
    const numbers = [...this.#numbersAsText].map(
      ([name, { cells, first, line }]) =>
        `${name}: ${cells === 1 ? '1 cell is a number' : `${cells} cells are numbers`}, which Excel writes without leading zeros; the first is ${first} in ${unit} ${line}.`,
    );
    const others = this.#linesOfOthers;
    const lines =
      others === 1
        ? `1 ${unit} with nothing but cells of other records was skipped.`
        : `${others} ${unit}s with nothing but cells of other records were skipped.`;
    const repeated = this.#repeated.text(unit);
    const below = this.#below?.text(unit);
    return [
      ...numbers,
      ...this.#damage.notes(unit),
      ...(others > 0 ? [lines] : []),
      ...(repeated === undefined
        ? []
        : [`${repeated} with the names of the columns once more ${this.#repeated.isOne ? 'was' : 'were'} skipped.`]),
      ...(below === undefined ? [] : [`Another table was left out: ${below}.`]),
    ];
  }

  /** Undefined for a valid header, and for lines that are no rows. */
  read(row: RawRow<Cell>): IncomingRow | InvalidRow | undefined {
    if (this.#below !== undefined) {
      this.#below.add(row.number);
      return undefined;
    }
    if (row.kind === 'error') return this.#invalid(row, [{ column: undefined, reason: row.reason }]);
    if (row.columns.length > MAX_COLUMNS)
      return this.#invalid(row, [{ column: undefined, reason: `has more than ${MAX_COLUMNS} columns` }]);
    const columns = this.#columns.match(row.columns);
    // A column that is missing may have another name, and be unknown.
    if (row.kind === 'header') this.#columns.checkMap();
    if (columns.errors.length + columns.unknown.length > 0) return this.#invalid(row, this.#columnErrors(columns));
    if (row.kind === 'header') {
      this.#header = { number: row.number, names: row.columns };
      return undefined;
    }
    if (this.#header !== undefined && this.#endsTable(row, this.#header)) return undefined;
    return this.#readCells(row, columns);
  }

  /** Whether a row names columns, instead of having values. */
  #endsTable({ number, cells }: Extract<RawRow<Cell>, { kind: 'row' }>, header: NamingRow): boolean {
    const { isColumn, isChosen } = this.#rules;
    const last = cells.findLast((cell) => !this.#format.isEmpty(cell));
    // Most rows are told by one cell.
    if (last === undefined || /^\s*[-+\d]/.test(this.#format.words(last) ?? '0')) return false;
    const names = cells.map((cell) => this.#format.words(cell)?.trim() ?? (this.#format.isEmpty(cell) ? '' : '0'));
    if (!namesColumns(names, isColumn)) return false;
    if (isEqual(names, header.names)) this.#repeated.add(number);
    else if (isChosen) {
      this.#below = new CountedRows();
      this.#below.add(number);
    } else throw severalTables([header, { number, names }], this.#format.unit);
    return true;
  }

  #readCells(row: Extract<RawRow<Cell>, { kind: 'row' }>, matched: Columns): IncomingRow | InvalidRow | undefined {
    const { targets, read } = matched;
    const { cells, columns } = row;
    const { missing } = this.#format;
    if (cells.length > columns.length || (cells.length < columns.length && missing === undefined)) {
      const reason = `the row has ${lengthOf(cells, 'cell')}, but ${lengthOf(columns, 'column')} are named`;
      return this.#invalid(row, [{ column: undefined, reason }]);
    }
    if (this.#isOfOthers(cells, matched)) {
      this.#linesOfOthers += 1;
      return undefined;
    }
    const flag = this.#isRemoved(cells, matched);
    if (typeof flag !== 'boolean') return this.#invalid(row, [flag]);
    const values = new Map<Field, Value | null>();
    const errors: ColumnError[] = [];
    const key = this.#key;
    for (const index of read) {
      const cell = index < cells.length ? cells[index] : missing;
      if (cell === undefined) continue;
      const { field, isUnnamed } = targets[index] ?? {};
      if (isUnnamed && !this.#format.isEmpty(cell)) errors.push(this.#unnamed(index, cell));
      if (field === undefined || field === REMOVED || (flag && field !== key)) continue;
      const value = this.#format.value(field, cell, this.#texts);
      if (this.#format.isNumberAsText?.(field, cell)) this.#noteNumber(field, cell, row.number);
      if (typeof value === 'string' && isText(field)) this.#damage.note(field, value, row.number);
      if (value instanceof Mismatch) errors.push(this.#mismatch(field, value, cell));
      else if (value !== undefined) values.set(field, value);
    }
    const isIdentified = (values.get(key) ?? '') !== '' || errors.some(({ column }) => column === key.name);
    if (!isIdentified && (key !== id || flag))
      errors.push({ column: key.name, reason: 'missing; it identifies the record' });
    if (errors.length > 0) return this.#invalid(row, errors);
    return {
      line: row.number,
      values,
      ...(this.#keepsText && { text: row.text }),
      ...(flag && { isRemoved: true as const }),
    };
  }

  #invalid(row: RawRow<Cell>, errors: readonly ColumnError[]): InvalidRow {
    const found = errors.map((error) => ({ line: row.number, ...error }));
    return { errors: found, ...(this.#keepsText && { text: row.text }) };
  }

  #unnamed(index: number, cell: Cell): ColumnError {
    return {
      column: undefined,
      value: this.#format.text(cell),
      reason: `column ${index + 1} has no name, but a value: ${this.#format.print(cell)}`,
      requirement: `column ${index + 1} has no name, but values`,
    };
  }

  #noteNumber({ name }: Field, cell: Cell, line: number): void {
    const noted = this.#numbersAsText.get(name);
    if (noted === undefined) this.#numbersAsText.set(name, { cells: 1, first: this.#format.text(cell), line });
    else noted.cells += 1;
  }

  #isOfOthers(cells: readonly Cell[], { targets, hasOthers }: Columns): boolean {
    return hasOthers && cells.every((cell, index) => targets[index]?.isOfOthers || this.#format.isEmpty(cell));
  }

  #isRemoved(cells: readonly Cell[], { targets, read }: Columns): boolean | ColumnError {
    for (const index of read) {
      const cell = cells[index];
      if (targets[index]?.field !== REMOVED || cell === undefined) continue;
      const reason = `must be true or false, not ${this.#format.print(cell)}`;
      return this.#format.flag(cell) ?? { column: REMOVED, value: this.#format.text(cell), reason };
    }
    return false;
  }

  #mismatch({ name }: Field, { requirement, meant, lenient }: Mismatch, cell: Cell): ColumnError {
    const help = [
      ...(meant === undefined ? [] : [`Did you mean ${truncated(meant)}?`]),
      ...(lenient === undefined ? [] : [`Add ${this.#rules.words.lenient} to read it ${lenient}`]),
    ].join(' ');
    const given = requirement.startsWith('must be ') ? `, not ${this.#format.print(cell)}` : '';
    return {
      column: name,
      value: this.#format.text(cell),
      reason: `${requirement}${given}`,
      requirement,
      ...(help !== '' && { suggestion: help }),
    };
  }

  /** Once for each column, also if many rows have it. */
  #columnErrors(columns: Columns): readonly ColumnError[] {
    const isHelpful = this.#reported.size < MAX_REPORTED;
    const isNew = (column: string) => {
      if (this.#reported.has(column)) return false;
      if (this.#reported.size < MAX_REPORTED) this.#reported.add(column);
      return true;
    };
    const errors = columns.errors.filter(({ column = '' }) => isNew(column));
    const unknown = columns.unknown.filter(isNew);
    return unknown.length === 0 ? errors : [...errors, this.#columns.unknownColumns(unknown, columns, isHelpful)];
  }
}

/** Empty cells at the end may be missing. */
function isEqual(names: readonly string[], header: readonly string[]): boolean {
  const [long, short] = names.length > header.length ? [names, header] : [header, names];
  return long.every((name, index) => name === (short[index] ?? ''));
}

export function isInvalid(row: IncomingRow | InvalidRow): row is InvalidRow {
  return 'errors' in row;
}

function lengthOf({ length }: readonly unknown[], what: string): string {
  return `${length} ${what}${length === 1 ? '' : 's'}`;
}
