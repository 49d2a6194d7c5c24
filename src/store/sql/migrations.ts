/**
 * The steps by which a database comes to its present form, in order, each applied once.
 * A step that was released never changes: what comes later is a new step.
 */

import { catalog } from '../../catalog/catalog.ts';
import type { Field, Resource } from '../../catalog/resource.ts';
import { foldedColumn } from './columns.ts';
import type { CoveringIndex, Dialect, SearchedTable, ValueIndex } from './dialect.ts';
import { recordTables, refersToAccount, serviceTables } from './schema.ts';

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly statements: (dialect: Dialect) => readonly string[];
  /** What is done once the step is applied, where it would hold others up inside of it. */
  readonly afterwards?: (dialect: Dialect) => readonly string[];
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
    statements: (dialect) => dialect.searchIndexes(searchedColumns(catalog)),
  },
  {
    number: 3,
    name: 'a revision of what concerns access, and indexes for exact values',
    statements: (dialect) => [
      `ALTER TABLE account ADD COLUMN access ${dialect.columnTypes.integer} NOT NULL DEFAULT 0`,
      ...valueIndexes(catalog).map(valueIndex),
      ...dialect.indexStatistics(valueIndexes(catalog)),
    ],
  },
  {
    number: 4,
    name: 'new records join the indexes for searching many at a time',
    statements: (dialect) => dialect.joinTogether(searchedColumns(catalog)),
  },
  {
    number: 5,
    name: 'indexes on numbers tell what else wide filters ask about',
    statements: (dialect) => dialect.coverRanges(coveringIndexes(catalog, 5)),
    afterwards: (dialect) => dialect.dropCovered(coveringIndexes(catalog, 5)),
  },
  {
    number: 6,
    name: 'records need no reference to their account beside the ledger',
    statements: (dialect) => dialect.replaceReferences(),
    afterwards: (dialect) => dialect.dropReferences(catalog.filter(refersToAccount).map(({ name }) => name)),
  },
];

/** The folded columns that are searched, of each table. */
function searchedColumns(resources: readonly Resource[]): readonly SearchedTable[] {
  return resources.map(({ name, fields }) => ({
    table: name,
    columns: fields.filter(({ searched }) => searched).map(foldedColumn),
  }));
}

function valueIndexes(resources: readonly Resource[]): readonly ValueIndex[] {
  return resources.flatMap((resource) => resource.fields.filter(({ indexed }) => indexed).map(indexOn(resource)));
}

/** On the fields that there were with a migration. */
function coveringIndexes(resources: readonly Resource[], migration: number): readonly CoveringIndex[] {
  return resources.flatMap((resource) => {
    const carried = resource.fields.filter(
      ({ type, since = resource.since }) => since <= migration && (type === 'number' || type === 'boolean'),
    );
    return carried
      .filter(({ type, indexed }) => type === 'number' && indexed)
      .map((field) => ({
        ...indexOn(resource)(field),
        others: carried.filter((other) => other !== field).map(({ name }) => name),
      }));
  });
}

function indexOn({ name: table }: Resource): (field: Field) => ValueIndex {
  return ({ name: column }) => ({ name: `${table}_${column}`, table, column });
}

/** It ends with the id, so that what is found comes in the order of ids. */
function valueIndex({ name, table, column }: ValueIndex): string {
  return `CREATE INDEX ${name} ON ${table} (account_id, ${column}, id)`;
}

export const SCHEMA_VERSION = Math.max(...migrations.map((migration) => migration.number));

/** A database that an older program made was brought up to date, after which that program cannot use it any more. */
export interface Upgrade {
  readonly from: number;
  readonly to: number;
}

export interface UpgradeOptions {
  readonly onUpgrade?: (upgrade: Upgrade) => void;
}

/** Tells of it where the database was neither new nor up to date. */
export function tellUpgrade(version: number, { onUpgrade }: UpgradeOptions): void {
  if (version > 0 && version < SCHEMA_VERSION) onUpgrade?.({ from: version, to: SCHEMA_VERSION });
}

/** Where the steps that were applied are noted. */
export function migrationTable(dialect: Dialect): string {
  const { integer, text, timestamp } = dialect.columnTypes;
  return `CREATE TABLE IF NOT EXISTS migration (number ${integer} PRIMARY KEY, name ${text} NOT NULL, applied_at ${timestamp} NOT NULL)${dialect.tableOptions}`;
}
