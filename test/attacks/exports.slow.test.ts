/** An account that requests large exports and does not read them. */

import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { engines, openDatabase } from '../support/engines.ts';
import { PARTNERS, PRODUCTS } from '../support/rows.ts';
import { fill, heavyFilter, largePartner, prepare, type Scene, type Target } from './attack.ts';

const NDJSON = { accept: 'application/x-ndjson' };
const BULLY_ROWS = 20_000;
const NEIGHBOUR_ROWS = 2_000;

/** Exports of this many partners do not fit into the buffers between client and server. */
const LARGE_PARTNERS = 1_500;

/** The maximum number of exports that one account may have in progress. */
const MAX_EXPORTS = 4;

describe.each(engines)('on $name', (engine) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await prepare(engine, {
      bully: { products: BULLY_ROWS, largePartners: LARGE_PARTNERS },
      neighbour: { products: NEIGHBOUR_ROWS },
    });
  });
  afterAll(() => scene.drop());

  const expectWholeExport = async ({ neighbour }: Target) => {
    const { status, text } = await neighbour.get(PRODUCTS, NDJSON);
    expect({ status, lines: text.split('\n').length - 1 }).toEqual({ status: 200, lines: NEIGHBOUR_ROWS });
  };

  test('16 unread exports: most are refused, and the neighbour can still export', async () => {
    const target = await scene.serve();
    const exports = Array.from({ length: 16 }, () => target.bully.sendUnread([PARTNERS], NDJSON));
    const heads = await Promise.all(exports.map((connection) => connection.firstHead()));
    const refused = heads.filter(({ status }) => status === 503);
    expect(heads.filter(({ status }) => status === 200)).toHaveLength(MAX_EXPORTS);
    expect(refused).toHaveLength(16 - MAX_EXPORTS);
    for (const { headers } of refused) expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
    for (let n = 0; n < 5; n += 1) await expectWholeExport(target);
    // They are still being sent.
    expect(await target.bully.get(PARTNERS, NDJSON)).toRespond(503, { code: 'exports_busy' });
  });

  test.runIf(engine.name === 'SQLite')(
    'exports that are being counted do not delay those of the neighbour',
    async () => {
      const target = await scene.serve();
      let counted = 0;
      for (let n = 0; n < MAX_EXPORTS; n += 1)
        void target.bully
          .sendUnread([heavyFilter(200)], NDJSON)
          .firstHead()
          .then(() => {
            counted += 1;
          });
      for (let n = 0; n < 5; n += 1) await expectWholeExport(target);
      expect(counted).toBeLessThan(MAX_EXPORTS);
    },
  );

  const isLogEmptied = () => {
    const connection = new DatabaseSync(scene.database.url);
    const row = connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    connection.close();
    return row?.['busy'] === 0;
  };
  const write = async (rows: number) => {
    const store = await openDatabase(scene.database.url);
    const account = await store.accounts.find('neighbour');
    if (account === undefined) throw new Error('there is no neighbour');
    await fill(store, account, partner, rows, largePartner);
    await store.close();
  };

  test.runIf(engine.name === 'SQLite')(
    'an unread export does not hold back the write-ahead log, and is complete all the same',
    async () => {
      const target = await scene.serve();
      const unread = target.bully.sendUnread([PARTNERS], { ...NDJSON, connection: 'close' });
      expect(await unread.firstHead()).toMatchObject({ status: 200 });
      await write(1_500);
      await expect.poll(isLogEmptied).toBe(true);
      await expectWholeExport(target);
      const text = await unread.readToEnd();
      expect(text).toMatch(/\r\n0\r\n/);
      expect(text).toContain(`"id":${LARGE_PARTNERS},`);
    },
  );

  test.runIf(engine.name === 'SQLite')(
    'an unread export that holds back the write-ahead log, and for which there is no room, is ended',
    async () => {
      const target = await scene.serve('--min-free-disk', '999999999');
      const unread = target.bully.sendUnread([PARTNERS], NDJSON);
      expect(await unread.firstHead()).toMatchObject({ status: 200 });
      await write(3_000);
      // On a busy machine, the export has been ended by now.
      await expect.poll(isLogEmptied).toBe(true);

      // The client cannot mistake it for a complete export.
      expect(await unread.readToEnd()).not.toMatch(/\r\n0\r\n/);
      await expect.poll(() => target.output().stderr).toContain('it held back the write-ahead log');
      await expectWholeExport(target);
    },
  );
});
