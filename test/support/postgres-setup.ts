/**
 * Starts one PostgreSQL server for all tests, unless `STOCKBOOK_TEST_POSTGRES` names a server to use, and creates a database there
 * that others are copied from.
 */

import type { TestProject } from 'vitest/node';
import { closeDatabase, nodeUrls } from './cluster.ts';
import { makePostgresDatabase, openDatabase } from './engines.ts';
import { startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of a database whose server creates the databases of the tests. */
    postgresUrl: string;
    /** The name of a database there that has the current schema and nothing else. */
    postgresTemplate: string;
    /** Whether the server is the coordinator of a Citus cluster. */
    isCluster: boolean;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, remove } = await findServer();
  const template = await makePostgresDatabase(url);
  const store = await openDatabase(template.url);
  await store.close();
  const name = new URL(template.url).pathname.slice(1);
  const nodes = await nodeUrls(url);
  for (const node of nodes) await closeDatabase(node, name);
  project.provide('postgresUrl', url);
  project.provide('postgresTemplate', name);
  project.provide('isCluster', nodes.length > 1);
  return async () => {
    await template.drop();
    await remove();
  };
}

async function findServer(): Promise<{ readonly url: string; remove(): Promise<void> }> {
  const given = process.env['STOCKBOOK_TEST_POSTGRES'];
  if (given !== undefined) return { url: given, remove: async () => {} };
  const server = await startPostgres();
  return { url: server.url('postgres'), remove: () => server.remove() };
}
