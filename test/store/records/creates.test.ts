/** Creates that arrive together. */

import { describe, expect, test } from 'vitest';
import { partner } from '../../../src/catalog/partner.ts';
import { planCreate } from '../../../src/plan/create.ts';
import { engines, openTestStore } from '../../support/engines.ts';
import { addAccount, NOW, planned, recordsIn, unwritable } from '../../support/fixture.ts';
import { sharedStore } from '../../support/shared.ts';

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);

  test('assigns unique ids and exact counts to concurrent creates', async () => {
    const owner = await opened.account();
    const created = await Promise.all(Array.from({ length: 200 }, (_, n) => opened.create(owner, `P${n}`)));
    const ids = created.map((result) => (typeof result === 'object' && 'id' in result ? result.id : Number.NaN));
    expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
    expect(await opened.page(owner, partner, { limit: '1' })).toMatchObject({ total: 200, version: { revision: 200 } });
    // Each record has the id that was returned, and a revision of its own.
    for (const n of [0, 1, 99, 100, 199]) {
      const id = ids[n] ?? Number.NaN;
      expect(await opened.stamps(owner, partner, [id])).toEqual([id]);
      expect(recordsIn((await opened.page(owner, partner, { filter: `id=${id}` })).records)).toMatchObject([
        { name: `P${n}` },
      ]);
    }
  });

  test('writes concurrent creates in batches of half, and all of them before the store closes', async () => {
    const opened = await openTestStore(engine);
    const owner = await addAccount(opened.store, 'acme');
    const plan = planned(planCreate(partner, { name: 'A' }, NOW));
    const ids: unknown[] = [];
    const creating = Array.from({ length: 16 }, async () => {
      ids.push(Object(await opened.store.records.create({ account: owner.id }, plan)).id);
    });
    await creating[0];
    // The rest of the batch settles in the same iteration of the event loop.
    await new Promise((resolve) => process.nextTick(resolve));
    expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    await opened.close();
    await Promise.all(creating);
    expect(ids).toEqual(Array.from({ length: 16 }, (_, n) => n + 1));
  });

  test('assigns the last ids to concurrent creates, and rejects the others', async () => {
    const owner = await opened.account();
    await opened.load(owner, partner, [{ id: Number.MAX_SAFE_INTEGER - 2, name: 'A' }]);
    const created = await Promise.all(['B', 'C', 'D', 'E'].map((name) => opened.create(owner, name)));
    expect(created).toEqual([
      { id: Number.MAX_SAFE_INTEGER - 1 },
      { id: Number.MAX_SAFE_INTEGER },
      'ids exhausted',
      'ids exhausted',
    ]);
    expect(await opened.page(owner, partner, { limit: '1' })).toMatchObject({ total: 3, version: { revision: 3 } });
  });

  test('writes a create even if the database rejects another one of its batch', async () => {
    const owner = await opened.account();
    const sane = planned(planCreate(partner, { name: 'Sane' }, NOW));
    const outcomes = await Promise.allSettled(
      [sane, sane, unwritable(), sane].map((plan) => opened.store.records.create({ account: owner.id }, plan)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect((await opened.records(owner, partner)).map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(await opened.revision(owner, partner)).toBe(3);
    expect(await opened.create(owner, 'After')).toEqual({ id: 4 });
  });
});
