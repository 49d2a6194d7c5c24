/** What differs on a connection if the server is a node of a Citus cluster. */

import type { Dialect } from '../../sql/dialect.ts';
import { textOf } from '../../sql/row.ts';
import { UnusableDatabase } from '../../store-error.ts';
import type { Connection } from '../connection.ts';
import type { ConnectionProfile } from '../connection-profiles.ts';
import { postgresDialect } from '../dialect.ts';
import type { Worker } from './workers.ts';

/** What a server is: the whole database, or a node of a cluster. Only the coordinator changes the schema. */
export type NodeRole = 'single' | 'coordinator' | 'worker';

/** The server is a node of a cluster. */
export interface ClusterNode {
  readonly role: Exclude<NodeRole, 'single'>;
  /** The one whose accounts all statements are about. Undefined if they are about no account, or about several. */
  readonly worker?: Worker;
}

/** The oldest version of Citus that was tested. */
const MIN_VERSION = 13.2;

export async function findRole(connection: Connection): Promise<NodeRole> {
  const [extension] = await connection.query("SELECT extversion FROM pg_extension WHERE extname = 'citus'");
  if (extension === undefined) return 'single';
  const version = textOf(extension, 'extversion');
  // Older ones ignore the isolation level on workers, so the statements of a request would not have one snapshot.
  if (Number.parseFloat(version) < MIN_VERSION)
    throw new UnusableDatabase(`The database has Citus ${version}. Stockbook needs ${MIN_VERSION} or later.`);
  const [group] = await connection.query('SELECT groupid FROM pg_dist_local_group');
  return group?.['groupid'] === '0' ? 'coordinator' : 'worker';
}

/** A statement that writes in several `WITH` clauses would be sent to every worker, and committed in two phases on all of them. */
export const clusterDialect: Dialect = { ...postgresDialect, writesInWith: false, entryOrder: ['at', 'id'] };

/** How long connecting to a worker may take, in milliseconds. */
const NODE_CONNECTION_TIMEOUT = 1_000;

/** How long a version check may take, in milliseconds. Later, its worker counts as lost. */
const RESERVED_TIMEOUT = 3_000;

/**
 * The planner of the cluster has to know the values of a statement to route it, so no statement can have a generic plan. Reserved statements
 * about an account are small.
 */
export function clusterSettings(
  profile: ConnectionProfile,
  { worker }: ClusterNode,
): Readonly<Record<string, string | number>> {
  return {
    ...(profile !== 'slow' && { plan_cache_mode: 'auto' }),
    ...(profile === 'reserved' && worker !== undefined && { statement_timeout: RESERVED_TIMEOUT }),
    'citus.node_connection_timeout': NODE_CONNECTION_TIMEOUT,
    'citus.propagate_set_commands': 'local',
  };
}

/** Begin a transaction. Settings of the session do not reach the workers, those of a transaction do. */
export function clusterBegin(lockTimeout: number): readonly string[] {
  return ['BEGIN', `SET LOCAL lock_timeout = ${lockTimeout}`];
}
