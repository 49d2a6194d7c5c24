/** Applies pending migrations to a PostgreSQL database. If several nodes start at the same time, one of them does it. */

import { fold } from '../../catalog/fold.ts';
import type { Actor } from '../audit.ts';
import type { Refold } from '../migrations/migration.ts';
import { MIGRATION_TABLE, migrations, newerSchemaMessage, SCHEMA_VERSION } from '../migrations/migrations.ts';
import { upgradeStatement } from '../sql/audit-statements.ts';
import { textOrNullOf } from '../sql/row.ts';
import { UnusableDatabase } from '../store-error.ts';
import type { NodeRole } from './cluster/node.ts';
import { beginDistribution, distributeTables, hasUndistributed } from './cluster/tables.ts';
import type { Connection } from './connection.ts';
import { postgresDialect } from './dialect.ts';
import { expectedTables } from './schema-check.ts';

/** "Stkb" in ASCII: the advisory lock that serializes migrations. */
const LOCK = 0x53_74_6b_62;

/** Returns the version that the database had; 0 if it is new. An upgrade is part of the audit trail. */
export async function migrate(connection: Connection, role: NodeRole, actor: Actor): Promise<number> {
  await requireUtf8(connection);
  const found = await schemaVersion(connection);
  // A current database needs neither a lock nor permission to change it.
  if (found === SCHEMA_VERSION && (role !== 'coordinator' || !(await hasUndistributed(connection, expectedTables()))))
    return found;
  if (role === 'worker' && found < SCHEMA_VERSION) throw new UnusableDatabase(workerMessage(found));
  if (role === 'coordinator') await beginDistribution(connection);
  else await connection.query('BEGIN');
  await connection.query('SELECT pg_advisory_xact_lock($1::bigint)', [LOCK]);
  await connection.query(MIGRATION_TABLE.postgres);
  const version = await schemaVersion(connection);
  if (version > SCHEMA_VERSION) throw new UnusableDatabase(newerSchemaMessage('The database', version));
  const pending = migrations.slice(version);
  for (const { number, name, postgres } of pending) {
    for (const step of postgres) await (typeof step === 'string' ? connection.query(step) : refold(connection, step));
    await connection.query('INSERT INTO migration (number, name, applied_at) VALUES ($1::bigint, $2::text, now())', [
      number,
      name,
    ]);
  }
  if (version > 0 && pending.length > 0) {
    const { text, parameters } = upgradeStatement(version, SCHEMA_VERSION, actor, postgresDialect);
    await connection.query(text, parameters);
  }
  if (role === 'coordinator') await distributeTables(connection, expectedTables());
  await connection.query('COMMIT');
  for (const { postgresAfterwards = [] } of pending)
    for (const statement of postgresAfterwards) await connection.query(statement);
  return version;
}

function workerMessage(version: number): string {
  const state =
    version === 0
      ? 'has no tables yet'
      : `has schema ${version}, and this version of Stockbook needs ${SCHEMA_VERSION}`;
  return `The server is a worker of a Citus cluster that ${state}. Only the coordinator migrates: run a command with its address in --database first, such as "stockbook account list".`;
}

async function schemaVersion(connection: Connection): Promise<number> {
  const [table] = await connection.query("SELECT to_regclass('migration') AS name");
  if (table?.['name'] === null) return 0;
  const [row] = await connection.query('SELECT coalesce(max(number), 0) AS number FROM migration');
  return Number(row?.['number']);
}

async function requireUtf8(connection: Connection): Promise<void> {
  const [row] = await connection.query('SHOW server_encoding');
  const encoding = row?.['server_encoding'];
  if (encoding !== 'UTF8')
    throw new UnusableDatabase(`The database has the encoding ${encoding}. Create one with ENCODING 'UTF8'.`);
}

/** How many rows are folded per batch. */
const REFOLD_BATCH = 1_000;

/** Only text beyond ASCII can have another folded form than before. */
async function refold(connection: Connection, { table, columns }: Refold): Promise<void> {
  const folded = columns.map((column) => `${column}_fold`);
  const isBeyondAscii = columns.map((column) => `${column} ~ '[^\x01-\x7f]'`).join(' OR ');
  await connection.query(
    `DECLARE refolded NO SCROLL CURSOR FOR SELECT account_id, id, ${[...columns, ...folded].join(', ')} FROM ${table} WHERE ${isBeyondAscii}`,
  );
  for (;;) {
    const rows = await connection.query(`FETCH ${REFOLD_BATCH} FROM refolded`);
    if (rows.length === 0) break;
    const changed = rows
      .map((row) => ({
        account_id: row['account_id'],
        id: row['id'],
        ...Object.fromEntries(
          columns.map((column) => {
            const text = textOrNullOf(row, column);
            return [`${column}_fold`, text === null ? null : fold(text)];
          }),
        ),
        isChanged: columns.some((column) => {
          const text = textOrNullOf(row, column);
          return text !== null && fold(text) !== row[`${column}_fold`];
        }),
      }))
      .filter(({ isChanged }) => isChanged);
    await connection.query(
      `UPDATE ${table} SET ${folded.map((column) => `${column} = changed.${column}`).join(', ')}
        FROM json_to_recordset($1::json) AS changed (account_id bigint, id bigint, ${folded.map((column) => `${column} text`).join(', ')})
        WHERE ${table}.account_id = changed.account_id AND ${table}.id = changed.id`,
      [JSON.stringify(changed)],
    );
  }
  await connection.query('CLOSE refolded');
}
