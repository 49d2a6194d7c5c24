/** The rows of a file as a store can load them: columns looked up in the catalog, cells read as values. */

import { findField } from '../catalog/catalog.ts';
import { type Field, fieldNames, type Resource, type Value } from '../catalog/resource.ts';
import { Mismatch } from '../catalog/value.ts';
import { mention } from '../problem/mention.ts';
import { nearest } from '../problem/nearest.ts';
import type { IncomingRow, RowFault } from '../store/store.ts';
import { type Format, type RawRow, UnreadableFile } from './format.ts';

/** Rows that cannot be imported. Where there is one, nothing is changed. */
export class RefusedRows extends Error {
  override readonly name = 'RefusedRows';
  readonly faults: readonly RowFault[];

  constructor(faults: readonly RowFault[]) {
    super('some rows cannot be imported');
    this.faults = faults;
  }
}

/** A batch for every piece of the file. Ends by throwing the faults of all rows, where there are any. */
export async function* incomingRows<Cell>(
  resource: Resource,
  format: Format<Cell>,
  bytes: AsyncIterable<Uint8Array>,
): AsyncIterable<readonly IncomingRow[]> {
  const reader = new RowReader(resource, format);
  const parser = format.parser();
  for await (const text of decoded(bytes)) yield reader.read(parser.feed(text));
  yield reader.read(parser.end());
  if (reader.faults.length > 0) throw new RefusedRows(reader.faults);
}

class RowReader<Cell> {
  readonly #resource: Resource;
  readonly #format: Format<Cell>;
  /** A format gives many rows the same array of columns, so they are looked up once. */
  #columns: { readonly names: readonly string[]; readonly fields: readonly (Field | undefined)[] } | undefined;
  /** Each wrong column is told once, not for every row. */
  readonly #toldColumns = new Set<string>();
  readonly faults: RowFault[] = [];

  constructor(resource: Resource, format: Format<Cell>) {
    this.#resource = resource;
    this.#format = format;
  }

  read(rows: Iterable<RawRow<Cell>>): readonly IncomingRow[] {
    const incoming: IncomingRow[] = [];
    for (const row of rows) {
      const fields = this.#fieldsOf(row);
      if (row.cells === undefined) continue;
      const values = this.#valuesOf(row, row.cells, fields);
      if (values !== undefined) incoming.push({ line: row.number, values });
    }
    return incoming;
  }

  /** Nothing where a cell is at fault. */
  #valuesOf(
    { number, columns }: RawRow<Cell>,
    cells: readonly Cell[],
    fields: readonly (Field | undefined)[],
  ): ReadonlyMap<Field, Value | null> | undefined {
    if (cells.length !== columns.length) {
      const reason = `the row has ${cells.length} cells, the first line names ${columns.length} columns`;
      this.faults.push({ line: number, column: undefined, reason });
      return undefined;
    }
    const values = new Map<Field, Value | null>();
    let isSound = true;
    cells.forEach((cell, index) => {
      const field = fields[index];
      if (field === undefined) return;
      const value = this.#format.value(field, cell);
      if (value instanceof Mismatch) {
        const meant = value.meant === undefined ? '' : `; did you mean ${value.meant}?`;
        const reason = `${mention(this.#format.print(cell))} is not ${value.expected}${meant}`;
        this.faults.push({ line: number, column: field.name, reason });
        isSound = false;
      } else if (value !== undefined) {
        values.set(field, value);
      }
    });
    return isSound ? values : undefined;
  }

  #fieldsOf({ number, columns: names }: RawRow<Cell>): readonly (Field | undefined)[] {
    if (this.#columns?.names === names) return this.#columns.fields;
    const fields = names.map((name) => findField(this.#resource, name));
    names.forEach((name, index) => {
      if (fields[index] === undefined) this.#tell(number, name, unknownColumn(this.#resource, name));
      else if (names.indexOf(name) < index) this.#tell(number, name, 'the column is there twice');
    });
    this.#columns = { names, fields };
    return fields;
  }

  #tell(line: number, column: string, reason: string): void {
    if (this.#toldColumns.has(column)) return;
    this.#toldColumns.add(column);
    this.faults.push({ line, column, reason });
  }
}

function unknownColumn(resource: Resource, name: string): string {
  const names = fieldNames(resource);
  const meant = nearest(name, names);
  return `${resource.name} has no such field; ${meant === undefined ? `its fields are ${names.join(', ')}` : `did you mean ${meant}?`}`;
}

/** A byte order mark at the beginning is dropped. */
async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let lines = 1;
  const decode = (chunk?: Uint8Array): string => {
    try {
      const text = decoder.decode(chunk, { stream: chunk !== undefined });
      lines += text.split('\n').length - 1;
      return text;
    } catch {
      throw new UnreadableFile(`The file is not UTF-8, after line ${lines}. Save it as UTF-8 and try again.`);
    }
  };
  for await (const chunk of bytes) yield decode(chunk);
  yield decode();
}
