/**
 * What differs if the database is distributed with Citus.
 *
 * Tables whose primary key starts with `account_id` are distributed by it, all in the same way, so everything that belongs to an account is on
 * one worker, and a statement about one account runs there. Of the other tables, which are small, every node has a copy. The audit trail is on
 * the coordinator: it has triggers, which only tables on one node can have.
 */

import { randomBytes } from 'node:crypto';
import type { Dialect } from '../sql/dialect.ts';
import { textOf } from '../sql/row.ts';
import { UnusableDatabase } from '../store-error.ts';
import type { Connection } from './connection.ts';
import type { ConnectionProfile } from './connection-profiles.ts';
import { postgresDialect } from './dialect.ts';

/** What a server is: the whole database, or a node of a cluster. Only the coordinator changes the schema. */
export type NodeRole = 'single' | 'coordinator' | 'worker';

/** The oldest version of Citus that was tested. */
const MIN_VERSION = 13.2;

export async function clusterRole(connection: Connection): Promise<NodeRole> {
  const [extension] = await connection.query("SELECT extversion FROM pg_extension WHERE extname = 'citus'");
  const version = textOf(extension ?? {}, 'extversion');
  // Older ones ignore the isolation level on workers, so the statements of a request would not have one snapshot.
  if (Number.parseFloat(version) < MIN_VERSION)
    throw new UnusableDatabase(`The database has Citus ${version}. Stockbook needs ${MIN_VERSION} or later.`);
  const [group] = await connection.query('SELECT groupid FROM pg_dist_local_group');
  return group?.['groupid'] === '0' ? 'coordinator' : 'worker';
}

/** A statement that writes in several `WITH` clauses would be sent to every worker, and committed in two phases on all of them. */
export const clusterDialect: Dialect = { ...postgresDialect, writesInWith: false, entryOrder: ['at', 'id'] };

/**
 * The planner of the cluster has to know the values of a statement to route it, so no statement can have a generic plan. A lost worker must not
 * delay the statements behind for long.
 */
export function clusterSettings(profile: ConnectionProfile): string {
  const settings = {
    ...(profile !== 'slow' && { plan_cache_mode: 'auto' }),
    'citus.node_connection_timeout': NODE_CONNECTION_TIMEOUT,
    'citus.propagate_set_commands': 'local',
  };
  return Object.entries(settings)
    .map(([name, value]) => `SET ${name} = '${value}'`)
    .join('; ');
}

/** How long connecting to a worker may take, in milliseconds. */
const NODE_CONNECTION_TIMEOUT = 1_000;

/** Begin a transaction. Settings of the session do not reach the workers, those of a transaction do. */
export function clusterBegin(lockTimeout: number): readonly string[] {
  return ['BEGIN', `SET LOCAL lock_timeout = ${lockTimeout}`];
}

/** Distributes the tables that are not distributed yet. In a transaction, so that no node ever sees some of them. */
export async function distributeTables(connection: Connection, tables: readonly string[]): Promise<void> {
  // Foreign keys between tables that are distributed in one transaction require it.
  await connection.query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
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

/** Those that others refer to come before these, and the ledger, which others are placed with, before them. */
async function undistributed(
  connection: Connection,
  tables: readonly string[],
): Promise<readonly UndistributedTable[]> {
  const rows = await connection.query(
    `SELECT relname::text AS name, CASE
        WHEN EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = pg_class.oid AND attidentity <> '') THEN 'coordinator'
        WHEN attname = 'account_id' THEN 'distributed' ELSE 'copied' END AS kind
      FROM pg_class JOIN pg_index ON indrelid = pg_class.oid AND indisprimary
        JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
      WHERE relname = ANY($1::text[]) AND pg_class.oid = to_regclass(relname::text)
        AND NOT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = pg_class.oid)
      ORDER BY kind, relname <> 'ledger', relname`,
    [`{${tables.join(',')}}`],
  );
  return rows.map((row) => ({ name: textOf(row, 'name'), kind: kindOf(textOf(row, 'kind')) }));
}

function kindOf(text: string): TableKind {
  if (text === 'copied' || text === 'distributed' || text === 'coordinator') return text;
  throw new Error(`${text} is not a kind of table`);
}

/**
 * Creates the table that rows are staged in, and returns a function that drops it: a temporary table, or, on a cluster, where these cannot be
 * distributed, a table in a schema of its own, which comes first in the search path. Rows are then where the records of their account are.
 */
export async function createStaging(
  connection: Connection,
  role: NodeRole,
  table: string,
  definitions: readonly string[],
): Promise<() => Promise<void>> {
  if (role === 'single') {
    await connection.query(`CREATE TEMPORARY TABLE ${table} (${definitions.join(', ')})`);
    return async () => undefined;
  }
  if (role === 'worker') throw new UnusableDatabase(IMPORT_ON_WORKER);
  const schema = `stockbook_import_${randomBytes(6).toString('hex')}`;
  const [path] = await connection.query("SELECT current_setting('search_path') AS path");
  // Closing the connection rolls back what is not committed.
  await connection.query('BEGIN');
  await connection.query(`CREATE SCHEMA ${schema}`);
  await connection.query(`CREATE TABLE ${schema}.${table} (${definitions.join(', ')})`);
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

const IMPORT_ON_WORKER =
  'The server is a worker of a Citus cluster, which cannot create the table that an import needs. Import with the address of the coordinator in --database.';

/** What identifies each node that can be reached, with its timeline and its last start. */
export async function nodeIdentities(
  connection: Connection,
): Promise<{ readonly identities: readonly string[]; readonly isComplete: boolean }> {
  const rows = await connection.query(
    'SELECT nodeid, success::text AS success, result FROM run_command_on_all_nodes($1::text) ORDER BY nodeid',
    [
      `SELECT (SELECT system_identifier FROM pg_control_system())::text || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
        || '/' || extract(epoch FROM pg_postmaster_start_time())::text
        || '/' || (SELECT oid FROM pg_database WHERE datname = current_database()) || '/' || coalesce(to_regclass('generation')::oid, 0)`,
    ],
  );
  const reached = rows.filter((row) => row['success'] === 'true');
  const identities = reached.map((row) => `${textOf(row, 'nodeid')}/${textOf(row, 'result')}`);
  return { identities, isComplete: reached.length === rows.length };
}

export interface Workers {
  readonly reachable: number;
  /** Their addresses. */
  readonly unreachable: readonly string[];
}

/** The workers that have records. */
export async function findWorkers(connection: Connection): Promise<Workers> {
  const rows = await connection.query(
    `SELECT nodename || ':' || nodeport AS address, success::text AS success
      FROM run_command_on_all_nodes('SELECT 1') JOIN pg_dist_node USING (nodeid)
      WHERE shouldhaveshards AND noderole = 'primary' ORDER BY nodeid`,
  );
  const unreachable = rows.filter((row) => row['success'] !== 'true').map((row) => textOf(row, 'address'));
  return { reachable: rows.length - unreachable.length, unreachable };
}
