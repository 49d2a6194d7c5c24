/** Connects to PostgreSQL and migrates the database. */

import { processActor } from '../accounts/process-actor.ts';
import type { Actor } from '../audit.ts';
import { reportUpgrade, type UpgradeOptions } from '../migrations/migrations.ts';
import { OwnAgreement } from '../server-agreement.ts';
import { type SqlStoreOptions, sqlStore } from '../sql-store.ts';
import type { CacheBudget } from '../state/cache.ts';
import type { Store } from '../store.ts';
import { ClusterEngine, type ClusterOptions } from './cluster/engine.ts';
import type { NodeRole } from './cluster/node.ts';
import { findRole } from './cluster/role.ts';
import { clusterTopology } from './cluster/topology.ts';
import { PostgresEngine } from './engine.ts';
import { migrate } from './migrate.ts';
import { Primary } from './primary.ts';
import { SINGLE_SERVER } from './single-server.ts';
import type { PostgresUrl } from './url.ts';

export interface PostgresOptions extends ClusterOptions, UpgradeOptions, SqlStoreOptions {}

export async function openPostgres(url: PostgresUrl, given: PostgresOptions, budget: CacheBudget): Promise<Store> {
  const actor = processActor();
  // On a cluster, there are connections for each of its worker nodes.
  const options = { ...given, agreement: given.agreement ?? new OwnAgreement() };
  const primary = new Primary(url, SINGLE_SERVER, options);
  const role = await prepare(primary, actor, options).catch(async (error: unknown) => {
    await primary.close();
    throw error;
  });
  const engine = role === 'single' ? new PostgresEngine(primary, options) : new ClusterEngine(url, role, options);
  if (role !== 'single') await primary.close();
  return sqlStore(engine, actor, budget, options);
}

/** Migrates the database, and returns what the server is. */
async function prepare(primary: Primary, actor: Actor, options: UpgradeOptions): Promise<NodeRole> {
  const { version, role } = await primary.run(async (server) => {
    const connection = await server.open('migration');
    try {
      const found = await findRole(connection);
      const { migration } = found === 'single' ? SINGLE_SERVER : clusterTopology({ role: found });
      return { version: await migrate(connection, migration, actor), role: found };
    } finally {
      // Closing the connection rolls back what is not committed.
      await connection.close();
    }
  });
  reportUpgrade(version, options);
  if (role === 'worker node') options.onWorkerNode?.();
  return role;
}
