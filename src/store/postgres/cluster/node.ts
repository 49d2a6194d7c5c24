/** The server is a node of a Citus cluster: the settings of connections to it. */

import type { ConnectionProfile } from '../connection-profiles.ts';

/** What a server is: the whole database, or a node of a cluster. Only the coordinator changes the schema. */
export type NodeRole = 'single' | 'coordinator' | 'worker node';

/** The number of a group of nodes: a worker node and its standbys. It stays the same if a standby takes over. */
export type WorkerNode = number;

/** The server is a node of a cluster. */
export interface ClusterNode {
  readonly role: Exclude<NodeRole, 'single'>;
  /** The one whose accounts all statements are about. Undefined if they are about no account, or about several. */
  readonly workerNode?: WorkerNode | undefined;
}

/** How long connecting to a worker node may take, in milliseconds. */
const NODE_CONNECTION_TIMEOUT = 1_000;

/** How long a version check may take, in milliseconds. Later, its worker node counts as lost. The node could not cancel it: for that it would need the worker node. */
export const WORKER_NODE_SILENCE = 3_000;

/** The planner of the cluster has to know the values of a statement to route it, so no statement can have a generic plan. */
export function clusterSettings(profile: ConnectionProfile): Readonly<Record<string, string | number>> {
  return {
    ...(profile !== 'slow' && { plan_cache_mode: 'auto' }),
    'citus.node_connection_timeout': NODE_CONNECTION_TIMEOUT,
    'citus.propagate_set_commands': 'local',
  };
}

/** Otherwise, Citus refuses to lock the tables of a shard: it would have to lock those on other nodes as well. */
export const DIRECT_SETTINGS = { 'citus.enable_ddl_propagation': 'off' } as const;

/** Begin a transaction. Settings of the session do not reach the worker nodes, those of a transaction do. */
export function clusterBegin(lockTimeout: number): readonly string[] {
  return ['BEGIN', `SET LOCAL lock_timeout = ${lockTimeout}`];
}
