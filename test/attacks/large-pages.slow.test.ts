/** An account whose pages are as large as pages can be. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '../support/engines.ts';
import { memoryOf } from '../support/memory.ts';
import { rounds } from '../support/rounds.ts';
import { PARTNERS, PRODUCTS } from '../support/rows.ts';
import { expectTurns, Flood, type Head, prepare, type Scene, type Target } from './attack.ts';
import { isLinux } from './work-meter.ts';

const MIB = 1024 * 1024;
const NEIGHBOUR_ROWS = 1_000;

/** How many large pages are requested and not read, and the maximum memory that this may take. All of them would take more. */
const UNREAD = rounds(60, 120);
const MAX_MEMORY = rounds(600, 900) * MIB;

let pages = 0;

/** A page of about 6 MB that is hardly ever cached. */
function largePage(): string {
  pages += 1;
  return `${PARTNERS}?limit=${650 + (pages % 50)}`;
}

describe.each(engines)('on $name', (engine) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await prepare(engine, {
      bully: { products: 1, largePartners: 700 },
      neighbour: { products: NEIGHBOUR_ROWS },
    });
  });
  afterAll(() => scene.drop());

  const expectRecords = async ({ neighbour }: Target, count: number) => {
    for (let n = 0; n < count; n += 1)
      expect(await neighbour.get(`${PRODUCTS}/${1 + (n % NEIGHBOUR_ROWS)}`)).toRespond(200);
  };

  test.runIf(isLinux)(`${UNREAD} unread pages take a limited amount of memory`, { timeout: 300_000 }, async () => {
    // No deadline passes before it is the turn of the last one, however busy the machine is.
    const target = await scene.serve('--request-timeout', '280');
    const heads: Head[] = [];
    for (let n = 0; n < UNREAD; n += 1)
      void target.bully
        .sendUnread([largePage()])
        .firstHead()
        .then((head) => heads.push(head));
    for (let answered = 0; answered < UNREAD; answered = heads.length) {
      await expectRecords(target, 10);
      expect(await target.ready()).toRespond(200);
      await expect.poll(() => heads.length).toBeGreaterThan(answered);
    }
    const refused = heads.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(UNREAD - 20);
    for (const { headers } of refused) expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(memoryOf(target.pid)?.peak).toBeLessThan(MAX_MEMORY);
  });

  test('many pages that are just small enough for the serving thread take turns with the neighbour', async () => {
    const target = await scene.serve();
    const flood = new Flood(target.bully, 200, () => `${PARTNERS}/changes?limit=45`);
    await expect.poll(() => flood.executed).toBeGreaterThan(8);
    // Not for all 200. On a busy machine the neighbour also waits for a processor, so it may try again.
    for (let n = 0; n < rounds(6, 20); n += 1) await expectTurns(flood, 40, () => expectRecords(target, 1));
    await flood.leave();
  });

  test('pages are not made at the expense of the neighbour', async () => {
    const target = await scene.serve();
    await expectRecords(target, 10);
    const flood = new Flood(target.bully, 8, largePage);
    await expect.poll(() => flood.executed).toBeGreaterThan(8);
    // If pages were made where records are looked up, each lookup would wait for a page of every client: for 8.
    const lookups = rounds(50, 200);
    await expectTurns(flood, lookups - 1, () => expectRecords(target, lookups));
    expect(await target.ready()).toRespond(200);
    await flood.leave();
  });
});
