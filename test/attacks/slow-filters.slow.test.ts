/** An account that floods the service with filters for which all of its records have to be read. */

import { rename } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { engines, onPostgres, type TestDatabase } from '../support/engines.ts';
import { connectTo } from '../support/postgres-connection.ts';
import { rounds } from '../support/rounds.ts';
import { PRODUCTS } from '../support/rows.ts';
import { coldFilter, expectTurns, Flood, heavyFilter, prepare, type Scene, type Target } from './attack.ts';
import { CONDITIONS, isLinux, measureWork } from './work-meter.ts';

const BULLY_ROWS = 20_000;
const NEIGHBOUR_ROWS = 5_000;

/**
 * The maximum number of requests of the bully that may be executed while the neighbour waits for one of its own. In a common queue, it
 * would wait for 200.
 */
const MAX_TURNS = 20;

/** A record, a list and a cold filter of the neighbour, none of which waits for many of the bully's. */
async function expectServed({ neighbour }: Target, flood: Flood, round: number, maxTurns = MAX_TURNS): Promise<void> {
  for (const pathOf of [() => `${PRODUCTS}/${1 + round}`, () => `${PRODUCTS}?page=${1 + round}`, coldFilter])
    await expectTurns(flood, maxTurns, async () => {
      expect(await neighbour.get(pathOf())).toRespond(200);
    });
}

/** Requests of the bully that are cheap, but each with a statement of its own. */
async function sendDifferent({ bully }: Target, count: number): Promise<void> {
  const fields = product.fields.map(({ name }) => name);
  const paths = Array.from({ length: count }, (_, n) => {
    const some = fields.filter((_, index) => ((n + 1) >> index) % 2 === 1);
    return `${PRODUCTS}?limit=1&fields=${some.join(',')}`;
  });
  // On a busy machine a statement may take long enough for all of them to be queued, and a queue has 100 places.
  const client = async () => {
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) expect(await bully.get(path)).toRespond(200);
  };
  await Promise.all(Array.from({ length: 50 }, client));
}

/** Errors say when to try again, and never that the database is unavailable. */
function checkErrors({ replies }: Flood): void {
  for (const { status, headers, json } of replies) {
    if (status === 200) continue;
    expect({ status, code: Object(json).code }).toBeOneOf([
      { status: 429, code: 'too_many_slow_requests' },
      { status: 503, code: 'query_timeout' },
    ]);
    expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
  }
}

