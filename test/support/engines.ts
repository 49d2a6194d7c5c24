/** The engines that every test of behaviour runs on, each with real databases of its own. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';

export interface TestEngine {
  readonly name: string;
  /** An empty database, as `--database` names it, and how to get rid of it. */
  makeDatabase(): Promise<TestDatabase>;
}

export interface TestDatabase {
  readonly url: string;
  /** Does something to the database behind the program's back. */
  execute(statement: string): Promise<void>;
  drop(): Promise<void>;
}

const sqlite: TestEngine = {
  name: 'SQLite',
  async makeDatabase() {
    const folder = await mkdtemp(join(tmpdir(), 'stockbook-test-'));
    const url = join(folder, 'stockbook.db');
    return {
      url,
      async execute(statement) {
        const connection = new DatabaseSync(url);
        connection.exec(statement);
        connection.close();
      },
      drop: () => rm(folder, { recursive: true }),
    };
  },
};

export const engines: readonly TestEngine[] = [sqlite];

export async function openTestStore(
  engine: TestEngine,
): Promise<{ store: Store; database: TestDatabase; close(): Promise<void> }> {
  const database = await engine.makeDatabase();
  const store = await openStore({ kind: 'sqlite', path: database.url }, { create: true });
  return {
    store,
    database,
    async close() {
      await store.close();
      await database.drop();
    },
  };
}
