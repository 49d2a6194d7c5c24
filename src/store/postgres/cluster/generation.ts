/** Generations on a cluster. They name all nodes: a worker node that restarts, or is replaced, may have lost commits as well. */

import type { Generation } from '../../engine/engine.ts';
import { integerOf, textOrNullOf } from '../../sql/row.ts';
import { StoreUnavailable } from '../../store-error.ts';
import type { Connection } from '../connection.ts';
import { translateError } from '../errors.ts';
import type { WorkerNode } from './node.ts';
import { type NodeIdentities, nodeIdentities, ownIdentity } from './worker-nodes.ts';

/** Begins one if a node is not the one that the last names; with a worker node, only that is asked. What is known of the others stays. */
export async function beginClusterGenerationIfNew(
  connection: Connection,
  workerNode: WorkerNode | undefined,
  id: number,
): Promise<void> {
  const identities = await nodeIdentities(connection, workerNode);
  for (;;) {
    const last = await lastGeneration(connection);
    if ([...identities].every(([node, identity]) => last.nodes.get(node) === identity)) return;
    // Of several connections that find the same change, one succeeds.
    if (await insert(connection, { number: last.number + 1, id }, new Map([...last.nodes, ...identities]))) return;
  }
}

/** Throws unless the connection leads to a worker node that the last one names. Otherwise, writing through the node begins one. */
export async function requireGeneration(connection: Connection): Promise<void> {
  const [[number, identity], { nodes }] = await Promise.all([ownIdentity(connection), lastGeneration(connection)]);
  if (nodes.get(number) !== identity)
    throw new StoreUnavailable(
      'unreachable',
      'the worker node was restarted or replaced since the last generation began',
    );
}

/** Begins one in any case. */
export async function beginClusterGeneration(connection: Connection, id: number): Promise<Generation> {
  const identities = await nodeIdentities(connection);
  for (;;) {
    const { number } = await lastGeneration(connection);
    const generation = { number: number + 1, id };
    if (await insert(connection, generation, identities)) return generation;
  }
}

async function lastGeneration(
  connection: Connection,
): Promise<{ readonly number: number; readonly nodes: NodeIdentities }> {
  const [last = { number: 0, server: null }] = await connection.query(
    'SELECT number, server FROM generation ORDER BY number DESC LIMIT 1',
  );
  return { number: integerOf(last, 'number'), nodes: readIdentities(textOrNullOf(last, 'server') ?? '') };
}

/** False if there is one with this number. It is written on all nodes; that another worker node is lost says nothing about the one of the caller. */
async function insert(connection: Connection, { number, id }: Generation, nodes: NodeIdentities): Promise<boolean> {
  const text = `INSERT INTO generation (number, id, server, began_at) VALUES ($1::bigint, $2::bigint, $3::text, now())
    ON CONFLICT (number) DO NOTHING RETURNING number`;
  const rows = await connection.query(text, [number, id, printIdentities(nodes)]).catch((error: unknown) => {
    throw translateError(error);
  });
  return rows.length > 0;
}

function printIdentities(nodes: NodeIdentities): string {
  return Array.from(nodes, ([node, identity]) => `${node}:${identity}`).join(',');
}

function readIdentities(server: string): NodeIdentities {
  const entries = server.matchAll(/(?<node>\d+):(?<identity>[^,]+)/g);
  return new Map(Array.from(entries, ({ groups }) => [Number(groups?.['node']), groups?.['identity'] ?? '']));
}
