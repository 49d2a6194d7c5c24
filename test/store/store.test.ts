/** What every engine has to do, as the rest of the program relies on it. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalog } from '../../src/catalog/catalog.ts';
import { company } from '../../src/catalog/company.ts';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import type { Resource } from '../../src/catalog/resource.ts';
import { planCreate } from '../../src/plan/create.ts';
import { planList } from '../../src/plan/list.ts';
import { planRecord } from '../../src/plan/record.ts';
import { Problem } from '../../src/problem/problem.ts';
import { type Account, type LoadResult, type NewKey, type Page, plainLoad, type Store } from '../../src/store/store.ts';
import { engines, openTestStore, type TestDatabase } from '../support/engines.ts';
import {
  addAccount,
  listPage,
  load,
  NOW,
  planned,
  type RecordValues,
  recordsIn,
  revisionOf,
  valuesOf,
} from '../support/fixture.ts';

const LATER = '2026-03-02T12:00:00.000Z';

describe.each(engines)('on $name', (engine) => {
  let store: Store;
  let database: TestDatabase;
  let close: () => Promise<void>;
  let named = 0;
  beforeAll(async () => {
    ({ store, database, close } = await openTestStore(engine));
  });
  afterAll(() => close());

  const account = () => {
    named += 1;
    return addAccount(store, `account-${named}`);
  };
  const list = async (
    { id }: Account,
    resource: Resource,
    values: Readonly<Record<string, string>> = {},
  ): Promise<Page> => {
    const plan = planned(planList(resource, { values: { limit: '1000', ...values }, continuations: [] }));
    const page = await listPage(store, id, plan);
    if (page === undefined) throw new Error('no such account');
    return page;
  };
  const records = async (owner: Account, resource: Resource): Promise<RecordValues[]> =>
    recordsIn((await list(owner, resource)).records);
  const create = ({ id }: Account, name: string) => {
    const plan = planned(planCreate(partner, { name }, NOW));
    return store.records.create(id, plan);
  };
  const revision = ({ id }: Account, resource: Resource) => revisionOf(store, id, resource);

  describe('accounts', () => {
    test('are added once, found and listed with the number of their records', async () => {
      const added = await account();
      expect(await store.accounts.add(added.name, NOW)).toBeUndefined();
      expect(await store.accounts.find(added.name)).toEqual(added);
      expect(await store.accounts.find('nobody')).toBeUndefined();
      await create(added, 'A');
      const summary = (await store.accounts.list()).find(({ id }) => id === added.id);
      expect(summary).toEqual({
        ...added,
        rows: new Map([
          ['company', 0],
          ['partner', 1],
          ['product', 0],
        ]),
      });
    });

    test('are removed with all that is theirs, and their number never comes back', async () => {
      const gone = await account();
      await create(gone, 'A');
      await store.keys.add(newKey('gone-key', gone));
      await store.accounts.remove(gone.id);
      expect(await store.accounts.find(gone.name)).toBeUndefined();
      expect(await store.keys.find('gone-key')).toBeUndefined();
      expect(await revision(gone, partner)).toBeUndefined();
      expect(await create(gone, 'B')).toBe('no such account');
      const again = await addAccount(store, gone.name);
      expect(again.id).toBeGreaterThan(gone.id);
      expect(await records(again, partner)).toEqual([]);
    });

    const rowsOf = async ({ id }: Account) => {
      const tables = ['ledger', 'api_key', ...catalog.map(({ name }) => name)];
      return Promise.all(tables.map((table) => database.count(table, `account_id = ${id}`)));
    };

    test('leave nothing behind in any table, and nothing of others goes with them', async () => {
      const [gone, other] = [await account(), await account()];
      for (const owner of [gone, other]) {
        await store.keys.add(newKey(`key-of-${owner.name}`, owner));
        await create(owner, 'A');
        await load(store, owner, product, [{ name: 'A' }]);
        await load(store, owner, company, [{ name: 'A', branch_user: '1' }]);
        expect(await rowsOf(owner)).toEqual([3, 1, 1, 1, 1]);
      }
      await store.accounts.remove(gone.id);
      expect(await rowsOf(gone)).toEqual([0, 0, 0, 0, 0]);
      expect(await rowsOf(other)).toEqual([3, 1, 1, 1, 1]);
    });

    test('leave nothing behind that is created or imported while they are removed', async () => {
      const gone = await account();
      const creating = Array.from({ length: 3 }, async () => {
        while ((await create(gone, 'A')) !== 'no such account');
      });
      const importing = (async () => {
        while ((await load(store, gone, product, [{ name: 'A' }])).kind !== 'no such account');
      })();
      await expect.poll(() => revision(gone, partner), { timeout: 10_000 }).toBeGreaterThan(9);
      await store.accounts.remove(gone.id);
      await Promise.all([...creating, importing]);
      expect(await rowsOf(gone)).toEqual([0, 0, 0, 0, 0]);
    });

    test('added at the same time under one name are one account', async () => {
      const results = await Promise.all(Array.from({ length: 8 }, () => store.accounts.add('same-name', NOW)));
      expect(results.filter((result) => result !== undefined)).toHaveLength(1);
    });
  });

  const newKey = (id: string, owner: Account): NewKey => ({
    id,
    account: owner.id,
    name: 'Shop “sync”',
    secretHash: 'ab'.repeat(32),
    scopes: ['read'],
    createdAt: NOW,
    expiresAt: LATER,
  });

  describe('keys', () => {
    test('are found by their id, with their account', async () => {
      const owner = await account();
      const key = newKey('key-1', owner);
      await store.keys.add(key);
      expect(await store.keys.find('key-1')).toEqual({
        key: { ...key, lastUsedAt: null, revokedAt: null },
        account: owner,
        access: 1,
      });
      expect(await store.keys.find('key-2')).toBeUndefined();
      expect(await store.keys.list(owner.id)).toEqual([{ ...key, lastUsedAt: null, revokedAt: null }]);
    });

    test('are listed for their own account alone', async () => {
      const [one, other] = [await account(), await account()];
      await store.keys.add(newKey('key-of-one', one));
      await store.keys.add(newKey('key-of-other', other));
      expect((await store.keys.list(one.id)).map(({ id }) => id)).toEqual(['key-of-one']);
    });

    test('never seem used earlier than they were', async () => {
      const owner = await account();
      await store.keys.add(newKey('key-4', owner));
      await store.keys.noteUse(new Map([['key-4', LATER]]));
      await store.keys.noteUse(new Map([['key-4', NOW]]));
      expect((await store.keys.find('key-4'))?.key.lastUsedAt).toBe(LATER);
    });

    test('can be ended, and remember when they were used', async () => {
      const owner = await account();
      await store.keys.add({ ...newKey('key-3', owner), expiresAt: null, scopes: ['read', 'write'] });
      await store.keys.noteUse(
        new Map([
          ['key-3', NOW],
          ['unknown', NOW],
        ]),
      );
      await store.keys.revoke('key-3', LATER);
      expect((await store.keys.find('key-3'))?.key).toMatchObject({
        expiresAt: null,
        lastUsedAt: NOW,
        revokedAt: LATER,
        scopes: ['read', 'write'],
      });
    });
  });

  describe('the ledger', () => {
    test('counts every write, keeps the number of rows and hands out ids', async () => {
      const owner = await account();
      expect(await revision(owner, partner)).toBe(0);
      expect(await create(owner, 'A')).toEqual({ id: 1 });
      expect(await create(owner, 'B')).toEqual({ id: 2 });
      expect(await revision(owner, partner)).toBe(2);
      expect(await revision(owner, product)).toBe(0);
      await load(store, owner, partner, [{ id: 50, name: 'C' }, { name: 'D' }, { id: 1, name: 'A again' }]);
      expect(await revision(owner, partner)).toBe(3);
      expect(await create(owner, 'E')).toEqual({ id: 52 });
      const page = await list(owner, partner, { fields: 'id,name' });
      expect(page).toMatchObject({ total: 5, revision: 4 });
      expect(Buffer.from(page.records).toString()).toBe(
        '{"id":1,"name":"A again"},{"id":2,"name":"B"},{"id":50,"name":"C"},{"id":51,"name":"D"},{"id":52,"name":"E"}',
      );
    });

    const stamp = async (owner: Account, id: number) => {
      const plan = planned(planRecord(partner, String(id), { values: {}, continuations: [] }));
      return (await store.records.find(owner.id, plan))?.revision;
    };

    test('stamps each record with the revision that wrote it, and no other', async () => {
      const owner = await account();
      await load(store, owner, partner, [
        { id: 1, name: 'A' },
        { id: 2, name: 'B' },
      ]);
      await load(store, owner, partner, [
        { id: 1, name: 'A' },
        { id: 2, name: 'C' },
        { id: 3, name: 'D' },
      ]);
      await create(owner, 'E');
      expect([await stamp(owner, 1), await stamp(owner, 2), await stamp(owner, 3), await stamp(owner, 4)]).toEqual([
        1, 2, 2, 3,
      ]);
      expect(await revision(owner, partner)).toBe(3);
    });

    test('is each account’s own, though ids and names are the same', async () => {
      const accounts = [await account(), await account(), await account()];
      for (const owner of accounts)
        await load(store, owner, partner, [
          { id: 1, name: owner.name },
          { id: 2, name: 'same' },
        ]);
      const [first, second, third] = accounts;
      if (first === undefined || second === undefined || third === undefined) throw new Error('three were made');
      await load(store, first, partner, [
        { id: 1, name: 'changed' },
        { id: 3, name: 'new' },
      ]);
      await load(store, second, partner, [{ id: 2, name: 'changed too' }]);
      const names = async (owner: Account) => (await records(owner, partner)).map(({ name }) => name);
      expect([await names(first), await names(second), await names(third)]).toEqual([
        ['changed', 'same', 'new'],
        [second.name, 'changed too'],
        [third.name, 'same'],
      ]);
      expect([await revision(first, partner), await revision(second, partner), await revision(third, partner)]).toEqual(
        [2, 2, 1],
      );
    });

    test('is looked at for many accounts at once, and each gets its own', async () => {
      const [first, second] = [await account(), await account()];
      await create(first, 'A');
      await create(second, 'B');
      await create(second, 'C');
      const nobody = second.id + 1_000;
      const stamps = await Promise.all([first.id, second.id, nobody, first.id].map((id) => store.stamp(id)));
      expect(stamps.map((stamp) => stamp?.ledger.get('partner'))).toEqual([
        { revision: 1, rows: 1 },
        { revision: 2, rows: 2 },
        undefined,
        { revision: 1, rows: 1 },
      ]);
      expect(stamps.map((stamp) => stamp?.ledger.size)).toEqual([3, 3, undefined, 3]);
    });

    test('tells when a total that was counted before no longer holds', async () => {
      const owner = await account();
      const total = async (filter: string) => (await list(owner, partner, { filter, limit: '1' })).total;
      await create(owner, 'A');
      expect([await total('name=A'), await total('name=A'), await total('name=B')]).toEqual([1, 1, 0]);
      await create(owner, 'A');
      expect([await total('name=A'), await total('name=B'), await total('name[A]')]).toEqual([2, 0, 2]);
      await load(store, owner, partner, [{ id: 1, name: 'B' }]);
      expect([await total('name=A'), await total('name=B')]).toEqual([1, 1]);
    });

    test('gives unique ids and exact counts to creates that come at once', async () => {
      const owner = await account();
      const created = await Promise.all(Array.from({ length: 200 }, (_, n) => create(owner, `P${n}`)));
      const ids = created.map((result) => (typeof result === 'object' ? result.id : Number.NaN));
      expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
      expect(await list(owner, partner, { limit: '1' })).toMatchObject({ total: 200, revision: 200 });
      // Each has the id that it was told, and a revision of its own.
      for (const n of [0, 1, 99, 100, 199]) {
        const id = ids[n] ?? Number.NaN;
        expect(await stamp(owner, id)).toBe(id);
        expect(recordsIn((await list(owner, partner, { filter: `id=${id}` })).records)).toMatchObject([
          { name: `P${n}` },
        ]);
      }
    });

    test('writes in halves what comes at once, and all of it before it is closed', async () => {
      const opened = await openTestStore(engine);
      const owner = await addAccount(opened.store, 'acme');
      const plan = planned(planCreate(partner, { name: 'A' }, NOW));
      const ids: unknown[] = [];
      const creating = Array.from({ length: 16 }, async () => {
        ids.push(Object(await opened.store.records.create(owner.id, plan)).id);
      });
      await creating[0];
      // Whatever was answered in the same turn.
      await new Promise((resolve) => process.nextTick(resolve));
      expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      await opened.close();
      await Promise.all(creating);
      expect(ids).toEqual(Array.from({ length: 16 }, (_, n) => n + 1));
    });

    test('hands out the last ids there are to creates that come at once, and refuses the others', async () => {
      const owner = await account();
      await load(store, owner, partner, [{ id: Number.MAX_SAFE_INTEGER - 2, name: 'A' }]);
      const created = await Promise.all(['B', 'C', 'D', 'E'].map((name) => create(owner, name)));
      expect(created).toEqual([
        { id: Number.MAX_SAFE_INTEGER - 1 },
        { id: Number.MAX_SAFE_INTEGER },
        'ids exhausted',
        'ids exhausted',
      ]);
      expect(await list(owner, partner, { limit: '1' })).toMatchObject({ total: 3, revision: 3 });
    });

    test('keeps no create from its record where the database refuses another that came at the same time', async () => {
      const owner = await account();
      const sane = planCreate(partner, { name: 'Sane' }, NOW);
      if (sane instanceof Problem) throw new Error(sane.detail);
      const [active] = partner.fields.filter(({ name }) => name === 'active');
      if (active === undefined) throw new Error('partners can be active');
      const unwritable = { ...sane, values: new Map(sane.values).set(active, 'perhaps') };
      const outcomes = await Promise.allSettled(
        [sane, sane, unwritable, sane].map((plan) => store.records.create(owner.id, plan)),
      );
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
      expect((await records(owner, partner)).map(({ id }) => id)).toEqual([1, 2, 3]);
      expect(await revision(owner, partner)).toBe(3);
      expect(await create(owner, 'After')).toEqual({ id: 4 });
    });

    test('agrees with the rows in every list, whatever is written meanwhile', async () => {
      const owner = await account();
      let isWriting = true;
      const writing = (async () => {
        for (let n = 0; n < 60; n += 1) await Promise.all([create(owner, 'A'), create(owner, 'B'), create(owner, 'A')]);
        isWriting = false;
      })();
      let seen = 0;
      while (isWriting) {
        const [all, some] = await Promise.all([list(owner, partner), list(owner, partner, { filter: 'name=A' })]);
        expect(all.total).toBe(all.revision);
        expect(recordsIn(all.records)).toHaveLength(all.total);
        expect(recordsIn(some.records)).toHaveLength(some.total);
        expect(all.total).toBeGreaterThanOrEqual(seen);
        seen = all.total;
        await new Promise((resolve) => setImmediate(resolve));
      }
      await writing;
      expect(await list(owner, partner, { limit: '1' })).toMatchObject({ total: 180, revision: 180 });
    });
  });

  describe('what is presumed of an account', () => {
    const planOf = (name: string) => planned(planCreate(partner, { name }, NOW));
    const one = planned(planRecord(partner, '1', { values: {}, continuations: [] }));

    test('lets a record be found and created where it is so', async () => {
      const { id } = await account();
      const stamp = await store.stamp(id);
      expect(await store.records.create(id, planOf('A'), stamp)).toEqual({ id: 1 });
      expect(await store.records.find(id, one, stamp)).toEqual(await store.records.find(id, one));
    });

    test.each([
      ['access', { access: 1, epoch: 0 }],
      ['epoch', { access: 0, epoch: 1 }],
    ])('lets nothing be found or created where the %s is another', async (_, other) => {
      const { id } = await account();
      const stamp = await store.stamp(id);
      if (stamp === undefined) throw new Error('the account is not there');
      const wrong = { access: stamp.access + other.access, epoch: stamp.epoch + other.epoch };
      await store.records.create(id, planOf('A'));
      const created = ['B', 'C', 'D'].map((name) =>
        store.records.create(id, planOf(name), name === 'C' ? stamp : wrong),
      );
      expect(await Promise.all(created)).toEqual(['not as presumed', { id: 2 }, 'not as presumed']);
      expect(await store.records.find(id, one, wrong)).toBeUndefined();
      expect((await store.stamp(id))?.ledger.get('partner')).toEqual({ revision: 2, rows: 2 });
    });

    test('is not so of an account that is gone', async () => {
      const { id } = await account();
      const stamp = await store.stamp(id);
      await store.accounts.remove(id);
      expect(await store.records.create(id, planOf('A'), stamp)).toBe('not as presumed');
    });
  });

  describe('load', () => {
    const loaded = (created: number, updated: number, unchanged: number): LoadResult => ({
      kind: 'loaded',
      created,
      updated,
      unchanged,
      removed: 0,
      leftOut: [],
    });

    test('creates, updates and leaves alone, and tells how many', async () => {
      const owner = await account();
      expect(
        await load(store, owner, company, [
          { id: 1, name: 'A', branch_user: '1' },
          { id: 2, name: 'B', branch_user: '2' },
        ]),
      ).toEqual(loaded(2, 0, 0));
      expect(
        await load(store, owner, company, [
          { id: 1, name: 'A' },
          { id: 2, branch_user: '3' },
          { id: 4, name: 'D', branch_user: '4' },
        ]),
      ).toEqual(loaded(1, 1, 1));
      expect(await records(owner, company)).toMatchObject([
        { id: 1, name: 'A', branch_user: '1' },
        { id: 2, name: 'B', branch_user: '3' },
        { id: 4, name: 'D', branch_user: '4' },
      ]);
    });

    test('that changes nothing leaves the revision as it is', async () => {
      const owner = await account();
      await load(store, owner, company, [{ id: 1, name: 'A', branch_user: '1', company_code: null }]);
      expect(await load(store, owner, company, [{ id: 1, name: 'A', company_code: null }])).toEqual(loaded(0, 0, 1));
      expect(await load(store, owner, company, [])).toEqual(loaded(0, 0, 0));
      expect(await revision(owner, company)).toBe(1);
    });

    test('sets the dates that a row does not give, and keeps those that it does', async () => {
      const owner = await account();
      const old = '2020-01-01T00:00:00.000Z';
      await load(store, owner, company, [
        { id: 1, name: 'A', branch_user: '1', create_date: old, write_date: old },
        { id: 2, name: 'B', branch_user: '2' },
      ]);
      expect(await records(owner, company)).toMatchObject([
        { create_date: old, write_date: old },
        { create_date: NOW, write_date: NOW },
      ]);
      const row = { line: 2, values: valuesOf(company, { id: 1, name: 'A2' }) };
      await store.records.load(owner.id, plainLoad(company, LATER), inBatches([row]));
      expect(await records(owner, company)).toMatchObject([
        { name: 'A2', create_date: old, write_date: LATER },
        { write_date: NOW },
      ]);
    });

    test('sets a field to null only where null is given', async () => {
      const owner = await account();
      await load(store, owner, product, [{ id: 1, name: 'A', default_code: 'X', categ_id: 5 }]);
      await load(store, owner, product, [{ id: 1, default_code: null }]);
      expect(await records(owner, product)).toMatchObject([{ name: 'A', default_code: null, categ_id: 5 }]);
    });

    test('gives new ids behind the largest, in the order of the rows', async () => {
      const owner = await account();
      await create(owner, 'first');
      await load(store, owner, partner, [{ name: 'x' }, { id: 10, name: 'y' }, { name: 'z' }]);
      expect((await records(owner, partner)).map(({ id, name }) => [id, name])).toEqual([
        [1, 'first'],
        [10, 'y'],
        [11, 'x'],
        [12, 'z'],
      ]);
    });

    test('refuses an id that is given twice, and changes nothing', async () => {
      const owner = await account();
      expect(
        await load(store, owner, partner, [
          { id: 1, name: 'A' },
          { id: 2, name: 'B' },
          { id: 1, name: 'C' },
        ]),
      ).toEqual({
        kind: 'refused',
        faults: { count: 1, first: [{ line: 3, column: 'id', reason: '1 is given twice', first: 1 }] },
      });
      expect(await records(owner, partner)).toEqual([]);
      expect(await revision(owner, partner)).toBe(0);
    });

    test('refuses a new record without what it needs, and changes nothing', async () => {
      const owner = await account();
      await load(store, owner, company, [{ id: 1, name: 'A', branch_user: '1' }]);
      expect(
        await load(store, owner, company, [
          { id: 1, name: 'B' },
          { id: 2, company_code: 'X' },
        ]),
      ).toEqual({
        kind: 'refused',
        faults: {
          count: 1,
          first: [{ line: 2, column: 'name, branch_user', reason: 'missing; a new record needs it' }],
        },
      });
      expect(await records(owner, company)).toMatchObject([{ id: 1, name: 'A' }]);
    });

    test('refuses rows for which no ids are left', async () => {
      const owner = await account();
      expect(
        await load(store, owner, partner, [{ id: Number.MAX_SAFE_INTEGER, name: 'last' }, { name: 'one more' }]),
      ).toMatchObject({
        kind: 'refused',
        faults: { count: 1, first: [{ line: 2, column: 'id' }] },
      });
      expect(await records(owner, partner)).toEqual([]);
      expect(await revision(owner, partner)).toBe(0);
    });

    test('at the same time as another waits for it', async () => {
      const owner = await account();
      const results = await Promise.all([
        load(store, owner, company, [{ id: 1, name: 'A', branch_user: '1' }]),
        load(store, owner, partner, [{ id: 1, name: 'A' }]),
        load(store, owner, partner, [{ id: 1, name: 'B' }, { name: 'C' }]),
      ]);
      expect(results.map(({ kind }) => kind)).toEqual(['loaded', 'loaded', 'loaded']);
      expect((await records(owner, partner)).map(({ id }) => id)).toEqual([1, 2]);
    });

    test('that fails half-way changes nothing, and the next one works', async () => {
      const owner = await account();
      const rows = async function* () {
        yield [{ line: 1, values: valuesOf(partner, { id: 1, name: 'A' }) }];
        throw new Error('the file ends here');
      };
      await expect(store.records.load(owner.id, plainLoad(partner, NOW), rows())).rejects.toThrow('the file ends here');
      expect(await records(owner, partner)).toEqual([]);
      expect(await load(store, owner, partner, [{ id: 1, name: 'B' }])).toEqual(loaded(1, 0, 0));
    });

    test('into an account that is not there says so', async () => {
      expect(await store.records.load(999_999, plainLoad(partner, NOW), inBatches([]))).toEqual({
        kind: 'no such account',
      });
    });

    test('of many batches is one write', async () => {
      const owner = await account();
      const batches = async function* () {
        for (let batch = 0; batch < 20; batch += 1) {
          yield Array.from({ length: 100 }, (_, n) => ({
            line: batch * 100 + n,
            values: valuesOf(partner, { name: `P${n}` }),
          }));
        }
      };
      expect(await store.records.load(owner.id, plainLoad(partner, NOW), batches())).toEqual(loaded(2000, 0, 0));
      expect(await list(owner, partner, { limit: '1' })).toMatchObject({ total: 2000, revision: 1 });
    });
  });
});

async function* inBatches<Row>(...batches: readonly (readonly Row[])[]): AsyncIterable<readonly Row[]> {
  yield* batches;
}
