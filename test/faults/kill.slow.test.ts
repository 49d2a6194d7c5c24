/** The program is killed at random moments while clients write and read, and an import runs. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeKey } from '../support/account-key.ts';
import { printDurations } from '../support/durations.ts';
import { engines, type TestDatabase } from '../support/engines.ts';
import { MixedLoad } from '../support/mixed-load.ts';
import { childOf, childrenOf, makeFolder, run, type Serving, serve, start } from '../support/program.ts';
import { seededRandom } from '../support/random.ts';
import { rounds } from '../support/rounds.ts';

const ROUNDS = rounds(2, 50);

/** The products of an import, all or none of which are written. */
const IMPORTED = rounds(200, 2_000);

/** In milliseconds. */
const TIMEOUT = rounds(300_000, 7_200_000);

describe.each(engines)('on $name', (engine) => {
  let folder: ReturnType<typeof makeFolder>;
  let database: TestDatabase;
  let key: string;
  let server: Serving;
  beforeEach(async () => {
    folder = makeFolder();
    database = await engine.makeMigrated();
    key = await makeKey(database.url);
  });
  afterEach(async () => {
    await killAll();
    await database.drop();
    folder.remove();
  });

  const startWith = async (workers: number) => {
    const started = performance.now();
    server = await serve(['--database', database.url, '--workers', String(workers)], { folder: folder.path });
    return performance.now() - started;
  };
  const killAll = async () => {
    for (const pid of [server.child.pid ?? 0, ...childrenOf(server)]) kill(pid);
    await server.finished;
  };
  const importMore = (round: number) => {
    const rows = Array.from({ length: IMPORTED }, (_, n) => `Imported in round ${round}: ${n}\n`);
    const file = join(folder.path, `products-${round}.csv`);
    writeFileSync(file, `name\n${rows.join('')}`);
    return start(['import', 'acme', 'product', file, '--database', database.url], { folder: folder.path });
  };
  const check = async () =>
    expect(await run(['check', '--database', database.url], { folder: folder.path })).toMatchObject({ code: 0 });
  const productsOf = (round: number) => database.count('product', `name LIKE 'Imported in round ${round}:%'`);

  test(`every acknowledged create survives ${ROUNDS} kills`, { timeout: TIMEOUT }, async ({ annotate }) => {
    const restarts: number[] = [];
    const random = seededRandom('kill');
    await startWith(2);
    const load = new MixedLoad({ port: () => server.port, key });
    // One of two workers is killed, then everything, then the only process.
    for (let round = 1; round <= ROUNDS; round += 1) {
      const importing = importMore(round);
      await load.progress(random.between(1, 100));
      if (round % 3 === 1) {
        const worker = childOf(server);
        kill(worker);
        await expect.poll(() => childrenOf(server).filter((pid) => pid !== worker)).toHaveLength(2);
      } else {
        await killAll();
        restarts.push(await startWith(round % 3 === 2 ? 1 : 2));
      }
      // Imports have nothing to do with the service, and some of them are killed as well.
      if (random.chance(1 / 3)) importing.child.kill('SIGKILL');
      const { code } = await importing.finished;
      expect([0, null]).toContain(code);
      expect([IMPORTED, ...(code === null ? [0] : [])]).toContain(await productsOf(round));
      if (rounds(0, 1) === 1) await check();
    }
    await load.progress(10);
    await load.stop();
    await load.check({ mayLose: true });
    await killAll();
    await check();
    const kills = `${ROUNDS} kills, ${load.acknowledged.size} creates acknowledged`;
    await annotate(`${kills}; ${printDurations('restarts of everything', restarts)}`);
  });
});

/** The process may be gone already. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is.
  }
}
