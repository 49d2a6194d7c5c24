/**
 * Begins a generation when a database is first written on a server, after a failover, after a dump was loaded, or after a
 * restart of the server, which may have lost commits or have been given an older copy of the data.
 */

import type { Generation } from '../engine/engine.ts';
import { integerOf, textOrNullOf } from '../sql/row.ts';
import type { ClusterNode } from './cluster/node.ts';
import { type NodeIdentities, nodeIdentities } from './cluster/workers.ts';
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
 * names the transaction that inserted it; if another one did, it comes from a dump.
 */
export async function beginGenerationIfNew(
  connection: Connection,
  node: ClusterNode | undefined,
  id: number,
): Promise<void> {
  if (node !== undefined) return beginOnClusterIfNew(connection, await nodeIdentities(connection, node.worker), id);
  await connection.query(
    `${INSERT}
      HAVING (SELECT server = ${SERVER} || '/' || xmin::text FROM generation ORDER BY number DESC LIMIT 1) IS NOT TRUE
      ON CONFLICT (number) DO NOTHING`,
    [id],
  );
}

/** What the row knows of other nodes stays. */
async function beginOnClusterIfNew(connection: Connection, identities: NodeIdentities, id: number): Promise<void> {
  for (;;) {
    const [last] = await connection.query('SELECT server FROM generation ORDER BY number DESC LIMIT 1');
    const known = readIdentities(textOrNullOf(last ?? {}, 'server') ?? '');
    if ([...identities].every(([number, identity]) => known.get(number) === identity)) return;
    const server = printIdentities(new Map([...known, ...identities]));
    const [row] = await connection.query(`${INSERT_ON_CLUSTER} ON CONFLICT (number) DO NOTHING RETURNING number`, [
      id,
      server,
    ]);
    if (row !== undefined) return;
  }
}

function printIdentities(identities: NodeIdentities): string {
  return Array.from(identities, ([node, identity]) => `${node}:${identity}`).join(',');
}

function readIdentities(server: string): NodeIdentities {
  const entries = server.split(',').map((entry) => entry.split(':'));
  return new Map(entries.map(([node = '', identity = '']) => [Number(node), identity]));
}

/** Begins one in any case. If another connection does so at the same time, one of them tries again. */
export async function beginGeneration(
  connection: Connection,
  node: ClusterNode | undefined,
  id: number,
): Promise<Generation> {
  const [text, parameters] =
    node === undefined ? [INSERT, [id]] : [INSERT_ON_CLUSTER, [id, printIdentities(await nodeIdentities(connection))]];
  for (;;) {
    const [row] = await connection.query(`${text} ON CONFLICT (number) DO NOTHING RETURNING number`, parameters);
    if (row !== undefined) return { number: integerOf(row, 'number'), id };
  }
}
