/** Databases on a Citus cluster, for tests that run with `STOCKBOOK_TEST_POSTGRES` on its coordinator. Every node has a database of the same name. */

import { queryOnce } from './postgres-connection.ts';

/** The URL of a database on each node: the coordinator's first. On a server that is not a coordinator, only its own. */
export async function nodeUrls(server: string): Promise<readonly string[]> {
  const extensions = await queryOnce(server, `SELECT 1 FROM pg_extension WHERE extname = 'citus'`);
  if (extensions.length === 0) return [server];
  const workerNodes = await queryOnce(
    server,
    'SELECT nodename, nodeport FROM pg_dist_node WHERE groupid <> 0 ORDER BY nodeid',
  );
  return [server, ...workerNodes.map(({ nodename, nodeport }) => withHost(server, `${nodename}:${nodeport}`))];
}

/** Makes a cluster of new databases. `seen` is the URL at which the other nodes see a worker node. */
export async function joinNodes(
  [coordinator, ...workerNodes]: readonly string[],
  seen: (workerNode: string) => string = (workerNode) => workerNode,
): Promise<void> {
  if (coordinator === undefined || workerNodes.length === 0) return;
  await Promise.all([coordinator, ...workerNodes].map((url) => queryOnce(url, 'CREATE EXTENSION citus')));
  await queryOnce(coordinator, `SELECT citus_set_coordinator_host(${address(coordinator)})`);
  for (const workerNode of workerNodes)
    await queryOnce(coordinator, `SELECT citus_add_node(${address(seen(workerNode))})`);
}

/** Others are copied from it, which requires that nobody is connected, not even the daemon of the extension. */
export async function closeDatabase(server: string, name: string): Promise<void> {
  await queryOnce(server, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await queryOnce(server, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
}

function withHost(url: string, host: string): string {
  const changed = new URL(url);
  changed.host = host;
  return changed.href;
}

function address(url: string): string {
  const { hostname, port } = new URL(url);
  return `'${hostname}', ${port}`;
}
