/** Applies the migrations that a PostgreSQL database has not seen yet. Of many nodes that start at once, one does it. */

import { migrations, migrationTable, SCHEMA_VERSION } from '../sql/migrations.ts';
import { UnusableDatabase } from '../store-error.ts';
import type { Pool } from './cluster.ts';
import { postgresDialect } from './dialect.ts';

/** "Stkb" in ASCII, under which migrations lock each other out. */
const LOCK = 0x53_74_6b_62;

type Queries = Pick<Pool, 'unsafe'>;

export async function migrate(pool: Pool): Promise<void> {
  await checkEncoding(pool);
  // A database that is up to date needs neither lock nor rights to change it.
  if ((await versionOf(pool)) === SCHEMA_VERSION) return;
  await pool.begin(async (transaction) => {
    await transaction.unsafe('SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0');
    await transaction.unsafe('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await transaction.unsafe(migrationTable(postgresDialect));
    const version = await versionOf(transaction);
    if (version > SCHEMA_VERSION) {
      throw new UnusableDatabase(
        `The database was written by a newer Stockbook: it has schema ${version}, this program knows ${SCHEMA_VERSION}. Use that version or a later one.`,
      );
    }
    for (const { number, name, statements } of migrations.filter((migration) => migration.number > version)) {
      for (const statement of statements(postgresDialect)) await transaction.unsafe(statement);
      await transaction.unsafe(
        'INSERT INTO migration (number, name, applied_at) VALUES ($1::bigint, $2::text, now())',
        [number, name],
      );
    }
  });
}

async function versionOf(queries: Queries): Promise<number> {
  const [table] = await queries.unsafe("SELECT to_regclass('migration') IS NOT NULL AS exists");
  if (table?.['exists'] !== 't') return 0;
  const [row] = await queries.unsafe('SELECT coalesce(max(number), 0) AS number FROM migration');
  return Number(row?.['number']);
}

async function checkEncoding(queries: Queries): Promise<void> {
  const [row] = await queries.unsafe('SHOW server_encoding');
  if (row?.['server_encoding'] !== 'UTF8') {
    throw new UnusableDatabase(
      `The database has the encoding ${row?.['server_encoding']}. Make one with ENCODING 'UTF8'.`,
    );
  }
}
