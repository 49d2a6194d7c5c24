/** Generations of a database: when they begin, what they identify, and that no write is lost while one begins. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { MAX_INTEGER } from '../../src/catalog/value-types.ts';
import { planCreate } from '../../src/plan/create.ts';
import { planRecord } from '../../src/plan/record.ts';
import type { Account, Store } from '../../src/store/store.ts';
import type { RecordVersion } from '../../src/store/version.ts';
import { engines, openDatabase, type TestDatabase } from '../support/engines.ts';
import { addAccount, load, NOW, planned, unwritable } from '../support/fixture.ts';
import { rounds } from '../support/rounds.ts';

describe.each(engines)('on $name', (engine) => {
  let database: TestDatabase;
  let account: Account;
  beforeEach(async () => {
    database = await engine.makeMigrated();
    account = await inNewGeneration((store) => addAccount(store, 'acme'));
  });
  afterEach(() => database.drop());

  /** Makes the next writer begin a generation. On SQLite, every process that writes does so anyway. */
  const forgetServer = () =>
    database.execute("UPDATE generation SET server = 'another server' WHERE server IS NOT NULL");

  async function inNewGeneration<Result>(body: (store: Store) => Promise<Result>): Promise<Result> {
    const store = await openDatabase(database.url);
    if (engine.name === 'PostgreSQL') await forgetServer();
    return body(store).finally(() => store.close());
  }

  const create = (store: Store, name = 'A') =>
    store.records.create({ account: account.id }, planned(planCreate(partner, { name }, NOW)));

  const ledger = async (store: Store) => (await store.version(account.id))?.ledger.get('partner');

  const written = async (store: Store, id: number): Promise<RecordVersion | undefined> => {
    const plan = planned(planRecord(partner, String(id), { values: {}, continuations: [] }));
    const found = await store.records.find({ account: account.id }, plan);
    return typeof found === 'object' && found.kind === 'found' ? found.written : undefined;
  };

  test('a generation begins with its first write, not before', async () => {
    const first = await inNewGeneration(async (store) => {
      await create(store);
      return ledger(store);
    });
    const generations = await database.count('generation', '1 = 1');
    const read = await inNewGeneration(async (store) => [await ledger(store), await written(store, 1)]);
    expect(read).toEqual([first, { generation: first?.generation, revision: 1 }]);
    expect(await database.count('generation', '1 = 1')).toBe(generations);
    const second = await inNewGeneration(async (store) => {
      await create(store);
      return ledger(store);
    });
    expect(second).toMatchObject({ revision: 2, rows: 2 });
    expect(second?.generation).not.toBe(first?.generation);
  });

  test('a process begins at most one generation, and on PostgreSQL those on the same server share it', async () => {
    await inNewGeneration((store) => create(store));
    const before = await database.count('generation', '1 = 1');
    const stores = await Promise.all([openDatabase(database.url), openDatabase(database.url)]);
    for (let n = 0; n < 3; n += 1)
      for (const store of stores) {
        expect(await create(store)).toMatchObject({ id: expect.any(Number) });
        await load(store, account, partner, [{ name: 'A' }]);
      }
    await Promise.all(stores.map((store) => store.close()));
    expect(await database.count('generation', '1 = 1')).toBe(before + (engine.name === 'SQLite' ? 2 : 0));
  });

  test('a record belongs to the generation that last wrote it, however many follow', async () => {
    const generations: (number | undefined)[] = [];
    for (let n = 1; n <= 5; n += 1)
      await inNewGeneration(async (store) => {
        expect(await create(store, `P${n}`)).toEqual({ id: n });
        if (n === 3) await load(store, account, partner, [{ id: 1, name: 'changed' }]);
        generations.push((await ledger(store))?.generation);
      });
    expect(new Set(generations).size).toBe(5);
    const [, second, third, fourth, fifth] = generations;
    await inNewGeneration(async (store) => {
      expect(await Promise.all([1, 2, 3, 4, 5].map((id) => written(store, id)))).toEqual([
        { generation: third, revision: 4 },
        { generation: second, revision: 2 },
        { generation: third, revision: 3 },
        { generation: fourth, revision: 5 },
        { generation: fifth, revision: 6 },
      ]);
    });
  });

  test('generations without a write to a ledger leave no trace in its history', async () => {
    await inNewGeneration((store) => create(store));
    const before = await inNewGeneration((store) => written(store, 1));
    for (let n = 0; n < 5; n += 1) await inNewGeneration((store) => addAccount(store, `other-${n}`));
    // An import without changes enters the generation, and is rolled back.
    for (let n = 0; n < 5; n += 1) await inNewGeneration((store) => load(store, account, partner, []));
    const history = () => database.count('ledger_history', `account_id = ${account.id} AND resource = 'partner'`);
    const entries = await history();
    await inNewGeneration(async (store) => {
      expect(await create(store)).toEqual({ id: 2 });
      expect(await written(store, 1)).toEqual(before);
      expect((await written(store, 2))?.generation).toBe((await ledger(store))?.generation);
    });
    expect(await history()).toBe(entries + 1);
  });

  test('a ledger enters a generation together with its first write there, or not at all', async () => {
    await inNewGeneration((store) => create(store));
    const before = await inNewGeneration((store) => written(store, 1));
    const entered = new Set<number | undefined>();
    for (let n = 0; n < 4; n += 1)
      await inNewGeneration(async (store) => {
        // A version from a generation in which nothing was written would not be on the ledger's history.
        await expect(store.records.create({ account: account.id }, unwritable())).rejects.toThrow();
        entered.add((await ledger(store))?.generation);
        expect(await ledger(store)).toMatchObject({ revision: 1, rows: 1 });
      });
    expect(entered).toEqual(new Set([before?.generation]));
    await inNewGeneration(async (store) => {
      expect(await create(store)).toEqual({ id: 2 });
      expect(await written(store, 1)).toEqual(before);
      expect((await written(store, 2))?.generation).toBe((await ledger(store))?.generation);
    });
  });

  test('concurrent creates of several processes are all written while a generation begins', async () => {
    const [PROCESSES, CREATES, ROUNDS] = [4, 12, rounds(2, 5)];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const stores = await Promise.all(Array.from({ length: PROCESSES }, () => openDatabase(database.url)));
      if (engine.name === 'PostgreSQL') await forgetServer();
      const created = await Promise.all(
        stores.flatMap((store) => [
          // One alone, as most creates are, and then many at once.
          ...[create(store)].map(async (first) => [await first]),
          ...Array.from({ length: CREATES - 1 }, async () => [
            await new Promise(setImmediate).then(() => create(store)),
          ]),
        ]),
      );
      const ids = created.flat().map((result) => (typeof result === 'object' && 'id' in result ? result.id : result));
      const count = PROCESSES * CREATES;
      expect(ids.toSorted((a, b) => Number(a) - Number(b))).toEqual(
        Array.from({ length: count }, (_, n) => (round - 1) * count + n + 1),
      );
      for (const store of stores)
        expect(await ledger(store)).toMatchObject({ revision: round * count, rows: round * count });
      expect(await database.count('partner', `account_id = ${account.id}`)).toBe(round * count);
      await Promise.all(stores.map((store) => store.close()));
    }
  });

  test('concurrent imports and creates of several processes are all written while a generation begins', async () => {
    for (let round = 1; round <= rounds(2, 6); round += 1) {
      const stores = await Promise.all(Array.from({ length: 4 }, () => openDatabase(database.url)));
      if (engine.name === 'PostgreSQL') await forgetServer();
      const results = await Promise.all(
        stores.flatMap((store, index) => [
          load(store, account, partner, [{ name: `${round} ${index}` }]),
          create(store),
        ]),
      );
      expect(results).toEqual(
        stores.flatMap(() => [expect.objectContaining({ kind: 'loaded', created: 1 }), { id: expect.any(Number) }]),
      );
      expect(await database.count('partner', `account_id = ${account.id}`)).toBe(round * 8);
      await Promise.all(stores.map((store) => store.close()));
    }
  });

  test('an account that is removed while it enters a generation leaves no row', async () => {
    for (let round = 0; round < rounds(2, 5); round += 1) {
      const stores = await Promise.all(Array.from({ length: 3 }, () => openDatabase(database.url)));
      if (engine.name === 'PostgreSQL') await forgetServer();
      const [first] = stores;
      const creating = stores.flatMap((store) => [create(store), load(store, account, partner, [{ name: 'A' }])]);
      await Promise.all([...creating, first?.accounts.remove(account.id)]);
      for (const table of ['ledger', 'ledger_history', 'partner'])
        expect(await database.count(table, `account_id = ${account.id}`)).toBe(0);
      account = await addAccount(first ?? raise(), `acme-${round}`);
      await Promise.all(stores.map((store) => store.close()));
    }
  });

  test('ids run out at the limit, also if a generation begins there', async () => {
    await inNewGeneration((store) => load(store, account, partner, [{ id: MAX_INTEGER - 2, name: 'A' }]));
    await inNewGeneration(async (store) => expect(await create(store)).toEqual({ id: MAX_INTEGER - 1 }));
    await inNewGeneration(async (store) => {
      expect(await Promise.all([create(store), create(store)])).toEqual([{ id: MAX_INTEGER }, 'ids exhausted']);
    });
    await inNewGeneration(async (store) => {
      expect(await create(store)).toBe('ids exhausted');
      expect(await Promise.all([create(store), create(store)])).toEqual(['ids exhausted', 'ids exhausted']);
      expect(await ledger(store)).toMatchObject({ revision: 3, rows: 3 });
    });
  });

  test('an account that was removed has no access, whether or not a generation begins', async () => {
    const [first, second] = [await openDatabase(database.url), await openDatabase(database.url)];
    await first.accounts.remove(account.id);
    expect([await create(first), await create(second)]).toEqual(['no access', 'no access']);
    await Promise.all([first.close(), second.close()]);
  });
});

function raise(): never {
  throw new Error('the store is missing');
}
