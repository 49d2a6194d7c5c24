/** The write-ahead log while there is always an export under way: it is started over all the same, and every export is complete. */

import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { partner } from '../../../src/catalog/partner.ts';
import { planExport } from '../../../src/plan/list.ts';
import { openSqlite } from '../../../src/store/sqlite/open.ts';
import { MAX_WAL_BYTES } from '../../../src/store/sqlite/wal-watch.ts';
import { CacheBudget } from '../../../src/store/state/cache.ts';
import type { Export } from '../../../src/store/store.ts';
import { addAccount, load, planned } from '../../support/fixture.ts';
import { sharedPaths } from '../../support/shared.ts';

const freshPath = sharedPaths();

/** Of so many bytes. */
const WRITE = 4 * 1024 * 1024;
const RECORDS = 1_500;

test('stays within its limit', async () => {
  const path = freshPath();
  const store = openSqlite(path, { create: true }, new CacheBudget(1024 * 1024));
  const account = await addAccount(store, 'acme');
  const records = Array.from({ length: RECORDS }, (_, n) => ({ name: `${n}`.padEnd(200, 'x') }));
  await load(store, account, partner, records);
  const other = new DatabaseSync(path);
  other.exec(`PRAGMA synchronous = OFF; CREATE TABLE filler (content); INSERT INTO filler VALUES (zeroblob(${WRITE}))`);
  const fill = other.prepare(`UPDATE filler SET content = randomblob(${WRITE})`);
  const open = async () => {
    const opened = await store.records.export(
      { account: account.id },
      planned(planExport(partner, { values: {}, continuations: [] }, { kind: 'ndjson' })),
    );
    if (opened === 'no access') throw new Error(opened);
    // Its client reads on only when the next one has begun.
    return { opened, first: await opened.next() };
  };
  const rowsOf = async ({ opened, first }: { readonly opened: Export; readonly first: Uint8Array | undefined }) => {
    let rows = 0;
    for (let chunk = first; chunk !== undefined; chunk = await opened.next()) rows += linesIn(chunk);
    await opened.close();
    return rows;
  };
  let current = await open();
  for (let written = 0; written < 2 * MAX_WAL_BYTES; written += WRITE) {
    fill.run();
    const next = await open();
    expect(await rowsOf(current)).toBe(RECORDS);
    current = next;
    expect(statSync(`${path}-wal`).size).toBeLessThanOrEqual(MAX_WAL_BYTES);
  }
  await current.opened.close();
  other.close();
  await store.close();
});

function linesIn(chunk: Uint8Array): number {
  return chunk.reduce((lines, byte) => lines + (byte === 10 ? 1 : 0), 0);
}
