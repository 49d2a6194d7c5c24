/** Applies pending migrations to a SQLite file, under its write lock. */

import { systemClock, timestamp } from '../../schedule/clock.ts';
import type { Actor } from '../audit.ts';
import type { Migration } from '../migrations/migration.ts';
import { MIGRATION_TABLE, migrations, SCHEMA_VERSION } from '../migrations/migrations.ts';
import { upgradeStatement } from '../sql/audit-statements.ts';
import { UnusableDatabase } from '../store-error.ts';
import type { Connection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { requireSupportedSchema } from './schema-guard.ts';

/** Returns the version that the file had; 0 if it is new. An upgrade is part of the audit trail. */
export function migrate(connection: Connection, path: string, actor: Actor): number {
  // A current file needs no lock, so a server can start during an import.
  if (schemaVersion(connection, path) === SCHEMA_VERSION) return SCHEMA_VERSION;
  return connection.transaction(() => {
    if (schemaVersion(connection, path) === 0) claim(connection, path);
    connection.execute(MIGRATION_TABLE.sqlite);
    const version = requireSupportedSchema(connection, path);
    for (const migration of migrations.slice(version)) apply(connection, migration);
    if (version > 0 && version < SCHEMA_VERSION)
      connection.read(upgradeStatement(version, SCHEMA_VERSION, actor, sqliteDialect));
    return version;
  });
}

/** Marks an empty file as Stockbook's, and rejects one that another program made. */
function claim(connection: Connection, path: string): void {
  const [table] = connection.read({ text: 'SELECT name FROM sqlite_schema LIMIT 1', parameters: [] });
  if (table !== undefined) {
    throw new UnusableDatabase(`${path} belongs to another program. Choose another file with --database.`);
  }
  connection.execute(`PRAGMA application_id = ${APPLICATION_ID}`);
}

/** "Stkb" in ASCII: identifies the file as Stockbook's. */
const APPLICATION_ID = 0x53_74_6b_62;

/** 0 if it has none. */
export function schemaVersion(connection: Connection, path: string): number {
  const text = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migration'";
  const [table] = connection.read({ text, parameters: [] });
  return table === undefined ? 0 : requireSupportedSchema(connection, path);
}

function apply(connection: Connection, { number, name, sqlite }: Migration): void {
  for (const step of sqlite) connection.execute(step);
  connection.read({
    text: 'INSERT INTO migration (number, name, applied_at) VALUES (?, ?, ?)',
    parameters: [number, name, timestamp(systemClock)],
  });
}
