/** The data is on the worker nodes of a cluster. */

import { SCHEMA_VERSION } from '../../migrations/migrations.ts';
import { UnusableDatabase } from '../../store-error.ts';
import { WRITE_LOCK_TIMEOUT } from '../connection-profiles.ts';
import {
  isUnplannable,
  isWorkerNodeLost,
  ServerSilent,
  translateError,
  translateWorkerNodeError,
  workerNodeUnavailable,
} from '../errors.ts';
import { SINGLE_SERVER } from '../single-server.ts';
import type { MigrationSteps, Topology } from '../topology.ts';
import { clusterDialect } from './dialect.ts';
import { beginClusterGeneration, beginClusterGenerationIfNew, requireGeneration } from './generation.ts';
import { type ClusterNode, clusterBegin, clusterSettings, DIRECT_SETTINGS, WORKER_NODE_SILENCE } from './node.ts';
import { beginDistribution, createDistributedStaging, distributeTables, hasUndistributed } from './tables.ts';
import { requireWorkerNode } from './worker-nodes.ts';

/** How many connections share the small statements for a worker node. On each, a statement waits until the worker node has responded to the one before. */
const SHARED_FOR_WORKER_NODE = 4;

export function clusterTopology(node: ClusterNode): Topology {
  const { role, workerNode } = node;
  const isForWorkerNode = workerNode !== undefined;
  // Connections for the accounts of one worker node are of no use without it, and one that replaces it may lack writes.
  const isDataLost = (error: unknown) => isForWorkerNode && (isWorkerNodeLost(error) || error instanceof ServerSilent);
  return {
    dialect: clusterDialect,
    sharedConnections: isForWorkerNode ? SHARED_FOR_WORKER_NODE : 1,
    begin: { texts: clusterBegin(WRITE_LOCK_TIMEOUT), isAlwaysNeeded: true },
    sessionSettings: clusterSettings,
    maxSilence: (profile) => (isForWorkerNode && profile === 'reserved' ? WORKER_NODE_SILENCE : undefined),
    async requireData(connection) {
      if (isForWorkerNode) await requireWorkerNode(connection, workerNode);
    },
    isDataLost,
    translateError(error) {
      if (isDataLost(error)) return workerNodeUnavailable(error);
      return isUnplannable(error) ? error : translateError(error);
    },
    beginGenerationIfNew: (connection, id) => beginClusterGenerationIfNew(connection, workerNode, id),
    beginGeneration: beginClusterGeneration,
    createStaging: (connection, table, definitions) => createDistributedStaging(connection, node, table, definitions),
    migration: role === 'coordinator' ? ON_COORDINATOR : ON_WORKER_NODE,
  };
}

/** A worker node that statements are sent to directly, about the tables of its shards: almost a single server. */
export const DIRECT: Topology = {
  ...SINGLE_SERVER,
  sessionSettings: () => DIRECT_SETTINGS,
  maxSilence: (profile) => (profile === 'reserved' || profile === 'fast' ? WORKER_NODE_SILENCE : undefined),
  translateError: translateWorkerNodeError,
  beginGenerationIfNew: requireGeneration,
};

const ON_COORDINATOR: MigrationSteps = {
  isComplete: async (connection, tables) => !(await hasUndistributed(connection, tables)),
  begin: beginDistribution,
  complete: distributeTables,
};

/** The coordinator migrates, and distributes tables. */
const ON_WORKER_NODE: MigrationSteps = {
  isComplete: async () => true,
  async begin(_connection, version) {
    const state =
      version === 0
        ? 'has no tables yet'
        : `has schema ${version}, and this version of Stockbook needs ${SCHEMA_VERSION}`;
    throw new UnusableDatabase(
      `The server is a worker node of a Citus cluster that ${state}. Only the coordinator migrates: run a command with its address in --database first, such as "stockbook account list".`,
    );
  },
  complete: async () => {},
};
