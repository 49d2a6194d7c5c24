/** The rows of a file as a store can load them: columns looked up in the catalog, cells read as values. */

import { findField } from '../catalog/catalog.ts';
import type { Field, Resource, Value } from '../catalog/resource.ts';
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
  #columns: { readonly names: readonly string[]; readonly fields: readonly Field[] } | undefined;
  readonly faults: RowFault[] = [];

  constructor(resource: Resource, format: Format<Cell>) {
    this.#resource = resource;
    this.#format = format;
  }

  read(rows: Iterable<RawRow<Cell>>): readonly IncomingRow[] {
    const incoming: IncomingRow[] = [];
    for (const row of rows) {
      const values = this.#values(row);
      if (values !== undefined) incoming.push({ line: row.line, values });
    }
    return incoming;
  }

  /** Nothing where a cell is at fault. */
  #values({ line, columns, columnsLine, cells }: RawRow<Cell>): ReadonlyMap<Field, Value | null> | undefined {
    const faultsBefore = this.faults.length;
    const fields = this.#fieldsOf(columns, columnsLine);
    if (cells.length !== columns.length) {
      this.faults.push({
        line,
        column: undefined,
        reason: `the row has ${cells.length} cells, the first line names ${columns.length} columns`,
      });
      return undefined;
    }
    const values = new Map<Field, Value | null>();
    cells.forEach((cell, index) => {
      const field = fields[index];
      if (field === undefined) return;
      const value = this.#format.value(field, cell);
      if (value instanceof Mismatch) {
        this.faults.push({
          line,
          column: field.name,
          reason: `${mention(this.#format.print(cell))} is not ${value.expected}`,
        });
      } else if (value !== undefined) {
        values.set(field, value);
      }
    });
    return this.faults.length === faultsBefore ? values : undefined;
  }

  #fieldsOf(names: readonly string[], line: number): readonly Field[] {
    if (this.#columns?.names === names) return this.#columns.fields;
    const fields = names.map((name) => findField(this.#resource, name) ?? unknownColumn(this.#resource, name, line));
    const repeated = names.find((name, index) => names.indexOf(name) < index);
    if (repeated !== undefined) throw new UnreadableFile(`Line ${line}: the column ${repeated} is there twice.`);
    this.#columns = { names, fields };
    return fields;
  }
}

function unknownColumn(resource: Resource, name: string, line: number): never {
  const names = resource.fields.map((field) => field.name);
  const meant = nearest(name, names);
  const help = meant === undefined ? `The fields are ${names.join(', ')}.` : `Did you mean ${meant}?`;
  throw new UnreadableFile(`Line ${line}: ${resource.name} has no field ${mention(name)}. ${help}`);
}

/** A byte order mark at the beginning is dropped. */
async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Uint8Array): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new UnreadableFile('The file is not UTF-8. Save it as UTF-8 and try again.');
    }
  };
  for await (const chunk of bytes) yield decode(chunk);
  yield decode();
}
