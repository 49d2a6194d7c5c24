/** Creates a SQLite file that has the current schema and nothing else, of which tests get copies. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from './engines.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of that file. */
    sqliteTemplate: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'stockbook-test-'));
  const template = join(folder, 'template.db');
  const store = await openDatabase(template);
  await store.close();
  project.provide('sqliteTemplate', template);
  return () => rm(folder, { recursive: true });
}
