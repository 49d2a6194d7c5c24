/** Applies the migrations that a PostgreSQL database has not seen yet. Of many nodes that start at once, one does it. */

import { migrations, migrationTable, SCHEMA_VERSION } from '../sql/migrations.ts';
import { UnusableDatabase } from '../store-error.ts';
import { postgresDialect } from './dialect.ts';
import type { Lane } from './lane.ts';

/** "Stkb" in ASCII, under which migrations lock each other out. */
const LOCK = 0x53_74_6b_62;

/** Gives the version that the database had; 0 where it is new. */
export async function migrate(lane: Lane): Promise<number> {
  await checkEncoding(lane);
  // A database that is up to date needs neither lock nor rights to change it.
  if ((await versionOf(lane)) === SCHEMA_VERSION) return SCHEMA_VERSION;
  await lane.query('BEGIN');
  await lane.query('SET LOCAL lock_timeout = 0');
  await lane.query('SET LOCAL statement_timeout = 0');
  await lane.query('SELECT pg_advisory_xact_lock($1::bigint)', [LOCK]);
  await lane.query(migrationTable(postgresDialect));
  const version = await versionOf(lane);
  if (version > SCHEMA_VERSION) {
    throw new UnusableDatabase(
      `The database was written by a newer Stockbook: it has schema ${version}, this program knows ${SCHEMA_VERSION}. Use that version or a later one.`,
    );
  }
  const missing = migrations.filter((migration) => migration.number > version);
  for (const { number, name, statements } of missing) {
    for (const statement of statements(postgresDialect)) await lane.query(statement);
    await lane.query('INSERT INTO migration (number, name, applied_at) VALUES ($1::bigint, $2::text, now())', [
      number,
      name,
    ]);
  }
  await lane.query('COMMIT');
  await lane.query('SET lock_timeout = 0');
  await lane.query('SET statement_timeout = 0');
  for (const { afterwards } of missing)
    for (const statement of afterwards?.(postgresDialect) ?? []) await lane.query(statement);
  return version;
}

async function versionOf(lane: Lane): Promise<number> {
  if ((await cellOf(lane, "SELECT to_regclass('migration') IS NOT NULL")) !== 't') return 0;
  return Number(await cellOf(lane, 'SELECT coalesce(max(number), 0) FROM migration'));
}

async function checkEncoding(lane: Lane): Promise<void> {
  const encoding = await cellOf(lane, 'SHOW server_encoding');
  if (encoding !== 'UTF8')
    throw new UnusableDatabase(`The database has the encoding ${encoding}. Make one with ENCODING 'UTF8'.`);
}

async function cellOf(lane: Lane, statement: string): Promise<string> {
  const { cells } = await lane.query(statement);
  return Buffer.from(cells[0]?.[0] ?? []).toString();
}
