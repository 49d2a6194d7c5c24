/** Applies pending migrations to a PostgreSQL database. If several nodes start at the same time, one of them does it. */

import type { Actor } from '../audit.ts';
import { MIGRATION_TABLE, migrations, SCHEMA_VERSION } from '../migrations/migrations.ts';
import { APPLIED_MIGRATIONS, unsupportedSchema } from '../migrations/schema-version.ts';
import { upgradeStatement } from '../sql/audit-statements.ts';
import { textOf } from '../sql/row.ts';
import { UnusableDatabase } from '../store-error.ts';
import type { Connection } from './connection.ts';
import { postgresDialect } from './dialect.ts';
import { expectedTables } from './schema-check.ts';
import type { MigrationSteps } from './topology.ts';

/** "Stkb" in ASCII: the advisory lock that serializes migrations. */
const LOCK = 0x53_74_6b_62;

/** Returns the version that the database had; 0 if it is new. An upgrade is part of the audit trail. */
export async function migrate(connection: Connection, steps: MigrationSteps, actor: Actor): Promise<number> {
  await requireUtf8(connection);
  const found = await schemaVersion(connection);
  // A current database needs neither a lock nor permission to change it.
  if (found === SCHEMA_VERSION && (await steps.isComplete(connection, expectedTables()))) return found;
  await steps.begin(connection, found);
  await connection.query('SELECT pg_advisory_xact_lock($1::bigint)', [LOCK]);
  await connection.query(MIGRATION_TABLE.postgres);
  const version = await schemaVersion(connection);
  const pending = migrations.slice(version);
  for (const { number, name, postgres } of pending) {
    for (const step of postgres) await connection.query(step);
    await connection.query('INSERT INTO migration (number, name, applied_at) VALUES ($1::bigint, $2::text, now())', [
      number,
      name,
    ]);
  }
  if (version > 0 && pending.length > 0) {
    const { text, parameters } = upgradeStatement(version, SCHEMA_VERSION, actor, postgresDialect);
    await connection.query(text, parameters);
  }
  await steps.complete(connection, expectedTables());
  await connection.query('COMMIT');
  return version;
}

/** 0 if the database is new. */
async function schemaVersion(connection: Connection): Promise<number> {
  const [table] = await connection.query("SELECT to_regclass('migration') AS name");
  if (table?.['name'] === null) return 0;
  const [row = {}] = await connection.query(APPLIED_MIGRATIONS);
  const version = Number(row['number']);
  const problem = unsupportedSchema('The database', version, textOf(row, 'first'));
  if (problem !== undefined) throw new UnusableDatabase(problem);
  return version;
}

async function requireUtf8(connection: Connection): Promise<void> {
  const [row] = await connection.query('SHOW server_encoding');
  const encoding = row?.['server_encoding'];
  if (encoding !== 'UTF8')
    throw new UnusableDatabase(`The database has the encoding ${encoding}. Create one with ENCODING 'UTF8'.`);
}