describe.each(engines)('on $name', (engine) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await prepare(engine, { bully: { products: BULLY_ROWS }, neighbour: { products: NEIGHBOUR_ROWS } });
  });
  afterAll(() => scene.drop());

  test('200 clients: the neighbour never waits for more than a few of them', async () => {
    const target = await scene.serve();
    const flood = new Flood(target.bully, 200, () => heavyFilter(CONDITIONS));
    await expect.poll(() => flood.executed).toBeGreaterThan(0);
    for (let round = 0; round < rounds(4, 10); round += 1) {
      await expectServed(target, flood, round);
      expect(await target.ready()).toRespond(200);
    }
    expect(flood.pending).toBeGreaterThan(50);
    expect(flood.refused).toBeGreaterThan(50);
    await flood.leave();
    checkErrors(flood);
  });

  test('readiness is what the neighbour experiences', async () => {
    const target = await scene.serve();
    const flood = new Flood(target.bully, 50, () => heavyFilter(CONDITIONS));
    await expect.poll(() => flood.executed).toBeGreaterThan(0);
    const statuses = async () => [(await target.ready()).status, (await target.neighbour.get(coldFilter())).status];
    await expectTurns(flood, MAX_TURNS, async () => {
      expect(await statuses()).toEqual([200, 200]);
    });
    const restore = await takeAway(scene.database);
    await expect.poll(statuses).toEqual([503, 503]);
    await restore();
    await expect.poll(statuses).toEqual([200, 200]);
    await flood.leave();
  });

  describe.runIf(engine.name === 'PostgreSQL')('560 different requests, then 14 heavy ones', () => {
    const attack = async (target: Target, turns: number) => {
      await sendDifferent(target, 560);
      const flood = new Flood(target.bully, 14, () => heavyFilter(200));
      for (let round = 0; flood.executed < turns; round += 1) {
        await expectServed(target, flood, round % 500, 4);
        expect(await target.ready()).toRespond(200);
      }
      await flood.leave();
      checkErrors(flood);
    };

    test('the neighbour does not wait for them', async () => {
      await attack(await scene.serve(), 2);
    });

    test('that they have to wait for longer than a statement may take is not an error of the database', async () => {
      await attack(await scene.serve('--statement-timeout', '5'), 8);
    });
  });

  describe.skipIf(engine.name === 'SQLite' && !isLinux)('the work for clients that disconnect is dropped', () => {
    const filters = (count: number) => Array.from({ length: count }, () => heavyFilter(CONDITIONS));

    test('200 clients with a filter each', async () => {
      const target = await scene.serve();
      const work = await measureWork(scene, target, BULLY_ROWS);
      const flood = new Flood(target.bully, 200, () => heavyFilter(CONDITIONS));
      await expect.poll(() => flood.executed).toBeGreaterThan(0);
      await flood.leave();
      // If the others were not dropped, this one would be behind them.
      expect(await target.bully.get(heavyFilter(CONDITIONS))).toRespond(200);
      expect(await work.scans()).toBeLessThan(flood.executed + MAX_TURNS);
    });

    test('150 pipelined requests', async () => {
      const target = await scene.serve();
      const work = await measureWork(scene, target, BULLY_ROWS);
      const connection = target.bully.sendUnread(filters(150));
      expect(await connection.firstHead()).toMatchObject({ status: 200 });
      expect(await target.neighbour.get(coldFilter())).toRespond(200);
      connection.leave();
      expect(await target.bully.get(heavyFilter(CONDITIONS))).toRespond(200);
      expect(await work.scans()).toBeLessThan(MAX_TURNS);
    });

    test('400 clients, and the process is told to stop', async () => {
      const target = await scene.serve();
      const work = await measureWork(scene, target, BULLY_ROWS);
      const connections = filters(400).map((path) => target.bully.sendUnread([path]));
      let executed = 0;
      for (const connection of connections)
        void connection.firstHead().then(({ status }) => {
          if (status !== 429) executed += 1;
        });
      await expect.poll(() => executed).toBeGreaterThan(0);
      for (const connection of connections) connection.leave();
      target.child.kill('SIGTERM');
      const { code, stderr } = await target.finished;
      expect(code).toBe(0);
      expect(await work.scans()).toBeLessThan(executed + MAX_TURNS);
      expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ msg: 'stopped', forced: false });
    });

    test.runIf(engine.name === 'PostgreSQL')('30 clients: statements that are running end as well', async () => {
      const target = await scene.serve();
      const work = await measureWork(scene, target, BULLY_ROWS);
      const connection = connectTo(scene.database.url);
      onTestFinished(() => connection.end());
      const running = async () => {
        const [row] = await connection.query(`SELECT count(*)::int AS count FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'stockbook' AND state = 'active'
            AND query LIKE '%FROM product%'`);
        return row?.['count'];
      };
      const flood = new Flood(target.bully, 30, () => heavyFilter(200));
      await expect.poll(running).toBeGreaterThan(0);
      await flood.leave();
      await expect.poll(running).toBe(0);
      // Two were running.
      expect(await work.scans()).toBeLessThan(flood.executed + 2);
    });
  });
});

/** Makes the database inaccessible until the returned function is called. */
async function takeAway({ url }: TestDatabase): Promise<() => Promise<void>> {
  if (!url.startsWith('postgres:')) {
    await rename(url, `${url}.away`);
    return () => rename(`${url}.away`, url);
  }
  const name = new URL(url).pathname.slice(1);
  const elsewhere = url.replace(`/${name}`, '/postgres');
  await onPostgres(elsewhere, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await onPostgres(elsewhere, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  return () => onPostgres(elsewhere, `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
}
