/** Every event is emitted in a test. */

import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventNames } from '../../src/observe/log.ts';

/** What takes a cluster, an index in memory that fails, or 64 MiB that are written while somebody reads. */
const UNSEEN = [
  'connected to a worker node',
  'worker node not connected',
  'write-ahead log too long',
  'index dropped',
  'index not built',
];

test('every event occurs in a test', () => {
  const folder = fileURLToPath(new URL('../', import.meta.url));
  const texts = globSync('**/*.ts', { cwd: folder, exclude: ['observe/events.test.ts'] }).map((file) =>
    readFileSync(`${folder}${file}`, 'utf8'),
  );
  expect(eventNames.filter((name) => !texts.some((text) => text.includes(name)))).toEqual(UNSEEN);
});
