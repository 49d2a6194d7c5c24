/**
 * Distributes tables. Those whose primary key starts with `account_id` are distributed by it, all in the same way, so everything that belongs
 * to an account is on one worker node, and a statement about one account runs there. Of the other tables, which are small, every node has a copy. The
 * audit trail is on the coordinator: it has triggers, which only tables on one node can have.
 */

import { randomBytes } from 'node:crypto';
import { textOf } from '../../sql/row.ts';
import { UnusableDatabase } from '../../store-error.ts';
import type { Connection } from '../connection.ts';
import type { ClusterNode } from './node.ts';

/** Begins a transaction in which tables are changed and distributed. Foreign keys between tables require that shards are changed one by one, from the start. */
export async function beginDistribution(connection: Connection): Promise<void> {
  await connection.query('BEGIN');
  await connection.query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
}

/** Distributes the tables that are not distributed yet. In a transaction, so that no node ever sees some of them. */
export async function distributeTables(connection: Connection, tables: readonly string[]): Promise<void> {
  for (const { name, kind } of await undistributed(connection, tables)) {
    await connection.query(DISTRIBUTE[kind], [name]);
    if (kind === 'coordinator') await connection.query(continueIds(name));
  }
}

/** The sequence that assigns ids starts from 1 again, although there may be rows. */
function continueIds(table: string): string {
  return `SELECT setval(pg_get_serial_sequence('${table}', 'id'), max(id)) FROM ${table} HAVING count(*) > 0`;
}

/** Whether some tables are not distributed, as after the extension was added to an existing database. */
export async function hasUndistributed(connection: Connection, tables: readonly string[]): Promise<boolean> {
  return (await undistributed(connection, tables)).length > 0;
}

type TableKind = 'copied' | 'distributed' | 'coordinator';

/** The kind that a table has to be, by the table and the first column of its primary key. */
export const EXPECTED_KIND = `CASE
  WHEN EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = pg_class.oid AND attidentity <> '') THEN 'coordinator'
  WHEN attname = 'account_id' THEN 'distributed' ELSE 'copied' END`;

export const PRIMARY_KEYS = `pg_class JOIN pg_index ON indrelid = pg_class.oid AND indisprimary
  JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]`;

const DISTRIBUTE: Readonly<Record<TableKind, string>> = {
  copied: 'SELECT create_reference_table($1::text::regclass)',
  distributed: `SELECT create_distributed_table($1::text::regclass, 'account_id', colocate_with =>
    CASE $1::text WHEN 'ledger' THEN 'none' ELSE 'ledger' END)`,
  coordinator: 'SELECT citus_add_local_table_to_metadata($1::text::regclass)',
};

interface UndistributedTable {
  readonly name: string;
  readonly kind: TableKind;
}

/**
 * Those that others refer to come before these, and the ledger, which others are placed with, before them. Citus keeps a table that refers to
 * a copied one on the coordinator as soon as it is created, so what matters is not whether a table is known to Citus, but as what.
 */
async function undistributed(
  connection: Connection,
  tables: readonly string[],
): Promise<readonly UndistributedTable[]> {
  const rows = await connection.query(
    `SELECT name, kind FROM (
        SELECT relname::text AS name, ${EXPECTED_KIND} AS kind,
          CASE WHEN partmethod = 'h' THEN 'distributed' WHEN repmodel = 't' THEN 'copied' WHEN partmethod = 'n' THEN 'coordinator' END AS actual_kind
        FROM ${PRIMARY_KEYS}
          LEFT JOIN pg_dist_partition ON logicalrelid = pg_class.oid
        WHERE relname = ANY($1::text[]) AND pg_class.oid = to_regclass(relname::text)
      ) AS expected WHERE kind IS DISTINCT FROM actual_kind
      ORDER BY kind, name <> 'ledger', name`,
    [`{${tables.join(',')}}`],
  );
  return rows.map((row) => ({ name: textOf(row, 'name'), kind: kindOf(textOf(row, 'kind')) }));
}

function kindOf(text: string): TableKind {
  if (text === 'copied' || text === 'distributed' || text === 'coordinator') return text;
  throw new Error(`${text} is not a kind of table`);
}

/**
 * Creates the table that rows are staged in, and returns a function that drops it. A temporary table cannot be distributed, so it has a schema
 * of its own, which comes first in the search path. Its rows are where the records of their account are.
 */
export async function createDistributedStaging(
  connection: Connection,
  node: ClusterNode,
  table: string,
  definitions: readonly string[],
): Promise<() => Promise<void>> {
  if (node.role === 'worker node') throw new UnusableDatabase(IMPORT_ON_WORKER_NODE);
  await dropAbandoned(connection);
  const schema = `${STAGING_SCHEMA}${randomBytes(6).toString('hex')}`;
  const [path] = await connection.query("SELECT current_setting('search_path') AS path");
  // It is held until the connection is closed.
  await connection.query('SELECT pg_advisory_lock(hashtext($1::text))', [schema]);
  // Closing the connection rolls back what is not committed.
  await connection.query('BEGIN');
  await connection.query(`CREATE SCHEMA ${schema}`);
  await connection.query(`CREATE TABLE ${schema}.${table} (${definitions.join(', ')})`);
  // It has no key, and without one its rows could not be changed while the shard is being moved.
  await connection.query(`ALTER TABLE ${schema}.${table} REPLICA IDENTITY FULL`);
  await connection.query(
    "SELECT create_distributed_table($1::text::regclass, 'account_id', colocate_with => 'ledger')",
    [`${schema}.${table}`],
  );
  await connection.query('COMMIT');
  await connection.query(`SET search_path = ${schema}, ${textOf(path ?? {}, 'path')}`);
  return async () => {
    await connection.query(`DROP SCHEMA ${schema} CASCADE`);
  };
}

const STAGING_SCHEMA = 'stockbook_import_';

const IMPORT_ON_WORKER_NODE =
  'The server is a worker node of a Citus cluster, which cannot create the table that an import needs. Import with the address of the coordinator in --database.';

/** Drops what imports left that were killed. Those that are running hold a lock. */
async function dropAbandoned(connection: Connection): Promise<void> {
  const schemas = await connection.query(
    `SELECT nspname::text AS name FROM pg_namespace
      WHERE nspname LIKE $1::text AND pg_has_role(nspowner, 'USAGE') AND pg_try_advisory_lock(hashtext(nspname::text))`,
    [`${STAGING_SCHEMA.replaceAll('_', '\\_')}%`],
  );
  for (const schema of schemas) {
    const name = textOf(schema, 'name');
    await connection.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`);
    await connection.query('SELECT pg_advisory_unlock(hashtext($1::text))', [name]);
  }
}
