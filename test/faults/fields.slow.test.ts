/** A command that adds a field is killed at random moments, while two processes serve the account. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeKey } from '../support/account-key.ts';
import { engines } from '../support/engines.ts';
import { processorTimeOf } from '../support/processor-time.ts';
import { makeFolder, run, type Serving, serve, start } from '../support/program.ts';
import { seededRandom } from '../support/random.ts';
import { rounds } from '../support/rounds.ts';
import { bodyOf } from '../support/rows.ts';
import { bearer, sendUnchecked } from '../support/service.ts';

const ROUNDS = rounds(3, 60);
const PRODUCTS = 20_000;

/** The most processor time that a command gets, in milliseconds: about as much as it takes. */
const MOST = 900;

describe.each(engines)('on $name', (engine) => {
  test(`fields and their indexes survive ${ROUNDS} kills`, { timeout: ROUNDS * 60_000 }, async () => {
    const folder = makeFolder();
    const database = await engine.makeMigrated();
    const stockbook = (...args: readonly string[]) =>
      run([...args, '--database', database.url], { folder: folder.path });
    const servers: Serving[] = [];
    try {
      const key = await makeKey(database.url);
      const file = join(folder.path, 'products.csv');
      writeFileSync(file, `name\n${Array.from({ length: PRODUCTS }, (_, n) => `Product ${n}\n`).join('')}`);
      expect(await stockbook('import', 'acme', 'product', file)).toMatchObject({ code: 0 });
      for (let node = 0; node < 2; node += 1)
        servers.push(await serve(['--database', database.url, '--workers', '1'], { folder: folder.path }));
      const fieldsAt = async ({ port }: Serving): Promise<readonly string[]> => {
        const reply = await sendUnchecked(port, { path: '/api/v1/inventory/product/1', headers: bearer(key) });
        return Object.keys(bodyOf(reply).data).filter((name) => name.startsWith('x_'));
      };
      const random = seededRandom('fields');
      for (let round = 0; round < ROUNDS; round += 1) {
        const name = `x_round_${round}`;
        const adding = start(
          ['field', 'add', 'product', name, 'text', '--indexed', '--searched', '--database', database.url],
          { folder: folder.path },
        );
        const used = random.below(MOST);
        await expect
          .poll(() => adding.child.exitCode !== null || processorTimeOf(adding.child.pid ?? 0) >= used)
          .toBe(true);
        adding.child.kill('SIGKILL');
        await adding.finished;
        // Both nodes agree, and the field can be used if it is there.
        const [first = [], second] = await Promise.all(servers.map(fieldsAt));
        expect(second).toEqual(first);
        const found = await sendUnchecked(servers[0]?.port ?? 0, {
          path: `/api/v1/inventory/product?filter=${name}*abc`,
          headers: bearer(key),
        });
        expect(found).toRespond(first.includes(name) ? 200 : 400);
        // An index may be missing, and nothing else.
        expect(await stockbook('check', '--repair')).toMatchObject({ code: 0 });
        expect(await stockbook('check')).toMatchObject({ code: 0 });
        const adds = await stockbook('field', 'add', 'product', name, 'text');
        expect(adds.code).toBe(first.includes(name) ? 1 : 0);
      }
    } finally {
      for (const { child, finished } of servers) {
        child.kill('SIGKILL');
        await finished;
      }
      await database.drop();
      folder.remove();
    }
  });
});
