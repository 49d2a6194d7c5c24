/**
 * Begins a generation when a database is first written on a server, after a failover, after a dump was loaded, or after a
 * restart of the server, which may have lost commits or have been given an older copy of the data.
 */

import type { Generation } from '../engine/engine.ts';
import { integerOf, textOrNullOf } from '../sql/row.ts';
import { type NodeRole, nodeIdentities } from './cluster.ts';
import type { Connection } from './connection.ts';

/** Identifies the server, its timeline, its last start, and the database. */
const SERVER = `(SELECT system_identifier FROM pg_control_system())::text
  || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
  || '/' || extract(epoch FROM pg_postmaster_start_time())::text
  || '/' || (SELECT oid FROM pg_database WHERE datname = current_database())::text`;

const insert = (server: string) => `INSERT INTO generation AS generation (number, id, server, began_at)
  SELECT coalesce(max(number), 0) + 1, $1::bigint, ${server}, now() FROM generation`;

const INSERT = insert(`${SERVER} || '/' || pg_current_xact_id()::xid::text`);

/** On a cluster it names all nodes: a worker that restarts, or is replaced, may have lost commits as well. */
const INSERT_ON_CLUSTER = insert('$2::text');

/**
 * Of several connections that do so at the same time, one succeeds, and the others find the generation it began. The row
 * names the transaction that inserted it; if another one did, it comes from a dump. False if that is unknown for a node of a
 * cluster, because it cannot be reached.
 */
export async function beginGenerationIfNew(connection: Connection, role: NodeRole, id: number): Promise<boolean> {
  if (role !== 'single') return beginOnClusterIfNew(connection, id);
  await connection.query(
    `${INSERT}
      HAVING (SELECT server = ${SERVER} || '/' || xmin::text FROM generation ORDER BY number DESC LIMIT 1) IS NOT TRUE
      ON CONFLICT (number) DO NOTHING`,
    [id],
  );
  return true;
}

/** A node that cannot be reached does not count until it can be. */
async function beginOnClusterIfNew(connection: Connection, id: number): Promise<boolean> {
  const [last] = await connection.query('SELECT server FROM generation ORDER BY number DESC LIMIT 1');
  const known = (textOrNullOf(last ?? { server: null }, 'server') ?? '').split(',');
  const { identities, isComplete } = await nodeIdentities(connection);
  if (identities.every((identity) => known.includes(identity))) return isComplete;
  await connection.query(`${INSERT_ON_CLUSTER} ON CONFLICT (number) DO NOTHING`, [id, identities.join(',')]);
  return isComplete;
}

/** Begins one in any case. If another connection does so at the same time, one of them tries again. */
export async function beginGeneration(connection: Connection, role: NodeRole, id: number): Promise<Generation> {
  const [text, parameters] =
    role === 'single'
      ? [INSERT, [id]]
      : [INSERT_ON_CLUSTER, [id, (await nodeIdentities(connection)).identities.join(',')]];
  for (;;) {
    const [row] = await connection.query(`${text} ON CONFLICT (number) DO NOTHING RETURNING number`, parameters);
    if (row !== undefined) return { number: integerOf(row, 'number'), id };
  }
}
