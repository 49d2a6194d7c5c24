/** What the rest of the program expects from every engine. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalog } from '../../src/catalog/catalog.ts';
import { company } from '../../src/catalog/company.ts';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import type { Resource } from '../../src/catalog/resource.ts';
import { planCreate } from '../../src/plan/create.ts';
import { planList } from '../../src/plan/list.ts';
import type { Idempotency } from '../../src/plan/plan.ts';
import { planRecord } from '../../src/plan/record.ts';
import { Problem } from '../../src/problem/problem.ts';
import {
  type Account,
  type Caller,
  type LoadResult,
  type NewKey,
  plainLoad,
  type Store,
} from '../../src/store/store.ts';
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
  type TextPage,
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
  ): Promise<TextPage> => {
    const plan = planned(planList(resource, { values: { limit: '1000', ...values }, continuations: [] }));
    const page = await listPage(store, id, plan);
    if (page === undefined) throw new Error('the account does not exist');
    return page;
  };
  const records = async (owner: Account, resource: Resource): Promise<RecordValues[]> =>
    recordsIn((await list(owner, resource)).records);
  const create = ({ id }: Account, name: string, idempotency?: Idempotency) => {
    const plan = planned(planCreate(partner, { name }, NOW));
    return store.records.create({ account: id }, { ...plan, idempotency });
  };
  const revision = ({ id }: Account, resource: Resource) => revisionOf(store, id, resource);

  describe('accounts', () => {
    test('are added once, found by name, and listed with their record counts', async () => {
      const added = await account();
      expect(await store.accounts.add(added.name, NOW)).toBeUndefined();
      expect(await store.accounts.find(added.name)).toEqual(added);
      expect(await store.accounts.find('nobody')).toBeUndefined();
      await create(added, 'A');
      const summary = (await store.accounts.list()).find(({ id }) => id === added.id);
      expect(summary).toEqual({
        ...added,
        bytes: 73,
        rows: new Map([
          ['company', 0],
          ['partner', 1],
          ['product', 0],
        ]),
      });
    });

    test('are removed with everything they own, and their id is never assigned again', async () => {
      const gone = await account();
      await create(gone, 'A');
      await store.keys.add(newKey('gone-key', gone));
      await store.accounts.remove(gone.id);
      expect(await store.accounts.find(gone.name)).toBeUndefined();
      expect(await store.keys.find('gone-key')).toBeUndefined();
      expect(await revision(gone, partner)).toBeUndefined();
      expect(await create(gone, 'B')).toBe('no access');
      const again = await addAccount(store, gone.name);
      expect(again.id).toBeGreaterThan(gone.id);
      expect(await records(again, partner)).toEqual([]);
    });

    const rowsOf = async ({ id }: Account) => {
      const tables = ['ledger', 'api_key', ...catalog.map(({ name }) => name), 'ledger_history', 'idempotency_key'];
      return Promise.all(tables.map((table) => database.count(table, `account_id = ${id}`)));
    };

    test('leave no row in any table when they are removed, and other accounts lose none', async () => {
      const [gone, other] = [await account(), await account()];
      for (const owner of [gone, other]) {
        await store.keys.add(newKey(`key-of-${owner.name}`, owner));
        await create(owner, 'A', { key: 'K', fingerprint: 'A' });
        await load(store, owner, product, [{ name: 'A' }]);
        await load(store, owner, company, [{ name: 'A', branch_user: '1' }]);
        expect(await rowsOf(owner)).toEqual([3, 1, 1, 1, 1, 0, 1]);
      }
      await store.accounts.remove(gone.id);
      expect(await rowsOf(gone)).toEqual([0, 0, 0, 0, 0, 0, 0]);
      expect(await rowsOf(other)).toEqual([3, 1, 1, 1, 1, 0, 1]);
    });

    test('leave no record that is created or imported during their removal', async () => {
      const gone = await account();
      const creating = Array.from({ length: 3 }, async (_, writer) => {
        for (let n = 1; (await create(gone, 'A', { key: `${writer} ${n}`, fingerprint: 'A' })) !== 'no access'; n += 1);
      });
      const importing = (async () => {
        while ((await load(store, gone, product, [{ name: 'A' }])).kind !== 'no such account');
      })();
      await expect.poll(() => revision(gone, partner)).toBeGreaterThan(9);
      await store.accounts.remove(gone.id);
      await Promise.all([...creating, importing]);
      expect(await rowsOf(gone)).toEqual([0, 0, 0, 0, 0, 0, 0]);
    });

    test('that are added concurrently under one name become one account', async () => {
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
    rateLimit: null,
  });

  describe('rate limits', () => {
    test('of a key and of its account are stored, changed and removed, and outdate sessions', async () => {
      const owner = await account();
      const id = `limited ${owner.name}`;
      await store.keys.add({ ...newKey(id, owner), rateLimit: 5 });
      const versions = new Set<number | undefined>();
      const limits = async () => {
        const found = await store.keys.find(id);
        versions.add(found?.access);
        expect(await store.accounts.find(owner.name)).toEqual(found?.account);
        expect((await store.keys.list(owner.id))[0]?.rateLimit).toBe(found?.key.rateLimit);
        return [found?.key.rateLimit, found?.account.rateLimit];
      };
      expect(await limits()).toEqual([5, null]);
      await store.accounts.setLimits(owner.id, { rateLimit: 999_999_999 });
      expect(await limits()).toEqual([5, 999_999_999]);
      await store.keys.setRateLimit(id, 0);
      expect(await limits()).toEqual([0, 999_999_999]);
      await store.keys.setRateLimit(id, null);
      await store.accounts.setLimits(owner.id, { rateLimit: null });
      expect(await limits()).toEqual([null, null]);
      expect(versions.size).toBe(4);
    });

    test('of others stay as they are', async () => {
      const [one, other] = [await account(), await account()];
      for (const owner of [one, other]) await store.keys.add(newKey(`limit ${owner.name}`, owner));
      const before = await store.keys.find(`limit ${other.name}`);
      await store.keys.setRateLimit(`limit ${one.name}`, 7);
      await store.accounts.setLimits(one.id, { rateLimit: 8 });
      expect(await store.keys.find(`limit ${other.name}`)).toEqual(before);
    });
  });

  describe('keys', () => {
    test('are found by their public id, with their account', async () => {
      const owner = await account();
      const key = newKey('key-1', owner);
      await store.keys.add(key);
      expect(await store.keys.find('key-1')).toEqual({
        key: { ...key, lastUsedAt: null, revokedAt: null, replacedBy: null },
        account: owner,
        access: expect.any(Number),
      });
      expect(await store.keys.find('key-2')).toBeUndefined();
      expect(await store.keys.list(owner.id)).toEqual([
        { ...key, lastUsedAt: null, revokedAt: null, replacedBy: null },
      ]);
    });

    test('are listed by account', async () => {
      const [one, other] = [await account(), await account()];
      await store.keys.add(newKey('key-of-one', one));
      await store.keys.add(newKey('key-of-other', other));
      expect((await store.keys.list(one.id)).map(({ id }) => id)).toEqual(['key-of-one']);
    });

    test('keep the latest time of use, whatever order uses are recorded in', async () => {
      const owner = await account();
      await store.keys.add(newKey('key-4', owner));
      await store.keys.recordUse(new Map([['key-4', LATER]]));
      await store.keys.recordUse(new Map([['key-4', NOW]]));
      expect((await store.keys.find('key-4'))?.key.lastUsedAt).toBe(LATER);
    });

    test('can be revoked, and record when they were last used', async () => {
      const owner = await account();
      await store.keys.add({ ...newKey('key-3', owner), expiresAt: null, scopes: ['read', 'write'] });
      await store.keys.recordUse(
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
      await store.keys.revoke('key-3', NOW);
      expect((await store.keys.find('key-3'))?.key.revokedAt).toBe(LATER);
    });

    const EVEN_LATER = '2026-03-03T12:00:00.000Z';
    test.each([
      [null, LATER, { expiresAt: LATER, revokedAt: null }],
      [EVEN_LATER, LATER, { expiresAt: LATER, revokedAt: null }],
      [LATER, EVEN_LATER, { expiresAt: LATER, revokedAt: null }],
      [null, null, { expiresAt: null, revokedAt: NOW }],
      [LATER, null, { expiresAt: LATER, revokedAt: NOW }],
    ])('that expire at %s and are replaced, with an overlap until %s', async (expiresAt, overlapEnds, expected) => {
      const owner = await account();
      const [old, successor] = [`old of ${owner.name}`, newKey(`new of ${owner.name}`, owner)];
      await store.keys.add({ ...newKey(old, owner), expiresAt });
      const before = (await store.keys.find(old))?.access;
      expect(await store.keys.replace(old, successor, overlapEnds)).toBe(true);
      expect(await store.keys.find(old)).toMatchObject({ key: { ...expected, replacedBy: successor.id } });
      expect(await store.keys.find(successor.id)).toMatchObject({ key: successor });
      expect((await store.keys.find(old))?.access).not.toBe(before);
    });

    test('that have been revoked or replaced are not replaced', async () => {
      const owner = await account();
      for (const name of ['revoked', 'replaced']) {
        const [old, first, second] = ['old', 'first', 'second'].map((word) => newKey(`${word} ${name}`, owner));
        if (old === undefined || first === undefined || second === undefined) throw new Error('a key is missing');
        await store.keys.add(old);
        if (name === 'revoked') await store.keys.revoke(old.id, LATER);
        else expect(await store.keys.replace(old.id, first, LATER)).toBe(true);
        const before = await store.keys.find(old.id);
        expect(await store.keys.replace(old.id, second, null)).toBe(false);
        expect(await store.keys.find(old.id)).toEqual(before);
        expect(await store.keys.find(second.id)).toBeUndefined();
      }
    });
  });

  describe('the ledger', () => {
    test('counts writes and rows, and assigns ids', async () => {
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
      expect(page).toMatchObject({ total: 5, version: { revision: 4 } });
      expect(page.records).toBe(
        '{"id":1,"name":"A again"},{"id":2,"name":"B"},{"id":50,"name":"C"},{"id":51,"name":"D"},{"id":52,"name":"E"}',
      );
    });

    const stamp = async (owner: Account, id: number) => {
      const plan = planned(planRecord(partner, String(id), { values: {}, continuations: [] }));
      const found = await store.records.find({ account: owner.id }, plan);
      return typeof found === 'object' && found.kind === 'found' ? found.written.revision : undefined;
    };

    test('stamps each record with the revision that last wrote it', async () => {
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

    test('is separate for each account, even if ids and names are the same', async () => {
      const accounts = [await account(), await account(), await account()];
      for (const owner of accounts)
        await load(store, owner, partner, [
          { id: 1, name: owner.name },
          { id: 2, name: 'same' },
        ]);
      const [first, second, third] = accounts;
      if (first === undefined || second === undefined || third === undefined) throw new Error('an account is missing');
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

    test('is read for many accounts at once', async () => {
      const [first, second] = [await account(), await account()];
      await create(first, 'A');
      await create(second, 'B');
      await create(second, 'C');
      const missing = second.id + 1_000;
      const versions = await Promise.all([first.id, second.id, missing, first.id].map((id) => store.version(id)));
      expect(versions.map((version) => version?.ledger.get('partner'))).toMatchObject([
        { revision: 1, rows: 1 },
        { revision: 2, rows: 2 },
        undefined,
        { revision: 1, rows: 1 },
      ]);
      expect(versions.map((version) => version?.ledger.size)).toEqual([3, 3, undefined, 3]);
    });

    test('invalidates cached totals with every write', async () => {
      const owner = await account();
      const total = async (filter: string) => (await list(owner, partner, { filter, limit: '1' })).total;
      await create(owner, 'A');
      expect([await total('name=A'), await total('name=A'), await total('name=B')]).toEqual([1, 1, 0]);
      await create(owner, 'A');
      expect([await total('name=A'), await total('name=B'), await total('name[A]')]).toEqual([2, 0, 2]);
      await load(store, owner, partner, [{ id: 1, name: 'B' }]);
      expect([await total('name=A'), await total('name=B')]).toEqual([1, 1]);
    });

    test('assigns unique ids and exact counts to concurrent creates', async () => {
      const owner = await account();
      const created = await Promise.all(Array.from({ length: 200 }, (_, n) => create(owner, `P${n}`)));
      const ids = created.map((result) => (typeof result === 'object' && 'id' in result ? result.id : Number.NaN));
      expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
      expect(await list(owner, partner, { limit: '1' })).toMatchObject({ total: 200, version: { revision: 200 } });
      // Each record has the id that was returned, and a revision of its own.
      for (const n of [0, 1, 99, 100, 199]) {
        const id = ids[n] ?? Number.NaN;
        expect(await stamp(owner, id)).toBe(id);
        expect(recordsIn((await list(owner, partner, { filter: `id=${id}` })).records)).toMatchObject([
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
      // The rest of the batch settles in the same turn.
      await new Promise((resolve) => process.nextTick(resolve));
      expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      await opened.close();
      await Promise.all(creating);
      expect(ids).toEqual(Array.from({ length: 16 }, (_, n) => n + 1));
    });

    test('assigns the last ids to concurrent creates, and rejects the others', async () => {
      const owner = await account();
      await load(store, owner, partner, [{ id: Number.MAX_SAFE_INTEGER - 2, name: 'A' }]);
      const created = await Promise.all(['B', 'C', 'D', 'E'].map((name) => create(owner, name)));
      expect(created).toEqual([
        { id: Number.MAX_SAFE_INTEGER - 1 },
        { id: Number.MAX_SAFE_INTEGER },
        'ids exhausted',
        'ids exhausted',
      ]);
      expect(await list(owner, partner, { limit: '1' })).toMatchObject({ total: 3, version: { revision: 3 } });
    });

    test('writes a create even if the database rejects another one of its batch', async () => {
      const owner = await account();
      const sane = planCreate(partner, { name: 'Sane' }, NOW);
      if (sane instanceof Problem) throw new Error(sane.detail);
      const [active] = partner.fields.filter(({ name }) => name === 'active');
      if (active === undefined) throw new Error('partner has no field active');
      const unwritable = { ...sane, values: new Map(sane.values).set(active, 'perhaps') };
      const outcomes = await Promise.allSettled(
        [sane, sane, unwritable, sane].map((plan) => store.records.create({ account: owner.id }, plan)),
      );
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
      expect((await records(owner, partner)).map(({ id }) => id)).toEqual([1, 2, 3]);
      expect(await revision(owner, partner)).toBe(3);
      expect(await create(owner, 'After')).toEqual({ id: 4 });
    });

    test('agrees with the rows of every list during concurrent writes', async () => {
      const owner = await account();
      let isWriting = true;
      const writing = (async () => {
        for (let n = 0; n < 60; n += 1) await Promise.all([create(owner, 'A'), create(owner, 'B'), create(owner, 'A')]);
        isWriting = false;
      })();
      let seen = 0;
      while (isWriting) {
        const [all, some] = await Promise.all([list(owner, partner), list(owner, partner, { filter: 'name=A' })]);
        expect(all.total).toBe(all.version.revision);
        expect(recordsIn(all.records)).toHaveLength(all.total);
        expect(recordsIn(some.records)).toHaveLength(some.total);
        expect(all.total).toBeGreaterThanOrEqual(seen);
        seen = all.total;
        await new Promise((resolve) => setImmediate(resolve));
      }
      await writing;
      expect(await list(owner, partner, { limit: '1' })).toMatchObject({ total: 180, version: { revision: 180 } });
    });
  });

  describe('the access version of a caller', () => {
    const planOf = (name: string) => planned(planCreate(partner, { name }, NOW));
    const one = planned(planRecord(partner, '1', { values: {}, continuations: [] }));
    const all = planned(planList(partner, { values: {}, continuations: [] }));
    const callerOf = async ({ id }: Account) => ({
      account: id,
      access: (await store.version(id))?.access ?? Number.NaN,
    });
    const versionOf = async ({ id }: Account) => {
      const version = (await store.version(id))?.ledger.get('partner');
      if (version === undefined) throw new Error('the account does not exist');
      return version;
    };

    test('is verified by every statement, and accepted if it is current', async () => {
      const owner = await account();
      const caller = await callerOf(owner);
      expect(await store.records.create(caller, planOf('A'))).toEqual({ id: 1 });
      expect(await store.records.find(caller, one)).toMatchObject({ kind: 'found', written: { revision: 1 } });
      expect(await store.records.list(caller, all, await versionOf(owner))).toMatchObject({ total: 1 });
      expect(await openedExport(caller)).toMatchObject({ total: 1 });
    });

    const openedExport = async (caller: Caller) => {
      const opened = await store.records.export(caller, { ...all, page: undefined, format: { kind: 'ndjson' } });
      if (opened !== 'no access') await opened.close();
      return opened;
    };

    test.each(['a key was added', 'a key was revoked', 'the account was removed'])(
      'has no access once %s, and nothing is written',
      async (change) => {
        const owner = await account();
        await store.keys.add(newKey(`key of ${owner.name}`, owner));
        await create(owner, 'A');
        const [caller, version] = [await callerOf(owner), await versionOf(owner)];
        if (change === 'a key was added') await store.keys.add(newKey(`other key of ${owner.name}`, owner));
        else if (change === 'a key was revoked') await store.keys.revoke(`key of ${owner.name}`, NOW);
        else await store.accounts.remove(owner.id);
        const creating = ['B', 'C', 'D'].map((name) => store.records.create(caller, planOf(name)));
        expect(await Promise.all(creating)).toEqual(['no access', 'no access', 'no access']);
        expect(await store.records.find(caller, one)).toBe('no access');
        expect(await store.records.list(caller, all, version)).toBe('no access');
        expect(await openedExport(caller)).toBe('no access');
        if (change === 'the account was removed') return;
        expect((await list(owner, partner)).total).toBe(1);
        expect(await store.records.create(await callerOf(owner), planOf('E'))).toEqual({ id: 2 });
      },
    );

    test('of creates that arrive together, only those with the current one are written', async () => {
      const owner = await account();
      const outdated = await callerOf(owner);
      await store.keys.add(newKey(`key of ${owner.name}`, owner));
      const current = await callerOf(owner);
      const created = [outdated, current, outdated].map((caller) => store.records.create(caller, planOf('A')));
      expect(await Promise.all(created)).toEqual(['no access', { id: 1 }, 'no access']);
    });
  });

  describe('load', () => {
    const loaded = (created: number, updated: number, unchanged: number): LoadResult => ({
      kind: 'loaded',
      created,
      updated,
      unchanged,
      removed: 0,
      skipped: [],
    });

    test('creates, updates and skips unchanged records, and counts them', async () => {
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

    test('that changes nothing keeps the revision', async () => {
      const owner = await account();
      await load(store, owner, company, [{ id: 1, name: 'A', branch_user: '1', company_code: null }]);
      expect(await load(store, owner, company, [{ id: 1, name: 'A', company_code: null }])).toEqual(loaded(0, 0, 1));
      expect(await load(store, owner, company, [])).toEqual(loaded(0, 0, 0));
      expect(await revision(owner, company)).toBe(1);
    });

    test('sets dates that a row omits, and keeps those it gives', async () => {
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

    test('sets a field to null only if the row gives null', async () => {
      const owner = await account();
      await load(store, owner, product, [{ id: 1, name: 'A', default_code: 'X', categ_id: 5 }]);
      await load(store, owner, product, [{ id: 1, default_code: null }]);
      expect(await records(owner, product)).toMatchObject([{ name: 'A', default_code: null, categ_id: 5 }]);
    });

    test('assigns new ids after the largest one, in row order', async () => {
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

    test('refuses a duplicate id, and changes nothing', async () => {
      const owner = await account();
      expect(
        await load(store, owner, partner, [
          { id: 1, name: 'A' },
          { id: 2, name: 'B' },
          { id: 1, name: 'C' },
        ]),
      ).toEqual({
        kind: 'refused',
        errors: { count: 1, first: [{ line: 3, column: 'id', reason: 'duplicate 1', first: 1 }] },
      });
      expect(await records(owner, partner)).toEqual([]);
      expect(await revision(owner, partner)).toBe(0);
    });

    test('refuses a new record without a required field, and changes nothing', async () => {
      const owner = await account();
      await load(store, owner, company, [{ id: 1, name: 'A', branch_user: '1' }]);
      expect(
        await load(store, owner, company, [
          { id: 1, name: 'B' },
          { id: 2, company_code: 'X' },
        ]),
      ).toEqual({
        kind: 'refused',
        errors: {
          count: 1,
          first: [{ line: 2, column: 'name, branch_user', reason: 'missing; a new record requires it' }],
        },
      });
      expect(await records(owner, company)).toMatchObject([{ id: 1, name: 'A' }]);
    });

    test('refuses rows if no ids are left', async () => {
      const owner = await account();
      expect(
        await load(store, owner, partner, [{ id: Number.MAX_SAFE_INTEGER, name: 'last' }, { name: 'one more' }]),
      ).toMatchObject({
        kind: 'refused',
        errors: { count: 1, first: [{ line: 2, column: 'id' }] },
      });
      expect(await records(owner, partner)).toEqual([]);
      expect(await revision(owner, partner)).toBe(0);
    });

    test('waits for a concurrent load', async () => {
      const owner = await account();
      const results = await Promise.all([
        load(store, owner, company, [{ id: 1, name: 'A', branch_user: '1' }]),
        load(store, owner, partner, [{ id: 1, name: 'A' }]),
        load(store, owner, partner, [{ id: 1, name: 'B' }, { name: 'C' }]),
      ]);
      expect(results.map(({ kind }) => kind)).toEqual(['loaded', 'loaded', 'loaded']);
      expect((await records(owner, partner)).map(({ id }) => id)).toEqual([1, 2]);
    });

    test('that fails halfway changes nothing, and the next one succeeds', async () => {
      const owner = await account();
      const rows = async function* () {
        yield [{ line: 1, values: valuesOf(partner, { id: 1, name: 'A' }) }];
        throw new Error('the file ends here');
      };
      await expect(store.records.load(owner.id, plainLoad(partner, NOW), rows())).rejects.toThrow('the file ends here');
      expect(await records(owner, partner)).toEqual([]);
      expect(await load(store, owner, partner, [{ id: 1, name: 'B' }])).toEqual(loaded(1, 0, 0));
    });

    test('reports an account that does not exist', async () => {
      expect(await store.records.load(999_999, plainLoad(partner, NOW), inBatches([]))).toEqual({
        kind: 'no such account',
      });
    });

    test('writes many batches as one revision', async () => {
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
      expect(await list(owner, partner, { limit: '1' })).toMatchObject({ total: 2000, version: { revision: 1 } });
    });
  });
});

async function* inBatches<Row>(...batches: readonly (readonly Row[])[]): AsyncIterable<readonly Row[]> {
  yield* batches;
}
