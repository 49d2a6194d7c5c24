/** Opens the store that a database setting names. Only its engine is loaded, with the driver. */

import type { Database } from './database.ts';
import type { PoolOptions } from './postgres/pool.ts';
import type { SqliteOptions } from './sqlite/open.ts';
import type { Store } from './store.ts';

export async function openStore(database: Database, options: SqliteOptions & PoolOptions): Promise<Store> {
  if (database.kind === 'sqlite') {
    const { openSqlite } = await import('./sqlite/open.ts');
    return openSqlite(database.path, options);
  }
  const { openPostgres } = await import('./postgres/open.ts');
  return openPostgres(database.url, options);
}
