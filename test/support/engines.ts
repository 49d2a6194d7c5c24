/** The engines that every behaviour test runs on, with real databases. */

import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { inject } from 'vitest';
import type { Clock } from '../../src/schedule/clock.ts';
import type { ColumnIndexOptions } from '../../src/store/column-index/column-indexes.ts';
import { readDatabase } from '../../src/store/database.ts';
import { openStore } from '../../src/store/open.ts';
import { CacheBudget } from '../../src/store/state/cache.ts';
import type { Store } from '../../src/store/store.ts';
import { joinNodes, nodeUrls } from './cluster.ts';
import { connectTo, queryOnce } from './postgres-connection.ts';
import { uniqueName } from './random.ts';

export interface TestEngine {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** An empty database. */
  makeDatabase(): Promise<TestDatabase>;
  /** A database that has the current schema and nothing else, which saves most of the time that opening it takes. */
  makeMigrated(): Promise<TestDatabase>;
}

export interface TestDatabase {
  /** What `--database` takes. */
  readonly url: string;
  /** Changes the database behind the program's back. All statements have one connection. */
  execute(...statements: readonly string[]): Promise<void>;
  /** The same on every node of a cluster. */
  executeOnNodes(statement: string): Promise<void>;
  /** The number of rows of a table that meet a condition. */
  count(table: string, condition: string): Promise<number>;
  /** Blocks every write until the returned function is called. */
  holdWrites(): Promise<() => Promise<void>>;
  drop(): Promise<void>;
}

export const sqlite: TestEngine = {
  name: 'SQLite',
  async makeDatabase() {
    const folder = await mkdtemp(join(tmpdir(), 'stockbook-test-'));
    const url = join(folder, 'stockbook.db');
    const execute = async (...statements: readonly string[]) => {
      const connection = new DatabaseSync(url);
      for (const statement of statements) connection.exec(statement);
      connection.close();
    };
    return {
      url,
      execute,
      executeOnNodes: execute,
      async count(table, condition) {
        const connection = new DatabaseSync(url);
        const row = connection.prepare(`SELECT count(*) AS rows FROM ${table} WHERE ${condition}`).get();
        connection.close();
        return Number(row?.['rows']);
      },
      async holdWrites() {
        const connection = new DatabaseSync(url);
        connection.exec('BEGIN IMMEDIATE');
        return async () => connection.close();
      },
      drop: () => rm(folder, { recursive: true }),
    };
  },
  async makeMigrated() {
    const database = await sqlite.makeDatabase();
    await copyFile(inject('sqliteTemplate'), database.url);
    return database;
  },
};

export const postgresql: TestEngine = {
  name: 'PostgreSQL',
  makeDatabase: () => makePostgresDatabase(inject('postgresUrl')),
  makeMigrated: () => makePostgresDatabase(inject('postgresUrl'), inject('postgresTemplate')),
};

/** Creates it on the server of another database, or, if that is part of a cluster, on all its nodes. */
export async function makePostgresDatabase(
  server: string,
  template = 'template0',
  seen?: (workerNode: string) => string,
): Promise<TestDatabase> {
  const name = uniqueName('test_');
  const nodes = await nodeUrls(server);
  const onNodes = (statement: string) => Promise.all(nodes.map((node) => onPostgres(node, statement)));
  const named = (node: string) => node.replace(/\/[^/?]*(\?.*)?$/, `/${name}$1`);
  await onNodes(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  if (template === 'template0') await joinNodes(nodes.map(named), seen);
  const url = named(server);
  return {
    url,
    execute: (...statements) => onPostgres(url, ...statements),
    async executeOnNodes(statement) {
      // A worker node would hide the tables that have the rows.
      for (const node of nodes) await onPostgres(named(node), 'SET citus.override_table_visibility = off', statement);
    },
    async count(table, condition) {
      const [row] = await queryOnce(url, `SELECT count(*) AS rows FROM ${table} WHERE ${condition}`);
      return Number(row?.['rows']);
    },
    async holdWrites() {
      const connection = connectTo(url);
      // Citus does not support FOR UPDATE for all accounts.
      await connection.query('BEGIN; UPDATE ledger SET rows = rows; UPDATE api_key SET name = name');
      return () => connection.end();
    },
    async drop() {
      await Promise.all(nodes.map((node) => dropDatabase(node, name)));
    },
  };
}

/** The daemon that Citus has in a database may connect again while it is dropped. */
async function dropDatabase(server: string, name: string): Promise<void> {
  for (;;) {
    try {
      return await onPostgres(server, `DROP DATABASE ${name} WITH (FORCE)`);
    } catch (error) {
      const isUsed = error instanceof pg.DatabaseError && error.code === '55006';
      if (!isUsed) throw error;
    }
  }
}

export async function onPostgres(url: string, ...statements: readonly string[]): Promise<void> {
  const connection = connectTo(url);
  try {
    for (const statement of statements) await connection.query(statement);
  } finally {
    await connection.end();
  }
}

/** The value of a SQL expression. */
export async function evaluate(url: string, expression: string): Promise<unknown> {
  const [row] = await queryOnce(url, `SELECT ${expression} AS value`);
  return row?.['value'];
}

export const engines: readonly TestEngine[] = [sqlite, postgresql];

/** For tests of HTTP alone, such as headers and framing, which no engine affects. */
export const oneEngine: readonly TestEngine[] = [sqlite];

export interface OpenedStore {
  readonly store: Store;
  readonly database: TestDatabase;
  close(): Promise<void>;
}

export async function openTestStore(
  engine: TestEngine,
  budget?: CacheBudget,
  columns?: ColumnIndexOptions,
  clock?: Clock,
): Promise<OpenedStore> {
  const database = await engine.makeMigrated();
  const store = await openDatabase(database.url, budget, columns, clock);
  return {
    store,
    database,
    async close() {
      await store.close();
      await database.drop();
    },
  };
}

/** The cache budget of a store in bytes, unless a test sets another. */
const CACHE_SIZE = 4 * 1024 * 1024;

export function openDatabase(
  url: string,
  budget: CacheBudget = new CacheBudget(CACHE_SIZE),
  columnIndexes: ColumnIndexOptions = { maxBytes: 0 },
  clock?: Clock,
): Promise<Store> {
  const database = readDatabase(url);
  if (database === undefined) throw new Error(`${url} is not a database`);
  return openStore(database, { create: true, poolSize: 4, statementTimeout: 20, columnIndexes, clock }, budget);
}
