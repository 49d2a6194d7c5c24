/** SIGTERM while clients write and read: every request that was processed gets its response. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeKey } from '../support/account-key.ts';
import { sqlite, type TestDatabase } from '../support/engines.ts';
import { MixedLoad } from '../support/mixed-load.ts';
import { makeFolder, type Serving, serve } from '../support/program.ts';
import { rounds } from '../support/rounds.ts';

const ROUNDS = rounds(1, 10);

let folder: ReturnType<typeof makeFolder>;
let database: TestDatabase;
let server: Serving | undefined;
beforeEach(async () => {
  folder = makeFolder();
  database = await sqlite.makeMigrated();
});
afterEach(async () => {
  server?.child.kill('SIGKILL');
  await server?.finished;
  await database.drop();
  folder.remove();
});

test.each([1, 2])('%d workers stop and start again, and no request is lost', async (workers) => {
  const key = await makeKey(database.url);
  const start = async () => {
    server = await serve(['--database', database.url, '--workers', String(workers)], { folder: folder.path });
    return server;
  };
  let current = await start();
  const load = new MixedLoad({ port: () => current.port, key });
  for (let round = 0; round < ROUNDS; round += 1) {
    await load.progress(30);
    current.child.kill('SIGTERM');
    expect(await current.finished).toMatchObject({ code: 0 });
    current = await start();
  }
  await load.progress(10);
  await load.stop();
  await load.check({ mayLose: false });
  expect([...load.outcomes.keys()].filter((outcome) => /^[45]/.test(outcome))).toEqual([]);
});
