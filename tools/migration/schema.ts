/** The tables that the catalog declares, the tables that a database has, and what is missing between the two. */

import type { DatabaseSync } from 'node:sqlite';
import type { Resource } from '../../src/catalog/resource.ts';
import { columnsOf, searchedTexts } from '../../src/store/sql/columns.ts';
import type { TableDifference } from '../../src/store/sql/table-difference.ts';
import { UnsupportedChange } from '../../src/store/sql/table-statements.ts';
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts';

export interface Table {
  readonly name: string;
  /** Without `account_id` and `revision`, which every table has. */
  readonly columns: readonly ColumnShape[];
  /** The columns with an index on their values. */
  readonly indexed: readonly string[];
  /** The columns of the search index. */
  readonly searched: readonly string[];
}

export interface ColumnShape {
  readonly name: string;
  /** As SQLite has it. */
  readonly type: string;
  readonly nullable: boolean;
}

export function declaredTable(resource: Resource): Table {
  return {
    name: resource.name,
    columns: columnsOf(resource).map(({ name, storage, field }) => ({
      name,
      type: sqliteDialect.columnTypes[storage],
      nullable: field.nullable,
    })),
    // Changes are read in the order of revisions.
    indexed: ['revision', ...resource.fields.filter(({ indexed }) => indexed).map(({ column }) => column)],
    searched: searchedTexts(resource).map(({ name }) => name),
  };
}

/** Undefined if the database has no such table. */
export function existingTable(database: DatabaseSync, name: string): Table | undefined {
  const strings = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map((row) => String(Object.values(row)[0]));
  const columns = database
    .prepare(`SELECT name, type, "notnull" = 0 AS nullable FROM pragma_table_info('${name}')`)
    .all()
    .map((row) => ({ name: String(row['name']), type: String(row['type']), nullable: row['nullable'] === 1 }))
    .filter((column) => column.name !== 'account_id' && column.name !== 'revision');
  if (columns.length === 0) return undefined;
  return {
    name,
    columns,
    indexed: strings(`SELECT info.name FROM pragma_index_list('${name}') AS list, pragma_index_info(list.name) AS info
      WHERE list.origin = 'c' AND info.seqno = 1`),
    searched: strings(`SELECT name FROM pragma_table_info('${name}_search')`),
  };
}

/** Undefined if nothing is missing. Throws if the table has to be changed in a way that cannot be derived. */
export function differenceOf(resource: Resource, existing: Table | undefined): TableDifference | undefined {
  const declared = declaredTable(resource);
  if (existing !== undefined) requireAdditions(declared, existing);
  const namesOf = (table: Table | undefined) => table?.columns.map(({ name }) => name) ?? [];
  const difference: TableDifference = {
    resource,
    isNew: existing === undefined,
    columns: missingIn(namesOf(existing), namesOf(declared)),
    indexed: missingIn(existing?.indexed ?? [], declared.indexed),
    searched: missingIn(existing?.searched ?? [], declared.searched),
  };
  const { columns, indexed, searched } = difference;
  return columns.length + indexed.length + searched.length === 0 ? undefined : difference;
}

function requireAdditions(declared: Table, existing: Table): void {
  const byHand = (what: string) =>
    new UnsupportedChange(`In ${declared.name}, ${what}. Write this migration by hand, in src/store/migrations/.`);
  for (const { name, type, nullable } of existing.columns) {
    const column = declared.columns.find((each) => each.name === name);
    if (column === undefined) throw byHand(`the column ${name} is removed`);
    if (column.type !== type || column.nullable !== nullable)
      throw byHand(`${name} changes its type or whether it is nullable`);
  }
  const [index] = [
    ...missingIn(declared.indexed, existing.indexed),
    ...missingIn(declared.searched, existing.searched),
  ];
  if (index !== undefined) throw byHand(`the index on ${index} is removed`);
}

function missingIn(present: readonly string[], wanted: readonly string[]): readonly string[] {
  return wanted.filter((name) => !present.includes(name));
}
