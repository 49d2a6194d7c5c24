/** The rows of a file as the store loads them: columns resolved against the catalog, cells read as values. */

import { findField } from '../catalog/catalog.ts';
import { type Field, fieldNames, id, type Resource } from '../catalog/resource.ts';
import { Mismatch, type Value } from '../catalog/value.ts';
import { nearest } from '../problem/nearest.ts';
import { quoted, truncated } from '../problem/quoted.ts';
import type { IncomingRow, RowError } from '../store/store.ts';
import { type Format, type RawRow, UnreadableFile } from './format.ts';
import type { ImportWords } from './words.ts';

/** The field that a column of the file sets; undefined if the column is ignored. */
export type ColumnMap = ReadonlyMap<string, Field | undefined>;

export interface RowRules {
  readonly resource: Resource;
  readonly key: Field;
  readonly columns: ColumnMap;
  readonly words: ImportWords;
}

/** The maximum number of columns of a row. Resources have far fewer fields. */
export const MAX_COLUMNS = 1_000;

/** How many names of columns are remembered, for suggestions and to report each once. */
const MAX_SEEN = 1_000;

/** A column that no resource has: `true` means that the record is removed, as in the change feed. */
const REMOVED = 'removed';

export interface InvalidRow {
  readonly text: string;
  /** Empty if the same errors were reported for an earlier row. */
  readonly errors: readonly RowError[];
}

interface Columns {
  readonly names: readonly string[];
  readonly fields: readonly (Field | typeof REMOVED | undefined)[];
  readonly errors: readonly ColumnError[];
}

type ColumnError = Omit<RowError, 'line'>;

export class RowReader<Cell> {
  readonly #format: Format<Cell>;
  readonly #rules: RowRules;
  readonly #seen = new Set<string>();
  /** Formats return the same array of columns for many rows, so columns are resolved once. */
  #columns: Columns | undefined;
  /** An unknown column is reported once, not for every row. */
  readonly #reported = new Set<string>();

  constructor(format: Format<Cell>, rules: RowRules) {
    this.#format = format;
    this.#rules = rules;
  }

  /** Undefined for a valid header. */
  read(row: RawRow<Cell>): IncomingRow | InvalidRow | undefined {
    if (row.kind === 'error') return invalid(row, [{ column: undefined, reason: row.reason }]);
    if (row.columns.length > MAX_COLUMNS)
      return invalid(row, [{ column: undefined, reason: `has more than ${MAX_COLUMNS} columns` }]);
    const columns = this.#columnsOf(row.columns);
    if (columns.errors.length > 0) return invalid(row, this.#unreported(columns.errors));
    if (row.kind === 'header') {
      this.checkMap();
      return undefined;
    }
    return this.#readCells(row, columns.fields);
  }

  /** Every column that the map names must exist. */
  checkMap(): void {
    for (const name of this.#rules.columns.keys()) {
      if (this.#seen.has(name)) continue;
      const meant = nearest(name, [...this.#seen]);
      throw new UnreadableFile(
        `${this.#rules.words.map} names the column ${quoted(name)}, which does not exist.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
      );
    }
  }

  #readCells(row: Extract<RawRow<Cell>, { kind: 'row' }>, fields: Columns['fields']): IncomingRow | InvalidRow {
    const { cells, columns } = row;
    if (cells.length !== columns.length) {
      const reason = `the row has ${lengthOf(cells, 'cell')}, but the first line names ${lengthOf(columns, 'column')}`;
      return invalid(row, [{ column: undefined, reason }]);
    }
    const flag = this.#isRemoved(cells, fields);
    if (typeof flag !== 'boolean') return invalid(row, [flag]);
    const values = new Map<Field, Value | null>();
    const errors: ColumnError[] = [];
    const { key } = this.#rules;
    for (const [index, cell] of cells.entries()) {
      const field = fields[index];
      if (field === undefined || field === REMOVED || (flag && field !== key)) continue;
      const value = this.#format.value(field, cell);
      if (value instanceof Mismatch) errors.push(this.#mismatch(field, value, cell));
      else if (value !== undefined) values.set(field, value);
    }
    const isIdentified = (values.get(key) ?? null) !== null || errors.some(({ column }) => column === key.name);
    if (!isIdentified && (key !== id || flag))
      errors.push({ column: key.name, reason: 'missing; it identifies the record' });
    if (errors.length > 0) return invalid(row, errors);
    return { line: row.number, values, text: row.text, ...(flag && { isRemoved: true as const }) };
  }

  #isRemoved(cells: readonly Cell[], fields: Columns['fields']): boolean | ColumnError {
    for (const [index, cell] of cells.entries()) {
      if (fields[index] !== REMOVED) continue;
      const reason = `must be true or false, not ${this.#format.print(cell)}`;
      return this.#format.flag(cell) ?? { column: REMOVED, value: this.#format.text(cell), reason };
    }
    return false;
  }

  #mismatch({ name }: Field, { requirement, meant }: Mismatch, cell: Cell): ColumnError {
    const given = requirement.startsWith('must be ') ? `, not ${this.#format.print(cell)}` : '';
    return {
      column: name,
      value: this.#format.text(cell),
      reason: `${requirement}${given}`,
      ...(meant !== undefined && { suggestion: `Did you mean ${meant}?` }),
    };
  }

  #columnsOf(names: readonly string[]): Columns {
    if (this.#columns?.names === names) return this.#columns;
    const { resource, key, columns, words } = this.#rules;
    const errors: ColumnError[] = [];
    const fields = names.map((name) => {
      if (columns.has(name) || this.#seen.size < MAX_SEEN) this.#seen.add(name);
      if (columns.has(name)) return columns.get(name);
      const field = findField(resource, name);
      if (field === undefined && name === REMOVED) return REMOVED;
      if (field === undefined) errors.push(unknownColumn(resource, name, words));
      return field;
    });
    fields.forEach((field, index) => {
      if (field === undefined) return;
      const column = truncated(names[index] ?? '');
      if (fields.indexOf(field) < index) errors.push({ column, reason: 'duplicate column' });
      else if (field === id && key !== id)
        errors.push({
          column,
          reason: `records are identified by ${key.name}`,
          suggestion: `Ignore this column with ${words.mapped(column, '')}`,
        });
    });
    this.#columns = { names, fields, errors };
    return this.#columns;
  }

  #unreported(errors: readonly ColumnError[]): readonly ColumnError[] {
    return errors.filter(({ column = '' }) => {
      if (this.#reported.has(column)) return false;
      if (this.#reported.size < MAX_SEEN) this.#reported.add(column);
      return true;
    });
  }
}

export function isInvalid(row: IncomingRow | InvalidRow): row is InvalidRow {
  return 'errors' in row;
}

function invalid<Cell>({ number, text }: RawRow<Cell>, errors: readonly ColumnError[]): InvalidRow {
  return { text, errors: errors.map((error) => ({ line: number, ...error })) };
}

function unknownColumn(resource: Resource, name: string, words: ImportWords): ColumnError {
  const names = fieldNames(resource);
  const meant = nearest(name, names);
  const help = meant === undefined ? `Its fields are ${names.join(', ')}` : `Did you mean ${meant}?`;
  const column = truncated(name);
  return {
    column,
    reason: `${resource.name} has no such field`,
    suggestion: `${help} (rename it with ${words.mapped(column, 'FIELD')}, or ignore it with ${words.mapped(column, '')})`,
  };
}

function lengthOf({ length }: readonly unknown[], what: string): string {
  return `${length} ${what}${length === 1 ? '' : 's'}`;
}
