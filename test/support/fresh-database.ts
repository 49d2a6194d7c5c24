/** PostgreSQL databases for the tests of one file. They are dropped when all of these are done. */

import { afterAll, inject } from 'vitest';
import { readDatabase } from '../../src/store/database.ts';
import { openStore, type StoreOptions } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { makePostgresDatabase, type TestDatabase } from './engines.ts';

const databases: TestDatabase[] = [];
afterAll(() => Promise.all(databases.map((database) => database.drop())));

/** An empty one. */
export async function freshDatabase(): Promise<TestDatabase> {
  const database = await makePostgresDatabase(inject('postgresUrl'));
  databases.push(database);
  return database;
}

export function openWith(url: string, options: Partial<StoreOptions> = {}): Promise<Store> {
  const database = readDatabase(url);
  if (database === undefined) throw new Error(`${url} is not a database`);
  return openStore(database, { create: true, poolSize: 3, statementTimeout: 20, ...options });
}
