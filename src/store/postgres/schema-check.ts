/** Whether the database has the tables, indexes and triggers that the migrations create, and no other triggers on them. */

import type { Catalog } from '../../catalog/catalog.ts';
import type { DatabaseCheck } from '../check/check.ts';
import { schemaCheck } from '../check/engine-checks.ts';
import { findings } from '../check/findings.ts';
import type { Engine } from '../engine/engine.ts';
import { ownAdditions } from '../fields/own-additions.ts';
import { MIGRATION_TABLE, migrations } from '../migrations/migrations.ts';
import { textOf, textOrNullOf } from '../sql/row.ts';
import { postgresDialect } from './dialect.ts';

interface SchemaObject {
  readonly type: 'table' | 'index' | 'trigger';
  readonly name: string;
  /** Of a trigger. */
  readonly table?: string | undefined;
  /** Creates it. */
  readonly sql: string;
}

export const schema: DatabaseCheck = {
  ...schemaCheck,
  scope: 'database',
  async find(engine, catalog) {
    const [wrong, foreign] = [await differences(engine, catalog), await foreignTriggers(engine)];
    const tables = wrong.filter(({ type }) => type === 'table');
    const others = wrong.filter(({ type }) => type !== 'table');
    return findings([
      ...tables.map(({ name }) => ({ detail: `table ${name} is missing or not valid`, isFatal: true as const })),
      ...others.map(({ type, name }) => ({ detail: `${type} ${name} is missing or not valid` })),
      ...foreign.map(({ name, table }) => ({ detail: `trigger ${name} on ${table} is not part of the schema` })),
    ]);
  },
  async repair(engine, _, catalog) {
    const foreign = await foreignTriggers(engine);
    await engine.write(foreign.map(({ drop }) => ({ text: drop, parameters: [] })));
    for (const { type, name, table, sql } of await differences(engine, catalog)) {
      if (type === 'table') continue;
      const drop = `DROP ${type} IF EXISTS ${name}${table === undefined ? '' : ` ON ${table}`}`;
      await engine.write([drop, sql].map((text) => ({ text, parameters: [] })));
    }
  },
};

export function expectedTables(): readonly string[] {
  return expectedObjects('')
    .filter(({ type }) => type === 'table')
    .map(({ name }) => name);
}

async function differences(engine: Engine, catalog: Catalog): Promise<readonly SchemaObject[]> {
  const rows = await engine.reserved({
    text: `SELECT 'table' AS type, relname::text AS name, NULL AS of_table FROM pg_class WHERE oid = ANY(SELECT to_regclass(relname::text)) AND relkind IN ('r', 'p')
      UNION ALL SELECT 'index', relname::text, NULL FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        WHERE indisvalid AND indisready AND pg_class.oid = to_regclass(relname::text)
      UNION ALL SELECT 'trigger', tgname::text, relname::text FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
        WHERE tgenabled IN ('O', 'A') AND NOT tgisinternal AND tgrelid = to_regclass(relname::text)`,
    parameters: [],
  });
  const actual = new Set(
    rows.map((row) => keyOf(textOf(row, 'type'), textOf(row, 'name'), textOrNullOf(row, 'of_table') ?? undefined)),
  );
  const { indexes } = ownAdditions(catalog, postgresDialect);
  const expected = expectedObjects(await operatorClassSchema(engine), indexes);
  return expected.filter(({ type, name, table }) => !actual.has(keyOf(type, name, table)));
}

interface ForeignTrigger {
  readonly name: string;
  readonly table: string;
  /** Drops it. */
  readonly drop: string;
}

/** Triggers on our tables that are not ours, even if they are disabled. */
async function foreignTriggers(engine: Engine): Promise<readonly ForeignTrigger[]> {
  const rows = await engine.reserved({
    text: `SELECT tgname::text AS name, relname::text AS of_table, format('DROP TRIGGER IF EXISTS %I ON %I', tgname, relname) AS drop
      FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
      WHERE NOT tgisinternal AND tgrelid = to_regclass(quote_ident(relname)) ORDER BY relname, tgname`,
    parameters: [],
  });
  const tables = expectedTables();
  const ours = new Set(expectedObjects(null).map(({ type, name, table }) => keyOf(type, name, table)));
  return rows
    .map((row) => ({ name: textOf(row, 'name'), table: textOf(row, 'of_table'), drop: textOf(row, 'drop') }))
    .filter(({ name, table }) => tables.includes(table) && !ours.has(keyOf('trigger', name, table)));
}

function keyOf(type: string, name: string, table: string | undefined): string {
  return [type, name, table].join(' ');
}

/** Where the operator class of search indexes is; null if an extension that they need is missing. */
async function operatorClassSchema(engine: Engine): Promise<string | null> {
  const [row] = await engine.reserved({
    text: `SELECT CASE WHEN EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'btree_gin') THEN (
        SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm'
      ) END AS name`,
    parameters: [],
  });
  return textOrNullOf(row ?? {}, 'name');
}

const CREATED = /CREATE (?<type>TABLE|INDEX|TRIGGER) (?:IF NOT EXISTS )?(?<name>\w+)/;
const TABLE_OF_TRIGGER = / ON (\w+)/;
/** Inside a block that is executed if the extensions can be installed. */
const SEARCH_INDEX = /CREATE INDEX (?<name>\w+) ON \w+ USING gin \(account_id, (?:\w+|\(.+\)) %I\.gin_trgm_ops\)/g;

/** What the migrations leave behind, read from their SQL. Search indexes are expected only if they are possible. */
function expectedObjects(operatorClasses: string | null, own: readonly string[] = []): readonly SchemaObject[] {
  const objects = new Map<string, SchemaObject>();
  const add = (type: SchemaObject['type'], name: string, sql: string) =>
    objects.set(name, { type, name, sql, table: type === 'trigger' ? TABLE_OF_TRIGGER.exec(sql)?.[1] : undefined });
  const steps = migrations.flatMap(({ postgres }) => postgres);
  for (const step of [MIGRATION_TABLE.postgres, ...steps, ...own]) {
    for (const [sql, name = ''] of step.matchAll(SEARCH_INDEX))
      if (operatorClasses !== null) add('index', name, sql.replace('%I', operatorClasses).replaceAll("''", "'"));
    const { type, name } = (step.startsWith('CREATE') ? CREATED.exec(step)?.groups : undefined) ?? {};
    if (type !== undefined && name !== undefined)
      add(type === 'TABLE' ? 'table' : type === 'INDEX' ? 'index' : 'trigger', name, step);
  }
  return [...objects.values()];
}
