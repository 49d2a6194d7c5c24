/** Connects to PostgreSQL and migrates the database. */

import type { ColumnIndexOptions } from '../columns/column-indexes.ts';
import { reportUpgrade, type UpgradeOptions } from '../migrations/migrations.ts';
import { processActor } from '../process-actor.ts';
import { sqlStore } from '../sql-store.ts';
import type { CacheBudget } from '../state/cache.ts';
import type { Store } from '../store.ts';
import { PostgresEngine } from './engine.ts';
import { migrate } from './migrate.ts';
import { Primary, type PrimaryOptions } from './primary.ts';
import type { PostgresUrl } from './url.ts';

export interface PostgresOptions extends PrimaryOptions, UpgradeOptions {
  /** How long fast reads of an account may wait before further ones are refused, in milliseconds; 0, the default, means unlimited. */
  readonly maxDelay?: number;
  /** Without options, there are no columns in memory. */
  readonly columns?: ColumnIndexOptions;
}

export async function openPostgres(url: PostgresUrl, options: PostgresOptions, budget: CacheBudget): Promise<Store> {
  const actor = processActor();
  const primary = new Primary(url, options);
  try {
    const version = await primary.run(async (server) => {
      const connection = await server.open('migration');
      // Closing the connection rolls back what is not committed.
      return migrate(connection, actor).finally(() => connection.close());
    });
    reportUpgrade(version, options);
  } catch (error) {
    await primary.close();
    throw error;
  }
  return sqlStore(new PostgresEngine(primary, options.poolSize, options.maxDelay ?? 0), actor, budget, options.columns);
}
