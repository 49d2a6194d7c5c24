/** The SQL that adds to the tables of resources, and removes from them. Migrations have it frozen; fields that operators add are added with it. */

import type { Field } from '../../catalog/resource.ts';
import { type Column, columnsOf } from './columns.ts';
import type { Dialect } from './dialect.ts';
import type { TableDifference } from './table-difference.ts';

/** A change that has to be made in another way than by adding to the tables. */
export class UnsupportedChange extends Error {
  override readonly name = 'UnsupportedChange';
}

export function tableStatements({ resource, isNew, columns }: TableDifference, dialect: Dialect): readonly string[] {
  const added = columnsOf(resource).filter(({ name }) => columns.includes(name));
  if (!isNew)
    return added.map((column) => `ALTER TABLE ${resource.name} ADD COLUMN ${definition(column, dialect, true)}`);
  const { integer } = dialect.columnTypes;
  const definitions = [
    `account_id ${integer} NOT NULL`,
    ...added.map((column) => definition(column, dialect, false)),
    `revision ${integer} NOT NULL`,
    'PRIMARY KEY (account_id, id)',
  ];
  const { tableOptions } = dialect;
  return [
    `CREATE TABLE ${resource.name} (\n      ${definitions.join(',\n      ')}\n    )${tableOptions}`,
    `INSERT INTO ledger (account_id, resource, revision, rows, last_id, generation, began)
      SELECT id, '${resource.name}', 0, 0, 0, (SELECT id FROM generation ORDER BY number DESC LIMIT 1), 0 FROM account`,
  ];
}

/** Existing records need a value as well: null, or the default. */
function definition({ name, storage, field, stored }: Column, dialect: Dialect, needsDefault: boolean): string {
  const type = `${name} ${dialect.columnTypes[storage]}`;
  if (field.nullable) return type;
  return needsDefault
    ? `${type} NOT NULL DEFAULT ${literal(dialect.encode(stored(defaultOf(field))))}`
    : `${type} NOT NULL`;
}

function defaultOf({ name, initial }: Field) {
  if (initial.kind === 'value' && initial.value !== null) return initial.value;
  throw new UnsupportedChange(
    `Existing records have no value for ${name}: declare it with nullable() or withDefault().`,
  );
}

function literal(value: string | number | null): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

export function valueIndexes({ resource: { name }, indexed }: TableDifference): readonly string[] {
  return indexed.map(
    (column) => `CREATE INDEX IF NOT EXISTS ${valueIndex(name, column)} ON ${name} (account_id, ${column}, id)`,
  );
}

export function valueIndex(table: string, column: string): string {
  return `${table}_${column}`;
}
