/** Idempotency keys on every engine: they are written with their records, by concurrent creates, on one node and on two. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partner } from '../../../src/catalog/partner.ts';
import { planCreate } from '../../../src/plan/create.ts';
import { Cancelled, Deadline } from '../../../src/schedule/deadline.ts';
import { type Account, KEY_LIFETIME, type Store } from '../../../src/store/store.ts';
import { engines, openDatabase, openTestStore, type TestDatabase } from '../../support/engines.ts';
import { addAccount, load, NOW, planned, revisionOf, unwritable } from '../../support/fixture.ts';

describe.each(engines)('on $name', (engine) => {
  let store: Store;
  /** Another node on the same database. */
  let other: Store;
  let database: TestDatabase;
  let owner: Account;
  beforeAll(async () => {
    database = await engine.makeMigrated();
    store = await openDatabase(database.url);
    other = await openDatabase(database.url);
  });
  afterAll(async () => {
    await store.close();
    await other.close();
    await database.drop();
  });

  let named = 0;
  const account = () => {
    named += 1;
    return addAccount(store, `account-${named}`);
  };
  const plan = planned(planCreate(partner, { name: 'A' }, NOW));
  const create = (key?: string, { fingerprint = 'F', node = store, deadline = new Deadline(300_000) } = {}) =>
    node.records.create(
      { account: owner.id, deadline },
      {
        ...plan,
        idempotency: key === undefined ? undefined : { key, fingerprint },
      },
    );
  const keysIn = () => database.count('idempotency_key', `account_id = ${owner.id}`);
  const rows = async () => (await store.version(owner.id))?.ledger.get('partner')?.rows;

  /** Every create that has been called has looked up its key by then, and its batch has started unless one is running. */
  const areWaiting = async () => {
    for (const node of [store, other]) await node.version(owner.id);
    for (let iteration = 0; iteration < 5; iteration += 1) await new Promise(setImmediate);
  };

  /** Nothing is written until `body` is done. */
  const whileHeld = async <Result>(body: () => Promise<Result>): Promise<Result> => {
    const release = await database.holdWrites();
    return body().finally(release);
  };

  test('a key creates one record', async () => {
    owner = await account();
    expect(await create('K')).toEqual({ id: 1 });
    expect(await create('K')).toEqual({ id: 1, isReplayed: true });
    expect(await create('K', { node: other })).toEqual({ id: 1, isReplayed: true });
    expect(await create('K', { fingerprint: 'G' })).toEqual({ kind: 'key reused', identity: 'F' });
    expect(await create()).toEqual({ id: 2 });
    expect(await create('L')).toEqual({ id: 3 });
    expect(await create('K')).toEqual({ id: 1, isReplayed: true });
    expect([await rows(), await keysIn()]).toEqual([3, 2]);
  });

  test('a key that an older version has stored still works', async () => {
    owner = await account();
    expect(await create('K')).toEqual({ id: 1 });
    expect(await create('K', { fingerprint: 'F POST' })).toEqual({ id: 1, isReplayed: true });
    expect(await create('K', { fingerprint: 'G POST' })).toEqual({ kind: 'key reused', identity: 'F' });
    expect(await create('L', { fingerprint: 'F POST' })).toEqual({ id: 2 });
    expect(await create('L', { fingerprint: 'F PATCH 7' })).toEqual({ kind: 'key reused', identity: 'F POST' });
  });

  test('a key belongs to one account', async () => {
    owner = await account();
    expect(await create('K')).toEqual({ id: 1 });
    owner = await account();
    expect(await create('K', { fingerprint: 'G' })).toEqual({ id: 1 });
  });

  test('creates with and without keys share a batch, and each key has the id of its record', async () => {
    owner = await account();
    const keys = Array.from({ length: 100 }, (_, n) => (n % 3 === 0 ? undefined : `K${n}`));
    const batches: number[] = [];
    let settled = 0;
    /** The creates of a batch settle in the same iteration. */
    const count = () => {
      if (settled === 0)
        setImmediate(() => {
          batches.push(settled);
          settled = 0;
        });
      settled += 1;
    };
    const [first, ...creating] = await whileHeld(async () => {
      const running = create();
      await areWaiting();
      const waiting = keys.map((key) => create(key).finally(count));
      await areWaiting();
      return [running, ...waiting];
    });
    await first;
    const created = await Promise.all(creating);
    await new Promise(setImmediate);
    expect(batches).toEqual([51, 49]);
    const ids = created.map((one) => Object(one).id);
    expect(ids.toSorted((x, y) => x - y)).toEqual(keys.map((_, n) => n + 2));
    for (const [n, key] of keys.entries())
      if (key !== undefined) expect(await create(key)).toEqual({ id: ids[n], isReplayed: true });
    expect([await rows(), await revisionOf(store, owner.id, partner)]).toEqual([101, 101]);
  });

  test('a hundred concurrent creates with one key create one record, also on two nodes', async () => {
    for (const nodes of [[store], [store, other]]) {
      owner = await account();
      const creating = Array.from({ length: 100 }, (_, n) => create('K', { node: nodes[n % nodes.length] ?? store }));
      const created = await Promise.all(creating);
      expect(created).toContainEqual({ id: 1 });
      expect(created.filter((one) => typeof one === 'object' && !('isReplayed' in one))).toHaveLength(1);
      for (const one of created) if (one !== 'key in progress') expect(one).toMatchObject({ id: 1 });
      expect([await rows(), await keysIn()]).toEqual([1, 1]);
    }
  });

  test('a key is in progress until its record is written, whatever the body', async () => {
    owner = await account();
    const [first] = await whileHeld(async () => {
      const creating = create('K');
      expect(await create('K')).toBe('key in progress');
      expect(await create('K', { fingerprint: 'G' })).toBe('key in progress');
      return [creating];
    });
    expect(await first).toEqual({ id: 1 });
    expect(await create('K')).toEqual({ id: 1, isReplayed: true });
  });

  test('a key stays in progress if its caller leaves while the record is being written', async () => {
    owner = await account();
    const deadline = new Deadline(300_000);
    await whileHeld(async () => {
      const left = create('K', { deadline });
      await areWaiting();
      deadline.cancel('disconnected');
      await expect(left).rejects.toBeInstanceOf(Cancelled);
      expect(await create('K')).toBe('key in progress');
    });
    await expect.poll(() => create('K')).toEqual({ id: 1, isReplayed: true });
    expect(await rows()).toBe(1);
  });

  test('a key whose create was cancelled before it was written can be used', async () => {
    owner = await account();
    const deadline = new Deadline(300_000);
    const [running] = await whileHeld(async () => {
      const first = create();
      await areWaiting();
      const left = create('K', { deadline });
      await areWaiting();
      deadline.cancel('disconnected');
      await expect(left).rejects.toBeInstanceOf(Cancelled);
      return [first];
    });
    await running;
    expect(await create('K')).toEqual({ id: 2 });
  });

  test('two nodes that use the same keys at the same time create each record once, and all others of their batches', async () => {
    owner = await account();
    const keys = Array.from({ length: 20 }, (_, n) => `K${n}`);
    const creating = await whileHeld(async () => {
      const waiting = {
        one: keys.map((key) => create(key)),
        two: keys.map((key, n) => create(key, { node: other, fingerprint: n === 7 ? 'G' : 'F' })),
        others: [...keys.map(() => create()), ...keys.map((key) => create(`other ${key}`, { node: other }))],
      };
      await areWaiting();
      return waiting;
    });
    const [a, b] = [await Promise.all(creating.one), await Promise.all(creating.two)];
    for (const n of keys.keys()) {
      const both = [a[n], b[n]];
      if (n === 7) {
        expect(both).toContainEqual({ kind: 'key reused', identity: expect.stringMatching(/^[FG]$/) });
        expect(both).toContainEqual({ id: expect.any(Number) });
      } else {
        const id = Object(a[n]).id;
        expect(both).toContainEqual({ id });
        expect(both).toContainEqual({ id, isReplayed: true });
      }
    }
    const others = await Promise.all(creating.others);
    for (const created of others) expect(created).toEqual({ id: expect.any(Number) });
    const ids = [...a, ...b, ...others].flatMap((created) =>
      typeof created === 'object' && 'id' in created ? [created.id] : [],
    );
    expect([...new Set(ids)].toSorted((x, y) => x - y)).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
    expect([await rows(), await keysIn()]).toEqual([60, 40]);
  });

  test('a create that is rejected does not use up its key', async () => {
    owner = await account();
    const rejected = (key: string) =>
      store.records.create({ account: owner.id }, { ...unwritable(), idempotency: { key, fingerprint: 'F' } });
    const outcomes = await Promise.allSettled([create('A'), rejected('B'), create('C'), create()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(await create('B')).toEqual({ id: 4 });
  });

  test('a create without ids or access does not use up its key', async () => {
    owner = await account();
    const caller = { account: owner.id, access: -1 };
    const keyed = { ...plan, idempotency: { key: 'K', fingerprint: 'F' } };
    expect(await store.records.create(caller, keyed)).toBe('no access');
    expect(await create('K')).toEqual({ id: 1 });
    // What the key has created is only for callers with access.
    expect(await store.records.create(caller, keyed)).toBe('no access');
    await load(store, owner, partner, [{ id: Number.MAX_SAFE_INTEGER, name: 'Last' }]);
    expect(await create('L')).toBe('ids exhausted');
    expect(await create('K')).toEqual({ id: 1, isReplayed: true });
    expect(await keysIn()).toBe(1);
  });

  /** `hours` is negative for the past. */
  const moveKeys = (hours: number) => {
    const at = new Date(Date.now() + hours * 3_600_000).toISOString();
    return database.execute(`UPDATE idempotency_key SET created_at = '${at}' WHERE account_id = ${owner.id}`);
  };

  test('a key is remembered for its lifetime, and can then be used again', async () => {
    owner = await account();
    await create('K');
    const minute = 1 / 60;
    await moveKeys(-KEY_LIFETIME + minute);
    expect(await create('K', { fingerprint: 'G' })).toEqual({ kind: 'key reused', identity: 'F' });
    expect(await create('K')).toEqual({ id: 1, isReplayed: true });
    await moveKeys(-KEY_LIFETIME - minute);
    expect(await create('K', { fingerprint: 'G' })).toEqual({ id: 2 });
    expect(await create('K', { fingerprint: 'G' })).toEqual({ id: 2, isReplayed: true });
    await moveKeys(-KEY_LIFETIME - minute);
    const created = await Promise.all(
      Array.from({ length: 50 }, (_, n) => create('K', { node: n % 2 === 0 ? store : other })),
    );
    for (const one of created) if (one !== 'key in progress') expect(one).toMatchObject({ id: 3 });
    expect([await rows(), await keysIn()]).toEqual([3, 1]);
  });

  test('later creates with a key remove expired keys of the account, a few at a time', async () => {
    const neighbour = await account();
    owner = neighbour;
    await create('K');
    await moveKeys(-KEY_LIFETIME - 1);
    owner = await account();
    await Promise.all(Array.from({ length: 100 }, (_, n) => create(`K${n}`)));
    await moveKeys(-KEY_LIFETIME + 1);
    await create('L');
    expect(await keysIn()).toBe(101);
    await moveKeys(-KEY_LIFETIME - 1);
    await create();
    expect(await keysIn()).toBe(101);
    for (let n = 0; n < 10; n += 1) {
      const before = await keysIn();
      await create(`M${n}`);
      expect(before + 1 - (await keysIn())).toBeLessThanOrEqual(4);
    }
    expect(await keysIn()).toBeLessThan(100);
    for (let n = 0; n < 200; n += 20) await Promise.all(Array.from({ length: 20 }, (_, m) => create(`N${n + m}`)));
    const [all, unexpired] = [await keysIn(), 210];
    expect(all - unexpired).toBeLessThan(10);
    expect(await create('M0')).toMatchObject({ isReplayed: true });
    owner = neighbour;
    expect(await keysIn()).toBe(1);
  });

  test('a key survives a restart', async () => {
    const opened = await openTestStore(engine);
    const { id } = await addAccount(opened.store, 'acme');
    const keyed = { ...plan, idempotency: { key: 'K', fingerprint: 'F' } };
    expect(await opened.store.records.create({ account: id }, keyed)).toEqual({ id: 1 });
    const restarted = await openDatabase(opened.database.url);
    expect(await restarted.records.create({ account: id }, keyed)).toEqual({ id: 1, isReplayed: true });
    await restarted.close();
    await opened.close();
  });
});
