/** SIGTERM while clients write and read: every request that was processed gets its response. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeKey } from '../support/account-key.ts';
import { printDurations } from '../support/durations.ts';
import { engines, type TestDatabase } from '../support/engines.ts';
import { MixedLoad } from '../support/mixed-load.ts';
import { kill, makeFolder, type Serving, serve } from '../support/program.ts';
import { rounds } from '../support/rounds.ts';
import { createPartner } from '../support/rows.ts';
import { awaitedLater, bearer, send, sendUnchecked } from '../support/service.ts';

const ROUNDS = rounds(1, 10);

describe.each(engines)('on $name', (engine) => {
  let folder: ReturnType<typeof makeFolder>;
  let database: TestDatabase;
  let server: Serving | undefined;
  beforeEach(async () => {
    folder = makeFolder();
    database = await engine.makeMigrated();
  });
  afterEach(async () => {
    await kill(server);
    await database.drop();
    folder.remove();
  });

  test.for([1, 2])(
    'with %d workers, it stops and starts again while clients write and read, and no request is lost',
    async (workers, { annotate }) => {
      const key = await makeKey(database.url);
      const start = async () => {
        server = await serve(['--database', database.url, '--workers', String(workers)], { folder: folder.path });
        return server;
      };
      const [stops, starts]: [number[], number[]] = [[], []];
      let current = await start();
      const load = new MixedLoad({ port: () => current.port, key });
      for (let round = 0; round < ROUNDS; round += 1) {
        await load.progress(30);
        const began = performance.now();
        current.child.kill('SIGTERM');
        expect(await current.finished).toMatchObject({ code: 0 });
        const stopped = performance.now();
        current = await start();
        stops.push(stopped - began);
        starts.push(performance.now() - stopped);
      }
      await load.progress(10);
      await load.stop();
      await load.check({ mayLose: false });
      expect([...load.outcomes.keys()].filter((outcome) => /^[45]/.test(outcome))).toEqual([]);
      const creates = `${load.acknowledged.size} creates acknowledged, ${load.uncertain.size} without a response`;
      await annotate(`${creates}; ${printDurations('stops', stops)}; ${printDurations('starts', starts)}`);
    },
  );

  test('a write whose statement waits for another is finished', async () => {
    const key = await makeKey(database.url);
    const { port, adminPort, child, finished, output } = await serve(['--database', database.url], {
      folder: folder.path,
    });
    const release = await database.holdWrites();
    const creating = awaitedLater(send(port, createPartner('Slow', bearer(key))));
    const metrics = async () => (await sendUnchecked(adminPort, { path: '/metrics' })).text;
    await expect.poll(metrics).toContain('stockbook_http_connections{state="busy"} 1\n');
    child.kill('SIGTERM');
    await expect.poll(() => output().stderr).toContain('"stopping"');
    await release();
    expect(await creating).toRespond(201);
    expect(await finished).toMatchObject({ code: 0, stderr: expect.stringMatching(/"forced":false[^\n]*\n$/) });
  });
});
