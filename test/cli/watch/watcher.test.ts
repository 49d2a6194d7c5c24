/** When files are imported from a watched folder. What becomes of them is in `test/program/watch-once.slow.test.ts`. */

import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { product } from '../../../src/catalog/product.ts';
import { EventLog } from '../../../src/cli/event-log.ts';
import { StoreDestination } from '../../../src/cli/watch/store-destination.ts';
import { WatchedFolder } from '../../../src/cli/watch/watched-folder.ts';
import { Watcher } from '../../../src/cli/watch/watcher.ts';
import { sqlite } from '../../support/engines.ts';
import { folderPerTest, sharedStore } from '../../support/shared.ts';
import { TestClock } from '../../support/test-clock.ts';

const folder = folderPerTest();
const opened = sharedStore(sqlite);

class RecordedLog extends EventLog {
  readonly events: string[] = [];
  readonly warnings: string[] = [];
  /** How often one was met. */
  obstacles = 0;

  override event(text: string): void {
    this.events.push(text);
  }

  override warning(text: string): void {
    this.warnings.push(text);
  }

  override obstacle(about: string, text: string): void {
    this.obstacles += 1;
    super.obstacle(about, text);
  }
}

/** A watcher that imports what has not changed for so long, in milliseconds. */
async function watching(settle: number) {
  const clock = new TestClock();
  const account = await opened.account();
  const controller = new AbortController();
  const log = new RecordedLog(() => {}, clock);
  const watcher = new Watcher({
    folder: new WatchedFolder(folder.path, clock),
    destination: new StoreDestination(opened.store, account, clock),
    account: account.name,
    sourcePrefix: 'watch',
    settle,
    log,
    signal: controller.signal,
    clock,
  });
  const looked = () => expect.poll(() => clock.waiting).toEqual([1_000]);
  return {
    clock,
    log,
    watcher,
    total: async () => (await opened.page(account, product)).total,
    /** Until the test is over. Resolves when the folder has been looked at. */
    async run() {
      const running = watcher.run();
      onTestFinished(async () => {
        controller.abort();
        await running;
      });
      await looked();
    },
    /** Resolves when the folder has been looked at again, a second later. */
    async pass() {
      await clock.advance(1_000);
      await looked();
    },
  };
}

const put = (name: string, content: string, time?: number) => {
  writeFileSync(join(folder.path, name), content);
  if (time !== undefined) utimesSync(join(folder.path, name), time, time);
};
const list = () => readdirSync(folder.path).toSorted();

test('a file is imported once it no longer grows', async () => {
  const { run, pass, total, log } = await watching(5_000);
  await run();
  for (let rows = 1; rows <= 8; rows += 1) {
    put('product.csv', `name\n${'Chair\n'.repeat(rows)}`);
    await pass();
  }
  for (let n = 0; n < 4; n += 1) await pass();
  expect([await total(), list()]).toEqual([0, ['product.csv']]);
  await pass();
  expect([await total(), list()]).toEqual([8, ['done']]);
  expect(log.events).toEqual([expect.stringMatching(/^product\.csv: Imported 8 products into /)]);
});

test('--once waits for files to settle, and leaves one that changes to the next time', async () => {
  const { watcher, clock, total, log } = await watching(5_000);
  put('product.csv', 'name\nChair\n', 1_000);
  put('product-2.csv', 'name\nDesk\n', 2_000);
  const once = watcher.once();
  // A timer may be early.
  await expect.poll(() => clock.waiting).toEqual([5_002]);
  put('product.csv', 'name\nChair\n', 3_000);
  await clock.advance(5_002);
  expect(await once).toBe(true);
  expect([await total(), list()]).toEqual([1, ['done', 'product.csv']]);
  expect(log.warnings).toEqual([]);
});

test('after an obstacle, a file is tried again after pauses that double, up to a minute', async () => {
  const { run, pass, total, log } = await watching(0);
  // Nothing can be moved there.
  put('done', '');
  put('product.csv', 'name\nChair\n');
  await run();
  const pauses: number[] = [];
  for (let last = 0, seconds = 1; pauses.length < 7; seconds += 1) {
    const before = log.obstacles;
    await pass();
    if (log.obstacles === before) continue;
    pauses.push(seconds - last);
    last = seconds;
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60]);
  // It was imported at once, and once a minute it is said that it cannot be moved.
  expect(await total()).toBe(1);
  const unmoved = expect.stringMatching(/^product\.csv: It was imported before\. But it cannot be moved to /);
  expect(log.warnings).toEqual([
    expect.stringMatching(/^done: /),
    expect.stringMatching(/^product\.csv: Imported 1 product .* But it cannot be moved to /),
    ...[unmoved, unmoved, unmoved],
  ]);
});
