/** Starts one PostgreSQL server for all tests, unless `STOCKBOOK_TEST_POSTGRES` names a server to use. */

import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of a database whose server creates the databases of the tests. */
    postgresUrl: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['STOCKBOOK_TEST_POSTGRES'];
  if (given !== undefined) {
    project.provide('postgresUrl', given);
    return async () => {};
  }
  const server = await startPostgres();
  project.provide('postgresUrl', server.url('postgres'));
  return () => server.remove();
}
