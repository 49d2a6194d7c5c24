/** Opens the store that a database setting names. */

import type { Database } from './database.ts';
import { openSqlite } from './sqlite/open.ts';
import type { Store } from './store.ts';

/** `create`: whether a database that is not there yet is made. */
export async function openStore({ path }: Database, options: { readonly create: boolean }): Promise<Store> {
  return openSqlite(path, options);
}
