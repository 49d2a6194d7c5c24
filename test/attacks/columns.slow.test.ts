/** An account that floods the service with requests that are computed from columns in memory. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '../support/engines.ts';
import { rounds } from '../support/rounds.ts';
import { PRODUCTS } from '../support/rows.ts';
import { coldFilter, expectTurns, Flood, prepare, type Scene, type Target } from './attack.ts';
import { isLinux, processorTime } from './work-meter.ts';

/** As many as it takes for a resource to be indexed. */
const ROWS = 20_000;

/** The maximum number of requests of the bully that may be executed while the neighbour waits for one of its own. */
const MAX_TURNS = 20;

let requests = 0;

/** Costly requests of every kind, none of which has been sent before. */
function costlyRequest(): string {
  requests += 1;
  const unique = `list_price>${requests / 1_000}`;
  const texts = Array.from({ length: 20 }, (_, n) => `name!*${requests}x${n}`).join('&');
  const queries = [
    { path: '', filter: unique, sort: '-name', limit: '1000' },
    { path: '', filter: texts },
    { path: '', filter: `${unique}&name[${Array.from({ length: 500 }, (_, n) => `a${n}`).join(',')}]` },
    { path: '', filter: `${unique}&name*oak&qty_available<900`, explain: 'true' },
    { path: '/aggregate', filter: unique, facets: 'name,default_code', limit: '1000' },
    { path: '/aggregate', filter: unique, measures: 'sum(list_price),avg(qty_available)', facets: 'list_price:20' },
  ];
  const { path = '', ...values } = queries[requests % queries.length] ?? {};
  return `${PRODUCTS}${path}?${new URLSearchParams(values)}`;
}

describe.each(engines)('on $name', (engine) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await prepare(engine, { bully: { products: ROWS }, neighbour: { products: ROWS } });
  });
  afterAll(() => scene.drop());

  /** Both accounts have their products in columns. */
  async function serveFromColumns(): Promise<Target> {
    const target = await scene.serve('--server-timing');
    for (const client of [target.bully, target.neighbour])
      await expect
        .poll(async () => (await client.get(coldFilter())).headers['server-timing'])
        .toContain('total;desc="index"');
    return target;
  }

  test('100 clients: the neighbour never waits for more than a few of them', async () => {
    const target = await serveFromColumns();
    const flood = new Flood(target.bully, 100, costlyRequest);
    await expect.poll(() => flood.executed).toBeGreaterThan(0);
    const paths = [(n: number) => `${PRODUCTS}/${n}`, (n: number) => `${PRODUCTS}?page=${n}`, () => coldFilter()];
    for (let round = 1; round <= rounds(4, 10); round += 1)
      for (const pathOf of paths)
        await expectTurns(flood, MAX_TURNS, async () => {
          expect(await target.neighbour.get(pathOf(round))).toRespond(200);
        });
    expect(await target.ready()).toRespond(200);
    await flood.leave();
    for (const { status, headers } of flood.replies) {
      expect(status).toBeOneOf([200, 429, 503]);
      if (status !== 200) expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
    }
  });

  test('clients that leave and ask the same again are answered', async () => {
    const target = await serveFromColumns();
    for (let round = 0; round < rounds(4, 10); round += 1) {
      const path = `${PRODUCTS}/aggregate?facets=name,default_code&limit=1000&filter=list_price>${round / 100}`;
      const connections = Array.from({ length: 5 }, () => target.bully.sendUnread([path]));
      // Meanwhile they are being computed.
      expect(await target.neighbour.get(`${PRODUCTS}/${1 + round}`)).toRespond(200);
      for (const connection of connections) connection.leave();
      expect(await target.bully.get(path)).toRespond(200);
      expect(await target.ready()).toRespond(200);
    }
  });

  test.runIf(isLinux)('clients disconnect: what they asked for is not computed', async () => {
    const target = await serveFromColumns();
    const work = await processorTime(target, costlyRequest, 24);
    const times = rounds(3, 5);
    for (let round = 0; round < times; round += 1) {
      const connections = Array.from({ length: 90 }, () => target.bully.sendUnread([costlyRequest()]));
      await connections[0]?.firstHead();
      for (const connection of connections) connection.leave();
    }
    // If all of them were computed, this one would be behind them.
    expect(await target.bully.get(coldFilter())).toRespond(200);
    expect(await target.neighbour.get(coldFilter())).toRespond(200);
    expect(work.requests()).toBeLessThan(45 * times);
  });
});
