/** The rows of a file as a store can load them: columns looked up in the catalog, cells read as values. */

import { findField } from '../catalog/catalog.ts';
import { type Field, fieldNames, id, type Resource, type Value } from '../catalog/resource.ts';
import { Mismatch } from '../catalog/value.ts';
import { mention } from '../problem/mention.ts';
import { nearest } from '../problem/nearest.ts';
import type { IncomingRow, RowFault } from '../store/store.ts';
import { type Format, type RawRow, UnreadableFile } from './format.ts';

/** Which field a column of the file stands for; none where the column is passed over. */
export type ColumnMap = ReadonlyMap<string, Field | undefined>;

export interface RowRules {
  readonly resource: Resource;
  readonly key: Field;
  readonly columns: ColumnMap;
}

export interface FaultyRow {
  readonly text: string;
  /** Without any where the same was told of a row before. */
  readonly faults: readonly RowFault[];
}

interface Columns {
  readonly names: readonly string[];
  readonly fields: readonly (Field | undefined)[];
  readonly faults: readonly Fault[];
}

type Fault = Omit<RowFault, 'line'>;

export class RowReader<Cell> {
  readonly #format: Format<Cell>;
  readonly #rules: RowRules;
  readonly #seen = new Set<string>();
  /** A format gives many rows the same array of columns, so they are looked up once. */
  #columns: Columns | undefined;
  /** Each wrong column is told once, not for every row. */
  readonly #told = new Set<string>();

  constructor(format: Format<Cell>, rules: RowRules) {
    this.#format = format;
    this.#rules = rules;
  }

  /** A row that can be loaded, or one that cannot, or nothing for a header that is as it should be. */
  read(row: RawRow<Cell>): IncomingRow | FaultyRow | undefined {
    if (row.kind === 'fault') return faulty(row, [{ column: undefined, reason: row.reason }]);
    const columns = this.#columnsOf(row.columns);
    if (columns.faults.length > 0) return faulty(row, this.#untold(columns.faults));
    if (row.kind === 'header') {
      this.checkMap();
      return undefined;
    }
    return this.#readCells(row, columns.fields);
  }

  /** Every column that the map names has to be there. */
  checkMap(): void {
    for (const name of this.#rules.columns.keys()) {
      if (this.#seen.has(name)) continue;
      const meant = nearest(name, [...this.#seen]);
      throw new UnreadableFile(
        `--map names the column ${mention(name)}, which the file does not have.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
      );
    }
  }

  #readCells(
    row: Extract<RawRow<Cell>, { kind: 'row' }>,
    fields: readonly (Field | undefined)[],
  ): IncomingRow | FaultyRow {
    const { cells, columns } = row;
    if (cells.length !== columns.length) {
      const reason = `the row has ${howMany(cells, 'cell')}, the first line names ${howMany(columns, 'column')}`;
      return faulty(row, [{ column: undefined, reason }]);
    }
    const values = new Map<Field, Value | null>();
    const faults: Fault[] = [];
    for (const [index, cell] of cells.entries()) {
      const field = fields[index];
      if (field === undefined) continue;
      const value = this.#format.value(field, cell);
      if (value instanceof Mismatch)
        faults.push({ column: field.name, reason: reasonOf(value, this.#format.print(cell)) });
      else if (value !== undefined) values.set(field, value);
    }
    const { key } = this.#rules;
    if (key !== id && (values.get(key) ?? null) === null && faults.every(({ column }) => column !== key.name))
      faults.push({ column: key.name, reason: 'missing; rows are found by it' });
    return faults.length > 0 ? faulty(row, faults) : { line: row.number, values, text: row.text };
  }

  #columnsOf(names: readonly string[]): Columns {
    if (this.#columns?.names === names) return this.#columns;
    const { resource, key, columns } = this.#rules;
    const faults: Fault[] = [];
    const fields = names.map((name) => {
      this.#seen.add(name);
      if (columns.has(name)) return columns.get(name);
      const field = findField(resource, name);
      if (field === undefined) faults.push({ column: name, reason: unknownColumn(resource, name) });
      return field;
    });
    fields.forEach((field, index) => {
      if (field === undefined) return;
      const column = names[index];
      if (fields.indexOf(field) < index) faults.push({ column, reason: 'the column is there twice' });
      else if (field === id && key !== id)
        faults.push({ column, reason: `rows are found by ${key.name}; pass it over with --map "${column}="` });
    });
    this.#columns = { names, fields, faults };
    return this.#columns;
  }

  #untold(faults: readonly Fault[]): readonly Fault[] {
    return faults.filter(({ column = '' }) => !this.#told.has(column) && this.#told.add(column));
  }
}

export function isFaulty(row: IncomingRow | FaultyRow): row is FaultyRow {
  return 'faults' in row;
}

function faulty<Cell>({ number, text }: RawRow<Cell>, faults: readonly Fault[]): FaultyRow {
  return { text, faults: faults.map((fault) => ({ line: number, ...fault })) };
}

function reasonOf({ expected, meant }: Mismatch, cell: string): string {
  return `${mention(cell)} is not ${expected}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

function unknownColumn(resource: Resource, name: string): string {
  const names = fieldNames(resource);
  const meant = nearest(name, names);
  return `${resource.name} has no such field; ${meant === undefined ? `its fields are ${names.join(', ')}` : `did you mean ${meant}?`} (--map "${name}=FIELD" takes it for one, --map "${name}=" for none)`;
}

function howMany({ length }: readonly unknown[], what: string): string {
  return `${length} ${what}${length === 1 ? '' : 's'}`;
}
