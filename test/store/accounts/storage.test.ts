/** How much accounts store, and what happens at the limit and one past it. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partner } from '../../../src/catalog/partner.ts';
import { product } from '../../../src/catalog/product.ts';
import { planCreate } from '../../../src/plan/create.ts';
import { readDatabase } from '../../../src/store/database.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Account, LoadResult, Store } from '../../../src/store/store.ts';
import { engines, type TestDatabase } from '../../support/engines.ts';
import { addAccount, load, NOW, planned, type RecordValues } from '../../support/fixture.ts';

/** What the store limits accounts to that have no limit of their own. */
const LIMITS = { records: 10, bytes: 10_000 };

describe.each(engines)('on $name', (engine) => {
  let store: Store;
  let database: TestDatabase;
  let named = 0;
  beforeAll(async () => {
    database = await engine.makeMigrated();
    store = await open();
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  const open = () => {
    const address = readDatabase(database.url);
    if (address === undefined) throw new Error('there is no database');
    return openStore(address, { create: true, poolSize: 4, statementTimeout: 20, storageLimits: LIMITS });
  };
  const account = () => {
    named += 1;
    return addAccount(store, `account-${named}`);
  };
  const create = ({ id }: Account, name = 'A') =>
    store.records.create({ account: id }, planned(planCreate(partner, { name }, NOW)));
  const used = async ({ id }: Account) => store.accounts.storage(id);
  const partners = (count: number, values: RecordValues = {}) =>
    Array.from({ length: count }, (_, n) => ({ id: n + 1, name: 'A', ...values }));
  /** The ledger's sums are those of the records. */
  const checkSums = async () => {
    const checks = await store.check({ repair: false });
    expect(checks.flatMap(({ found }) => found.first)).toEqual([]);
  };

  test('a record has the size of its values', async () => {
    const owner = await account();
    await create(owner, 'é😀');
    // The name in UTF-8; its id, six flags and two timestamps.
    expect(await used(owner)).toEqual({ records: 1, bytes: 6 + 9 * 8, limits: LIMITS });
    await load(store, owner, partner, [{ id: 1, name: 'A', email: 'abc' }]);
    expect(await used(owner)).toMatchObject({ records: 1, bytes: 4 + 9 * 8 });
    await load(store, owner, partner, [{ id: 1, email: null }]);
    expect(await used(owner)).toMatchObject({ records: 1, bytes: 1 + 9 * 8 });
    await load(store, owner, partner, [{ id: 2, name: 'BB', vat: 'v' }], { replace: true });
    expect(await used(owner)).toMatchObject({ records: 1, bytes: 3 + 9 * 8 });
    await checkSums();
  });

  test('creates are accepted up to the limit of records, of all resources together', async () => {
    const owner = await account();
    await load(
      store,
      owner,
      product,
      Array.from({ length: 7 }, (_, n) => ({ id: n + 1, name: 'P' })),
    );
    const created = await Promise.all(Array.from({ length: 5 }, () => create(owner)));
    expect(created.filter((one) => typeof one === 'object' && 'id' in one)).toHaveLength(3);
    const refused = created.filter((one) => typeof one === 'object' && 'kind' in one);
    expect(refused).toHaveLength(2);
    expect(refused[0]).toMatchObject({ kind: 'storage exceeded', use: { records: 11, limits: LIMITS } });
    expect(await used(owner)).toMatchObject({ records: 10 });
    // Other accounts are not affected.
    expect(await create(await account())).toEqual({ id: 1 });
    await checkSums();
  });

  test('creates are accepted up to the limit of bytes', async () => {
    const owner = await account();
    await store.accounts.setLimits(owner.id, { byteLimit: 2 * 73 });
    expect([await create(owner), await create(owner)]).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await create(owner)).toMatchObject({ use: { bytes: 3 * 73, limits: { records: 10, bytes: 2 * 73 } } });
    await store.accounts.setLimits(owner.id, { byteLimit: 3 * 73, recordLimit: 0 });
    expect(await create(owner)).toEqual({ id: 3 });
  });

  test('imports are accepted up to the limit, and change nothing beyond it', async () => {
    const owner = await account();
    expect(await load(store, owner, partner, partners(10))).toMatchObject({ created: 10 });
    const exceeded = (records: number): Partial<LoadResult> => ({
      kind: 'storage exceeded',
      use: { records, bytes: expect.any(Number), limits: LIMITS },
    });
    expect(await load(store, owner, partner, partners(11))).toEqual(exceeded(11));
    expect(await load(store, owner, product, [{ name: 'P' }])).toEqual(exceeded(11));
    // What replaces as many is accepted.
    const others = partners(10).map(({ id, ...values }) => ({ ...values, id: id + 5 }));
    expect(await load(store, owner, partner, others, { replace: true })).toMatchObject({ created: 5, removed: 5 });
    expect(await load(store, owner, partner, partners(11), { replace: true })).toEqual(exceeded(11));
    const long = { street: 'x'.repeat(1_000) };
    expect(
      await load(
        store,
        owner,
        partner,
        others.map((row) => ({ ...row, ...long })),
      ),
    ).toMatchObject({ kind: 'storage exceeded', use: { records: 10, bytes: 10 * (1_000 + 73) } });
    expect(await used(owner)).toMatchObject({ records: 10, bytes: 10 * 73 });
    await checkSums();
  });

  test('a dry run says that the import would be refused', async () => {
    const owner = await account();
    expect(await load(store, owner, partner, partners(11), { dryRun: true })).toMatchObject({
      kind: 'loaded',
      created: 11,
      storageExceeded: { use: { records: 11 } },
    });
  });

  test('an account above a limit that was lowered can change and remove records', async () => {
    const owner = await account();
    await load(store, owner, partner, partners(5));
    await store.accounts.setLimits(owner.id, { recordLimit: 2 });
    expect(await create(owner)).toMatchObject({ kind: 'storage exceeded' });
    expect(await load(store, owner, partner, partners(5, { name: 'B' }))).toMatchObject({ updated: 5 });
    expect(await load(store, owner, partner, partners(4), { replace: true })).toMatchObject({ updated: 4, removed: 1 });
    expect(await used(owner)).toMatchObject({ records: 4 });
    // Neither a longer value nor what removes more than it adds is beyond a limit.
    expect(await load(store, owner, partner, partners(4, { name: 'Longer' }))).toMatchObject({ updated: 4 });
    await store.accounts.setLimits(owner.id, { recordLimit: null, byteLimit: 100 });
    expect(await load(store, owner, partner, partners(3, { name: 'Longest' }), { replace: true })).toMatchObject({
      updated: 3,
      removed: 1,
    });
    expect(await load(store, owner, partner, partners(3, { name: 'Longer still' }))).toMatchObject({
      kind: 'storage exceeded',
    });
    await checkSums();
  });

  test('loads into different resources at the same time stay within the limit together', async () => {
    const owner = await account();
    const rows = Array.from({ length: 6 }, (_, n) => ({ id: n + 1, name: 'A' }));
    const results = await Promise.all([load(store, owner, product, rows), load(store, owner, partner, rows)]);
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['loaded', 'storage exceeded']);
    expect(await used(owner)).toMatchObject({ records: 6 });
    await checkSums();
  });

  test('several processes that create at the same time stay within the limit', async () => {
    const owner = await account();
    const others = await Promise.all(Array.from({ length: 3 }, () => open()));
    const created = await Promise.all(
      others.flatMap((other) =>
        Array.from({ length: 10 }, () =>
          other.records.create({ account: owner.id }, planned(planCreate(partner, { name: 'A' }, NOW))),
        ),
      ),
    );
    expect(created.filter((one) => typeof one === 'object' && 'id' in one)).toHaveLength(LIMITS.records);
    expect(await used(owner)).toMatchObject({ records: LIMITS.records });
    await Promise.all(others.map((other) => other.close()));
  });

  test('the total of all accounts names those that are fullest', async () => {
    const owner = await account();
    await load(store, owner, partner, partners(10));
    const accounts = await store.accounts.list();
    const total = await store.accounts.storedTotal();
    expect(total.records).toBe(accounts.flatMap(({ rows }) => [...rows.values()]).reduce((sum, rows) => sum + rows, 0));
    expect(total.bytes).toBe(accounts.reduce((sum, { bytes }) => sum + bytes, 0));
    expect(total.fullest).toContainEqual([owner.name, 1]);
    expect(total.fullest.map(([, share]) => share)).toEqual(
      total.fullest.map(([, share]) => share).toSorted((a, b) => b - a),
    );
  });
});
