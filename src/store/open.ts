/** Opens the store that a database setting names. Only its engine is loaded, with its driver. */

import type { Database } from './database.ts';
import type { PostgresOptions } from './postgres/open.ts';
import type { SqliteOptions } from './sqlite/open.ts';
import { CacheBudget } from './state/cache.ts';
import type { Store } from './store.ts';

export type StoreOptions = SqliteOptions & PostgresOptions;

/** Without a budget, nothing is cached. */
export async function openStore(
  database: Database,
  options: StoreOptions,
  budget: CacheBudget = new CacheBudget(0),
): Promise<Store> {
  if (database.kind === 'sqlite') {
    const { openSqlite } = await import('./sqlite/open.ts');
    return openSqlite(database.path, options, budget);
  }
  const { openPostgres } = await import('./postgres/open.ts');
  return openPostgres(database.url, options, budget);
}
