/** The program is killed at random moments while connectors import: positions and rows agree, and what was acknowledged is there. */

import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeKey } from '../support/account-key.ts';
import { engines, type TestDatabase } from '../support/engines.ts';
import { childrenOf, makeFolder, run, type Serving, serve } from '../support/program.ts';
import { seededRandom } from '../support/random.ts';
import { rounds } from '../support/rounds.ts';

const ROUNDS = rounds(3, 60);

/** How many rows the imports of a connector have: a few, which share transactions, or so many that they are staged first. */
const CONNECTORS = { one: 1, few: 40, many: 1_500 } as const;

type Name = keyof typeof CONNECTORS;

describe.each(engines)('on $name', (engine) => {
  let folder: ReturnType<typeof makeFolder>;
  let database: TestDatabase;
  let key: string;
  let server: Serving;
  beforeEach(async () => {
    folder = makeFolder();
    database = await engine.makeMigrated();
    key = await makeKey(database.url, { scopes: ['read', 'edit'] });
  });
  afterEach(async () => {
    await killAll();
    await database.drop();
    folder.remove();
  });

  const start = async (workers: number) => {
    server = await serve(['--database', database.url, '--workers', String(workers)], { folder: folder.path });
  };
  const killAll = async () => {
    for (const pid of [server.child.pid ?? 0, ...childrenOf(server)]) kill(pid);
    await server.finished;
  };
  /** Undefined if there is no response. */
  const send = (method: string, path: string, body = '') =>
    new Promise<{ status: number; json: unknown } | undefined>((resolve) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' };
      const sent = request({ port: server.port, method, path, headers, agent: false }, async (response) => {
        const text = await response.toArray().catch(() => undefined);
        resolve(
          text && { status: response.statusCode ?? 0, json: JSON.parse(Buffer.concat(text).toString() || 'null') },
        );
      });
      sent.on('error', () => resolve(undefined));
      sent.end(body);
    });

  test(`an import that is killed ${ROUNDS} times is made once, or not at all`, {
    timeout: rounds(300_000, 7_200_000),
  }, async () => {
    await start(2);
    const acknowledged: Record<Name, number> = { one: 0, few: 0, many: 0 };
    let isOver = false;
    /** Imports with the next position, and asks for the last one if it gets no response. */
    const connect = async (name: Name) => {
      let position = 0;
      while (!isOver) {
        const next = position + 1;
        const expected = position === 0 ? '' : String(position);
        const path = `/api/v1/inventory/product/import?source=${name}&position=${next}&expect=${expected}`;
        const rows = Array.from({ length: CONNECTORS[name] }, (_, n) => `{"name":"${name} ${next}: ${n}"}\n`);
        const reply = await send('POST', path, rows.join(''));
        if (reply?.status === 200) {
          position = next;
          acknowledged[name] = next;
          continue;
        }
        const source = await send('GET', `/api/v1/sources/${name}`);
        if (source?.status === 200) position = Number(Object(source.json).data.position);
      }
    };
    const names: readonly Name[] = ['one', 'few', 'many'];
    const connectors = names.map(connect);
    const random = seededRandom('imports');
    for (let round = 1; round <= ROUNDS; round += 1) {
      const before = { ...acknowledged };
      await expect.poll(() => names.every((name) => acknowledged[name] > before[name])).toBe(true);
      for (let iterations = random.below(2_000); iterations > 0; iterations -= 1) await new Promise(setImmediate);
      await killAll();
      await start((round % 2) + 1);
    }
    isOver = true;
    await Promise.all(connectors);
    for (const name of names) {
      const source = await send('GET', `/api/v1/sources/${name}`);
      const position = Number(Object(source?.json).data.position);
      expect(position).toBeGreaterThanOrEqual(acknowledged[name]);
      const total = await database.count('product', `name LIKE '${name} %'`);
      expect(total).toBe(position * CONNECTORS[name]);
      expect(await database.count('product', `name LIKE '${name} ${position + 1}:%'`)).toBe(0);
    }
    await killAll();
    expect(await run(['check', '--database', database.url], { folder: folder.path })).toMatchObject({ code: 0 });
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
