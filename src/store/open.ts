/** Opens the store that a database setting names. Only its engine is loaded, with its driver. */

import type { Database } from './database.ts';
import type { PostgresOptions } from './postgres/open.ts';
import type { SqliteOptions } from './sqlite/open.ts';
import { CacheBudget } from './state/cache.ts';
import type { Store } from './store.ts';

export type StoreOptions = SqliteOptions & PostgresOptions;

/**
 * How long services and imports wait for another process that writes to SQLite, in milliseconds. An import holds the lock for about
 * ten seconds for each million of its rows, and longer on a busy machine.
 */
export const PATIENT_LOCK_TIMEOUT = 120_000;

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
