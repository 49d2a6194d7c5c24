/**
 * Whether the indexes have what the tables have. The extension amcheck verifies it entry by entry. Without it, the rows that
 * an index finds are counted and compared with those of the table.
 */

import pg from 'pg';
import { NO_DEADLINE } from '../../schedule/deadline.ts';
import { NO_ACCOUNT } from '../account-id.ts';
import type { DatabaseCheck } from '../check/check.ts';
import { storageCheck } from '../check/engine-checks.ts';
import { type Finding, findings } from '../check/findings.ts';
import type { Engine, Read } from '../engine/engine.ts';
import { integerOf, textOf } from '../sql/row.ts';
import { expectedTables } from './schema-check.ts';

interface Index {
  readonly name: string;
  readonly table: string;
  /** As they follow ORDER BY. */
  readonly columns: string;
}

export const storage = storageCheckWith(amcheckSchema);

/** `findAmcheck` returns the schema of the extension, if it can be used. */
export function storageCheckWith(findAmcheck: (engine: Engine) => Promise<string | undefined>): DatabaseCheck {
  const broken = async (engine: Engine) => brokenIndexes(engine, await findAmcheck(engine));
  return {
    ...storageCheck,
    scope: 'database',
    async find(engine) {
      return findings((await broken(engine)).map(({ finding }) => finding));
    },
    async repair(engine) {
      for (const { index } of await broken(engine)) await engine.write([statement(`REINDEX INDEX ${index.name}`)]);
    },
  };
}

async function brokenIndexes(
  engine: Engine,
  amcheck: string | undefined,
): Promise<readonly { readonly index: Index; readonly finding: Finding }[]> {
  const broken: { readonly index: Index; readonly finding: Finding }[] = [];
  for (const index of await indexes(engine)) {
    const detail = await inSnapshot(engine, (read) =>
      amcheck === undefined ? compareCounts(read, index) : runAmcheck(read, index, amcheck),
    ).catch(corruptionIn);
    if (detail !== undefined) broken.push({ index, finding: { detail: `index ${index.name}: ${detail}` } });
  }
  return broken;
}

async function runAmcheck(read: Read, { name }: Index, schema: string): Promise<undefined> {
  await read({ text: `SELECT ${schema}.bt_index_check($1::regclass, true)`, parameters: [name] });
  return undefined;
}

/** What an error says about an index that is damaged. Other errors are thrown. */
function corruptionIn(error: unknown): string {
  if (error instanceof pg.DatabaseError && /^XX00[12]$/.test(error.code ?? '')) return error.message;
  throw error;
}

async function compareCounts(read: Read, { table, columns }: Index): Promise<string | undefined> {
  await restrictScans(read, 'on', 'off');
  const stored = await read(statement(`SELECT count(*) AS rows FROM ${table}`));
  await restrictScans(read, 'off', 'on');
  // Only the index has this order.
  const indexed = await read(
    statement(`SELECT count(*) AS rows FROM (SELECT 1 FROM ${table} ORDER BY ${columns}) AS ordered`),
  );
  const [rows, found] = [stored, indexed].map(([row = {}]) => integerOf(row, 'rows'));
  return rows === found ? undefined : `has ${found} entries for the ${rows} rows of ${table}`;
}

/** Until the end of the transaction, and, unlike with `set_config`, also on the worker nodes of a cluster. */
async function restrictScans(read: Read, scans: 'on' | 'off', indexes: 'on' | 'off'): Promise<void> {
  const settings = {
    enable_seqscan: scans,
    enable_sort: scans,
    enable_indexscan: indexes,
    enable_indexonlyscan: indexes,
    enable_bitmapscan: 'off',
  };
  for (const [name, value] of Object.entries(settings)) await read(statement(`SET LOCAL ${name} = ${value}`));
}

async function amcheckSchema(engine: Engine): Promise<string | undefined> {
  const [row] = await engine.reserved(
    statement(
      "SELECT quote_ident(nspname) AS name FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'amcheck'",
    ),
  );
  return row && textOf(row, 'name');
}

/** The valid B-tree indexes of our tables. */
async function indexes(engine: Engine): Promise<readonly Index[]> {
  const rows = await engine.reserved({
    text: `SELECT indexrelid::regclass::text AS name, indrelid::regclass::text AS table,
        (SELECT string_agg(pg_get_indexdef(indexrelid, key, true), ', ' ORDER BY key) FROM generate_series(1, indnkeyatts) AS key) AS columns
      FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid JOIN pg_am ON pg_am.oid = relam
      WHERE amname = 'btree' AND indisvalid AND indisready AND indpred IS NULL
        AND indrelid = ANY(SELECT to_regclass(name) FROM unnest($1::text[]) AS name)
      ORDER BY 2, 1`,
    parameters: [`{${expectedTables().join(',')}}`],
  });
  return rows.map((row) => ({
    name: textOf(row, 'name'),
    table: textOf(row, 'table'),
    columns: textOf(row, 'columns'),
  }));
}

function inSnapshot<Result>(engine: Engine, body: (read: Read) => Promise<Result>): Promise<Result> {
  return engine.slow({ account: NO_ACCOUNT, cost: 0, deadline: NO_DEADLINE }, ({ read }) => body(read));
}

function statement(text: string) {
  return { text, parameters: [] };
}
