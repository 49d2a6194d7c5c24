/** Opens the store that a database setting names. */

import type { Database } from './database.ts';
import { openPostgres } from './postgres/open.ts';
import type { PoolOptions } from './postgres/pool.ts';
import { openSqlite, type SqliteOptions } from './sqlite/open.ts';
import type { Store } from './store.ts';

export async function openStore(database: Database, options: SqliteOptions & PoolOptions): Promise<Store> {
  return database.kind === 'sqlite' ? openSqlite(database.path, options) : openPostgres(database.url, options);
}
