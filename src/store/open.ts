/** Opens the store that a database setting names. */

import type { Database } from './database.ts';
import { openPostgres } from './postgres/open.ts';
import type { PoolOptions } from './postgres/pool.ts';
import { openSqlite } from './sqlite/open.ts';
import type { Store } from './store.ts';

export interface OpenOptions extends PoolOptions {
  /** Whether a SQLite file that is not there yet is made. */
  readonly create: boolean;
}

export async function openStore(database: Database, options: OpenOptions): Promise<Store> {
  return database.kind === 'sqlite' ? openSqlite(database.path, options) : openPostgres(database.url, options);
}
