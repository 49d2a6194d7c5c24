/**
 * The steps by which a database comes to its present form, in order, each applied once.
 * A step that was released never changes: what comes later is a new step.
 */

import { catalog } from '../../catalog/catalog.ts';
import { foldedColumn } from './columns.ts';
import type { Dialect } from './dialect.ts';
import { recordTables, serviceTables } from './schema.ts';

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly statements: (dialect: Dialect) => readonly string[];
}

export const migrations: readonly Migration[] = [
  {
    number: 1,
    name: 'accounts, keys, the ledger and the first records',
    statements: (dialect) => [...serviceTables(dialect), ...recordTables(catalog, 1, dialect)],
  },
  {
    number: 2,
    name: 'indexes for searching in text',
    statements: (dialect) => dialect.searchIndexes(searchedColumns()),
  },
];

function searchedColumns() {
  return catalog.flatMap(({ name, fields }) =>
    fields.filter(({ searched }) => searched).map((field) => ({ table: name, column: foldedColumn(field) })),
  );
}

export const SCHEMA_VERSION = Math.max(...migrations.map((migration) => migration.number));

/** Where the steps that were applied are noted. */
export function migrationTable(dialect: Dialect): string {
  const { integer, text, timestamp } = dialect.columnTypes;
  return `CREATE TABLE IF NOT EXISTS migration (number ${integer} PRIMARY KEY, name ${text} NOT NULL, applied_at ${timestamp} NOT NULL)${dialect.tableOptions}`;
}
