/** The worker nodes of a cluster: whether they can be reached, and which servers they are. */

import { integerOf, textOf } from '../../sql/row.ts';
import { StoreUnavailable, UnusableDatabase } from '../../store-error.ts';
import type { Connection } from '../connection.ts';
import { SERVER_IDENTITY } from '../server-identity.ts';
import type { WorkerNode } from './node.ts';

/** The nodes that can be reached, by number: their server, its timeline and its last start, and the database. */
export type NodeIdentities = ReadonlyMap<number, string>;

/** Of all nodes that can be reached, or, with a worker node, of that one. Throws if it cannot be reached. */
export async function nodeIdentities(connection: Connection, workerNode?: WorkerNode): Promise<NodeIdentities> {
  if (workerNode !== undefined) return new Map([await workerNodeIdentity(connection, workerNode)]);
  const rows = await connection.query(
    'SELECT nodeid, success::text AS success, result FROM run_command_on_all_nodes($1::text)',
    [IDENTITY],
  );
  const reached = rows.filter((row) => row['success'] === 'true');
  return new Map(reached.map((row) => [integerOf(row, 'nodeid'), textOf(row, 'result')]));
}

/** It also tells that the tables were created anew. */
const IDENTITY = `SELECT ${SERVER_IDENTITY} || '/' || coalesce(to_regclass('generation')::oid, 0)`;

/** Of the worker node that a connection leads to. */
export async function ownIdentity(connection: Connection): Promise<[number, string]> {
  const [row = {}] = await connection.query(
    `SELECT nodeid, (${IDENTITY}) AS identity FROM pg_dist_node JOIN pg_dist_local_group USING (groupid) WHERE noderole = 'primary'`,
  );
  return [integerOf(row, 'nodeid'), textOf(row, 'identity')];
}

async function workerNodeIdentity(connection: Connection, workerNode: WorkerNode): Promise<[number, string]> {
  const { number, result } = await runOnWorkerNode(connection, workerNode, IDENTITY);
  return [number, result];
}

/** The identity of the server that is a worker node. */
export async function workerNodeServer(connection: Connection, workerNode: WorkerNode): Promise<string> {
  return (await runOnWorkerNode(connection, workerNode, `SELECT ${SERVER_IDENTITY}`)).result;
}

/** Throws if the worker node cannot be reached, or would round numbers: settings of a session do not reach it. */
export async function requireWorkerNode(connection: Connection, workerNode: WorkerNode): Promise<void> {
  const { address, result } = await runOnWorkerNode(
    connection,
    workerNode,
    "SELECT current_setting('extra_float_digits')",
  );
  if (Number(result) < 1)
    throw new UnusableDatabase(
      `The worker node ${address} rounds numbers: its setting extra_float_digits is ${result}. Set it to 1, which is the default of PostgreSQL, on every node.`,
    );
}

async function runOnWorkerNode(connection: Connection, workerNode: WorkerNode, command: string) {
  const [row] = await connection.query(
    `SELECT nodeid, nodename || ':' || nodeport AS address, success::text AS success, result FROM pg_dist_node,
      master_run_on_worker(ARRAY[nodename], ARRAY[nodeport], ARRAY[$1::text], false)
      WHERE groupid = $2::integer AND pg_dist_node.noderole = 'primary'`,
    [command, workerNode],
  );
  if (row === undefined)
    throw new StoreUnavailable('partly unreachable', `the cluster has no worker node in group ${workerNode}`);
  const address = textOf(row, 'address');
  if (row['success'] !== 'true')
    throw new StoreUnavailable('partly unreachable', `the worker node ${address} of the cluster cannot be reached`);
  return { number: integerOf(row, 'nodeid'), address, result: textOf(row, 'result') };
}

export interface WorkerNodes {
  readonly reachable: number;
  /** Their addresses. */
  readonly unreachable: readonly string[];
}

/** The worker nodes that have records. */
export async function findWorkerNodes(connection: Connection): Promise<WorkerNodes> {
  const rows = await connection.query(
    `SELECT nodename || ':' || nodeport AS address, success::text AS success
      FROM run_command_on_all_nodes('SELECT 1') JOIN pg_dist_node USING (nodeid)
      WHERE shouldhaveshards AND noderole = 'primary' ORDER BY nodeid`,
  );
  const unreachable = rows.filter((row) => row['success'] !== 'true').map((row) => textOf(row, 'address'));
  return { reachable: rows.length - unreachable.length, unreachable };
}
