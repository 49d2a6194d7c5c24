/** Connects to PostgreSQL and brings the tables up to date. */

import { tellUpgrade, type UpgradeOptions } from '../sql/migrations.ts';
import { sqlStore } from '../sql/sql-store.ts';
import type { Store } from '../store.ts';
import { Cluster } from './cluster.ts';
import { PostgresEngine } from './engine.ts';
import { translated } from './errors.ts';
import { migrate } from './migrate.ts';
import type { PoolOptions } from './pool.ts';
import type { PostgresUrl } from './url.ts';

export async function openPostgres(url: PostgresUrl, options: PoolOptions & UpgradeOptions): Promise<Store> {
  const cluster = new Cluster(url, options);
  try {
    const lane = await cluster.lane();
    // What is not committed when the connection closes is given up.
    tellUpgrade(await migrate(lane).finally(() => lane.close()), options);
  } catch (error) {
    await cluster.close();
    throw translated(error);
  }
  return sqlStore(new PostgresEngine(cluster));
}
