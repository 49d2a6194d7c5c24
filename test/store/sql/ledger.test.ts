/** The ledger: what it counts, and what it invalidates. */

import { describe, expect, test } from 'vitest';
import { partner } from '../../../src/catalog/partner.ts';
import { product } from '../../../src/catalog/product.ts';
import type { Account } from '../../../src/store/store.ts';
import { engines } from '../../support/engines.ts';
import { recordsIn, tabled } from '../../support/fixture.ts';
import { sharedStore } from '../../support/shared.ts';

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);

  test('counts writes and rows, and assigns ids', async () => {
    const owner = await opened.account();
    expect(await opened.revision(owner, partner)).toBe(0);
    expect(await opened.create(owner, 'A')).toEqual({ id: 1 });
    expect(await opened.create(owner, 'B')).toEqual({ id: 2 });
    expect(await opened.revision(owner, partner)).toBe(2);
    expect(await opened.revision(owner, product)).toBe(0);
    await opened.load(owner, partner, [{ id: 50, name: 'C' }, { name: 'D' }, { id: 1, name: 'A again' }]);
    expect(await opened.revision(owner, partner)).toBe(3);
    expect(await opened.create(owner, 'E')).toEqual({ id: 52 });
    const page = await opened.page(owner, partner, { fields: 'id,name' });
    expect(page).toMatchObject({ total: 5, version: { revision: 4 } });
    expect(page.records).toBe(
      '{"id":1,"name":"A again"},{"id":2,"name":"B"},{"id":50,"name":"C"},{"id":51,"name":"D"},{"id":52,"name":"E"}',
    );
  });

  test('stamps each record with the revision that last wrote it', async () => {
    const owner = await opened.account();
    await opened.load(owner, partner, tabled('id name', [1, 'A'], [2, 'B']));
    await opened.load(owner, partner, tabled('id name', [1, 'A'], [2, 'C'], [3, 'D']));
    await opened.create(owner, 'E');
    expect(await opened.stamps(owner, partner, [1, 2, 3, 4])).toEqual([1, 2, 2, 3]);
    expect(await opened.revision(owner, partner)).toBe(3);
  });

  test('is separate for each account, even if ids and names are the same', async () => {
    const accounts = [await opened.account(), await opened.account(), await opened.account()];
    for (const owner of accounts) await opened.load(owner, partner, tabled('id name', [1, owner.name], [2, 'same']));
    const [first, second, third] = accounts;
    if (first === undefined || second === undefined || third === undefined) throw new Error('an account is missing');
    await opened.load(first, partner, tabled('id name', [1, 'changed'], [3, 'new']));
    await opened.load(second, partner, [{ id: 2, name: 'changed too' }]);
    const names = async (owner: Account) => (await opened.records(owner, partner)).map(({ name }) => name);
    expect([await names(first), await names(second), await names(third)]).toEqual([
      ['changed', 'same', 'new'],
      [second.name, 'changed too'],
      [third.name, 'same'],
    ]);
    expect([
      await opened.revision(first, partner),
      await opened.revision(second, partner),
      await opened.revision(third, partner),
    ]).toEqual([2, 2, 1]);
  });

  test('is read for many accounts at once', async () => {
    const [first, second] = [await opened.account(), await opened.account()];
    await opened.create(first, 'A');
    await opened.create(second, 'B');
    await opened.create(second, 'C');
    const missing = second.id + 1_000;
    const versions = await Promise.all([first.id, second.id, missing, first.id].map((id) => opened.store.version(id)));
    expect(versions.map((version) => version?.ledger.get('partner'))).toMatchObject([
      { revision: 1, rows: 1 },
      { revision: 2, rows: 2 },
      undefined,
      { revision: 1, rows: 1 },
    ]);
    expect(versions.map((version) => version?.ledger.size)).toEqual([3, 3, undefined, 3]);
  });

  test('invalidates cached totals with every write', async () => {
    const owner = await opened.account();
    const total = async (filter: string) => (await opened.page(owner, partner, { filter, limit: '1' })).total;
    await opened.create(owner, 'A');
    expect([await total('name=A'), await total('name=A'), await total('name=B')]).toEqual([1, 1, 0]);
    await opened.create(owner, 'A');
    expect([await total('name=A'), await total('name=B'), await total('name[A]')]).toEqual([2, 0, 2]);
    await opened.load(owner, partner, [{ id: 1, name: 'B' }]);
    expect([await total('name=A'), await total('name=B')]).toEqual([1, 1]);
  });

  test('agrees with the rows of every list during concurrent writes', async () => {
    const owner = await opened.account();
    let isWriting = true;
    const writing = (async () => {
      for (let n = 0; n < 60; n += 1)
        await Promise.all([opened.create(owner, 'A'), opened.create(owner, 'B'), opened.create(owner, 'A')]);
      isWriting = false;
    })();
    let seen = 0;
    while (isWriting) {
      const [all, some] = await Promise.all([
        opened.page(owner, partner),
        opened.page(owner, partner, { filter: 'name=A' }),
      ]);
      expect(all.total).toBe(all.version.revision);
      expect(recordsIn(all.records)).toHaveLength(all.total);
      expect(recordsIn(some.records)).toHaveLength(some.total);
      expect(all.total).toBeGreaterThanOrEqual(seen);
      seen = all.total;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await writing;
    expect(await opened.page(owner, partner, { limit: '1' })).toMatchObject({ total: 180, version: { revision: 180 } });
  });
});
