/** Whether the file has the tables, indexes and triggers that the migrations create, and no triggers and views of others. */

import { DatabaseSync } from 'node:sqlite';
import type { Catalog } from '../../catalog/catalog.ts';
import type { DatabaseCheck } from '../check/check.ts';
import { schemaCheck } from '../check/engine-checks.ts';
import { findings } from '../check/findings.ts';
import type { Engine } from '../engine/engine.ts';
import { ownAdditions } from '../fields/own-additions.ts';
import { MIGRATION_TABLE, migrations, SCHEMA_VERSION } from '../migrations/migrations.ts';
import { type Row, textOf } from '../sql/row.ts';
import type { Statement } from '../sql/statement.ts';
import { sqliteDialect } from './dialect.ts';

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/** An object that is missing, different, or not ours. */
export interface SchemaDifference {
  readonly type: string;
  readonly name: string;
  /** Creates it as it should be; undefined if it should not exist. */
  readonly sql: string | undefined;
  readonly detail: string;
}

/** Indexes of primary keys have no SQL, and are checked with their tables. */
export const SCHEMA_OBJECTS: Statement = {
  text: 'SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL',
  parameters: [],
};

/** Tables that SQLite creates when it needs them. */
const INTERNAL_TABLES = ['sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4'];

export const schema: DatabaseCheck = {
  ...schemaCheck,
  scope: 'database',
  async find(engine, catalog) {
    const wrong = (await differences(engine, catalog)).map((difference) => ({
      detail: difference.detail,
      ...(isTableOfOurs(difference) && { isFatal: true as const }),
    }));
    return findings([...wrong.filter(({ isFatal }) => isFatal), ...wrong.filter(({ isFatal }) => !isFatal)]);
  },
  async repair(engine, _, catalog) {
    const all = await differences(engine, catalog);
    // Without their tables, indexes and triggers cannot be created.
    const repairable = all.some(isTableOfOurs) ? all.filter(({ sql }) => sql === undefined) : all;
    const statements = repairable.flatMap(repairOf);
    await engine.writeLarge(statements.map((text) => ({ text, parameters: [] })));
  },
};

function isTableOfOurs({ type, sql }: SchemaDifference): boolean {
  return type === 'table' && sql !== undefined;
}

/** Tables hold data, and an index of somebody else may be there for a reason. */
function repairOf({ type, name, sql }: SchemaDifference): readonly string[] {
  const kind = type.toLowerCase();
  if (kind === 'table' || (kind === 'index' && sql === undefined)) return [];
  return [`DROP ${kind} IF EXISTS "${name.replaceAll('"', '""')}"`, ...(sql === undefined ? [] : [sql])];
}

async function differences(engine: Engine, catalog: Catalog): Promise<readonly SchemaDifference[]> {
  return schemaDifferences(await engine.reserved(SCHEMA_OBJECTS), SCHEMA_VERSION, catalog);
}

/** How the rows of `SCHEMA_OBJECTS` differ from the schema of a version, with the fields of a catalog. */
export function schemaDifferences(
  rows: readonly Row[],
  version: number,
  catalog: Catalog,
): readonly SchemaDifference[] {
  const actual = new Map(rows.map(objectOf).map((object) => [keyOf(object), object]));
  const expected = new Map(expectedObjects(version, catalog).map((object) => [keyOf(object), object]));
  const wrong = [...expected].flatMap(([key, object]) => {
    const found = actual.get(key);
    if (found !== undefined && normalized(found.sql) === normalized(object.sql)) return [];
    return [{ ...object, detail: `${key} ${found === undefined ? 'is missing' : 'is not what it should be'}` }];
  });
  const foreign = [...actual].flatMap(([key, { type, name }]) => {
    if (expected.has(key) || (type === 'table' && INTERNAL_TABLES.includes(name))) return [];
    return [{ type, name, sql: undefined, detail: `${key} is not part of the schema` }];
  });
  return [...wrong, ...foreign];
}

function keyOf({ type, name }: SchemaObject): string {
  return `${type} ${name}`;
}

function objectOf(row: Row): SchemaObject {
  return { type: textOf(row, 'type'), name: textOf(row, 'name'), sql: textOf(row, 'sql') };
}

/** Those of a database in memory that has been through all migrations up to a version, and got the fields of operators. */
function expectedObjects(version: number, catalog: Catalog): readonly SchemaObject[] {
  const database = new DatabaseSync(':memory:');
  try {
    database.exec(MIGRATION_TABLE.sqlite);
    for (const step of migrations.slice(0, version).flatMap(({ sqlite }) => sqlite)) database.exec(step);
    const { required, indexes } = ownAdditions(catalog, sqliteDialect);
    for (const step of [...required, ...indexes]) database.exec(step);
    return database.prepare(SCHEMA_OBJECTS.text).all().map(objectOf);
  } finally {
    database.close();
  }
}

/**
 * Earlier versions may have laid it out differently, and columns that a migration adds follow those that operators have added before it. To SQLite, no
 * other characters are spaces.
 */
function normalized(sql: string): string {
  const line = sql.replaceAll(/[ \t\n\f\r]+/g, ' ').replace('IF NOT EXISTS ', '');
  const [, start, body, end] = /^(CREATE TABLE [^(]*\()(.*)(\)[^)]*)$/.exec(line) ?? [];
  return body === undefined ? line : `${start}${parts(body).sort().join(',')}${end}`;
}

/** Columns and constraints: what is between commas that are neither in parentheses nor in quotes. */
function parts(body: string): string[] {
  return (body.match(/(?:'[^']*'|\((?:'[^']*'|[^()'])*\)|[^,'()])+/g) ?? []).map((part) => part.trim());
}
