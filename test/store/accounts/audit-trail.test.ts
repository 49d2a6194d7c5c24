/** The audit trail: exactly one entry for every administrative action, in the same transaction. */

import { describe, expect, test } from 'vitest';
import { partner } from '../../../src/catalog/partner.ts';
import { product } from '../../../src/catalog/product.ts';
import { processActor } from '../../../src/store/accounts/process-actor.ts';
import { type AuditAction, type AuditQuery, auditActions } from '../../../src/store/audit.ts';
import type { Account, NewKey } from '../../../src/store/store.ts';
import { refuseEntries } from '../../support/audit.ts';
import { engines, openDatabase } from '../../support/engines.ts';
import { LATER, load, NOW, newKey } from '../../support/fixture.ts';
import { connectTo } from '../../support/postgres-connection.ts';
import { sharedStore } from '../../support/shared.ts';

/** Hard to put into JSON. */
const NAME = 'Shop “sync”\n"\\';
const CLIENT = { name: 'key code-1', origin: '203.0.113.7' };

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);

  const keyOf = (owner: Account, id: string): NewKey => ({
    ...newKey(`${owner.name}-${id}`, owner),
    name: NAME,
    scopes: ['read', 'write'],
  });
  const entries = async (query: AuditQuery) => {
    const found = [];
    for await (const batch of opened.store.audit.entries(query)) found.push(...batch);
    return found;
  };
  /** What was done to an account after it was added. */
  const trailOf = async ({ name }: Account) => (await entries({ account: name })).slice(1);

  test('an entry says who did what, when and from where', async () => {
    const before = new Date(Date.now() - 1).toISOString();
    const { name } = await opened.account();
    const { name: actor, origin } = processActor();
    const found = await entries({ account: name });
    expect(found).toEqual([
      {
        id: expect.any(Number),
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        actor,
        origin,
        action: 'account added',
        account: name,
        details: '{}',
      },
    ]);
    for (const { at } of found) {
      expect(Date.parse(at)).toBeGreaterThanOrEqual(Date.parse(before));
      expect(Date.parse(at)).toBeLessThanOrEqual(Date.now());
    }
  });

  interface Case {
    readonly action: AuditAction;
    prepare?(owner: Account): Promise<unknown>;
    act(owner: Account): Promise<unknown>;
    /** Of `account-1`. */
    details(owner: Account): object;
  }

  const cases: readonly Case[] = [
    {
      action: 'account removed',
      prepare: (owner) => opened.load(owner, product, [{ name: 'A' }, { name: 'B' }]),
      act: (owner) => opened.store.accounts.remove(owner.id),
      details: () => ({ records: { product: 2, partner: 0, company: 0 } }),
    },
    {
      action: 'key issued',
      act: (owner) => opened.store.keys.add(keyOf(owner, 'a')),
      details: ({ name }) => ({
        key: `${name}-a`,
        name: NAME,
        scopes: ['read', 'write'],
        expiresAt: LATER,
        limit: null,
      }),
    },
    {
      action: 'key rotated',
      prepare: (owner) => opened.store.keys.add(keyOf(owner, 'a')),
      act: (owner) => opened.store.keys.replace(`${owner.name}-a`, keyOf(owner, 'b'), '9999-01-01T00:00:00.000Z'),
      details: ({ name }) => ({
        key: `${name}-a`,
        replacedBy: `${name}-b`,
        scopes: ['read', 'write'],
        overlapEnds: LATER,
      }),
    },
    {
      action: 'key revoked',
      prepare: (owner) => opened.store.keys.add(keyOf(owner, 'a')),
      act: (owner) => opened.store.keys.revoke(`${owner.name}-a`, LATER),
      details: ({ name }) => ({ key: `${name}-a`, name: NAME }),
    },
    {
      action: 'key limit changed',
      prepare: (owner) => opened.store.keys.add({ ...keyOf(owner, 'a'), rateLimit: 5 }),
      act: (owner) => opened.store.keys.setRateLimit(`${owner.name}-a`, null),
      details: ({ name }) => ({ key: `${name}-a`, from: 5, to: null }),
    },
    {
      action: 'account limit changed',
      act: (owner) => opened.store.accounts.setLimits(owner.id, { rateLimit: 100 }),
      details: () => ({ limit: 'requests per second', from: null, to: 100 }),
    },
    {
      action: 'account currency changed',
      prepare: (owner) => opened.store.accounts.setCurrency(owner.id, 'EUR'),
      act: (owner) => opened.store.accounts.setCurrency(owner.id, 'USD'),
      details: () => ({ from: 'EUR', to: 'USD' }),
    },
    {
      action: 'sign-in link used',
      prepare: (owner) => opened.store.keys.add({ ...keyOf(owner, 'a'), scopes: ['sign-in'] }),
      act: (owner) => opened.store.keys.exchange(`${owner.name}-a`, keyOf(owner, 'b'), CLIENT),
      details: ({ name }) => ({ code: `${name}-a`, key: `${name}-b`, scopes: ['read', 'write'], expiresAt: LATER }),
    },
    {
      action: 'signed in',
      prepare: (owner) => opened.store.keys.add(keyOf(owner, 'a')),
      act: (owner) => opened.store.keys.startSession({ ...keyOf(owner, 'b'), sessionOf: `${owner.name}-a` }, CLIENT),
      details: ({ name }) => ({ key: `${name}-a`, session: `${name}-b`, scopes: ['read', 'write'], expiresAt: LATER }),
    },
    {
      action: 'signed out',
      prepare: (owner) => opened.store.keys.add({ ...keyOf(owner, 'a'), sessionOf: `${owner.name}-a` }),
      act: (owner) => opened.store.keys.endSession(`${owner.name}-a`, LATER, CLIENT),
      details: ({ name }) => ({ session: `${name}-a` }),
    },
    {
      action: 'records imported',
      prepare: (owner) => opened.load(owner, partner, [{ name: 'A' }, { name: 'B' }, { name: 'C' }]),
      act: (owner) =>
        load(
          opened.store,
          owner,
          partner,
          [{ id: 1, name: 'A' }, { id: 2, name: 'X' }, { name: 'D' }, { name: 'E' }, { name: 'F' }],
          { replace: true, import: { file: 'night "1".csv' } },
        ),
      details: () => ({
        resource: 'partner',
        file: 'night "1".csv',
        source: null,
        created: 3,
        updated: 1,
        unchanged: 1,
        removed: 1,
        skipped: 0,
        revision: 2,
      }),
    },
    {
      action: 'source removed',
      prepare: (owner) =>
        load(opened.store, owner, partner, [], { import: { source: { name: 'erp "1"', position: '7' } } }),
      act: (owner) =>
        opened.store.imports.removeSource({ account: owner.id }, { name: 'erp "1"', resource: 'partner' }, CLIENT),
      details: () => ({ resource: 'partner', source: 'erp "1"' }),
    },
  ];

  // On SQLite, a revocation takes effect even if the database cannot be written to.
  const waitsForEntry = (action: AuditAction) => engine.name !== 'SQLite' || action !== 'key revoked';

  describe.each(cases)('$action', ({ action, prepare, act, details }) => {
    test('leaves one entry, with the details of the table', async () => {
      const owner = await opened.account();
      await prepare?.(owner);
      const before = await trailOf(owner);
      await act(owner);
      const [entry, ...others] = (await trailOf(owner)).slice(before.length);
      expect(others).toEqual([]);
      expect(entry).toMatchObject({ action, account: owner.name });
      const found: object = JSON.parse(entry?.details ?? '');
      expect(found).toEqual(details(owner));
      expect(Object.keys(found)).toEqual(auditActions[action].details);
    });

    test.runIf(waitsForEntry(action))('does not happen unless the entry can be written', async () => {
      const owner = await opened.account();
      await prepare?.(owner);
      const state = () =>
        Promise.all([
          opened.store.accounts.find(owner.name),
          opened.store.keys.list(owner.id),
          opened.store.version(owner.id),
          trailOf(owner),
        ]);
      const before = await state();
      const release = await refuseEntries(opened.database, engine.name);
      await expect(act(owner)).rejects.toThrow();
      await release();
      expect(await state()).toEqual(before);
    });
  });

  test('what a request does has its key and its address', async () => {
    const owner = await opened.account();
    await opened.store.keys.add({ ...keyOf(owner, 'a'), scopes: ['sign-in'] });
    await opened.store.keys.exchange(`${owner.name}-a`, keyOf(owner, 'b'), CLIENT);
    const used = (await trailOf(owner)).at(-1);
    expect(used).toMatchObject({ action: 'sign-in link used', actor: CLIENT.name, origin: CLIENT.origin });
  });

  test('what changes nothing leaves no entry', async () => {
    const owner = await opened.account();
    await opened.store.keys.add(keyOf(owner, 'a'));
    await opened.store.keys.revoke(`${owner.name}-a`, NOW);
    await opened.load(owner, partner, [{ id: 1, name: 'A' }], { import: {} });
    const before = await trailOf(owner);
    expect(before).toHaveLength(3);
    await opened.store.accounts.add(owner.name, NOW);
    await opened.store.keys.revoke(`${owner.name}-a`, LATER);
    await opened.store.keys.revoke('unknown', LATER);
    await opened.store.keys.replace(`${owner.name}-a`, keyOf(owner, 'b'), LATER);
    await opened.store.keys.exchange(`${owner.name}-a`, keyOf(owner, 'b'), CLIENT);
    await opened.store.keys.recordUse(new Map([[`${owner.name}-a`, LATER]]));
    await opened.load(owner, partner, [{ id: 1, name: 'B' }], { import: {}, dryRun: true });
    await opened.load(owner, partner, [{ id: 1, name: 'B' }, { id: 2 }], { import: {} });
    expect(await trailOf(owner)).toEqual(before);
  });

  test.each([7, null])('setting the limit to %s once more changes nothing, and sessions stay', async (limit) => {
    const owner = await opened.account();
    const key = { ...keyOf(owner, 'a'), rateLimit: limit };
    await opened.store.keys.add(key);
    await opened.store.accounts.setLimits(owner.id, { rateLimit: 100 });
    await opened.store.accounts.setLimits(owner.id, { rateLimit: limit });
    const state = async () => ({ found: await opened.store.keys.find(key.id), trail: await trailOf(owner) });
    const before = await state();
    await opened.store.accounts.setLimits(owner.id, { rateLimit: limit });
    await opened.store.keys.setRateLimit(key.id, limit);
    expect(await state()).toEqual(before);
    await opened.store.accounts.setLimits(owner.id, { rateLimit: 0 });
    await opened.store.keys.setRateLimit(key.id, 0);
    const after = await state();
    expect(after.trail).toHaveLength(before.trail.length + 2);
    expect(after.found).toMatchObject({ key: { rateLimit: 0 }, account: { rateLimit: 0 } });
    expect(after.found?.access).not.toBe(before.found?.access);
  });

  test('of concurrent commands that do the same, one leaves an entry', async () => {
    const owner = await opened.account();
    await opened.store.keys.add(keyOf(owner, 'a'));
    await opened.store.keys.add({ ...keyOf(owner, 'c'), scopes: ['sign-in'] });
    const another = await openDatabase(opened.database.url);
    const stores = [opened.store, another, opened.store, another];
    await Promise.all(stores.map(({ keys }, n) => keys.exchange(`${owner.name}-c`, keyOf(owner, `e${n}`), CLIENT)));
    await Promise.all(stores.map(({ keys }) => keys.revoke(`${owner.name}-a`, NOW)));
    await Promise.all(stores.map(({ accounts }) => accounts.remove(owner.id)));
    await another.close();
    const actions = (await trailOf(owner)).map(({ action }) => action);
    expect(actions.slice(2)).toEqual(['sign-in link used', 'key revoked', 'account removed']);
  });

  test('the database refuses to change or remove entries', async () => {
    await opened.account();
    const count = await opened.database.count('audit_entry', '1 = 1');
    for (const statement of [
      "UPDATE audit_entry SET actor = 'nobody'",
      'DELETE FROM audit_entry',
      engine.name === 'PostgreSQL'
        ? 'TRUNCATE audit_entry'
        : 'INSERT OR REPLACE INTO audit_entry SELECT * FROM audit_entry',
    ])
      await expect(opened.database.execute(statement)).rejects.toThrow('The audit trail is append-only.');
    expect(await opened.database.count('audit_entry', '1 = 1')).toBe(count);
  });

  describe('entries', () => {
    test('are found by account, action and time', async () => {
      const owner = await opened.account();
      await opened.store.audit.append({ action: 'database restored', account: null, details: { file: 'backup.db' } });
      const actions = async (query: AuditQuery) => (await entries(query)).map(({ action }) => action);
      expect(await actions({ account: owner.name })).toEqual(['account added']);
      expect(await actions({ account: owner.name, action: 'account removed' })).toEqual([]);
      expect(await actions({ account: null })).toEqual(['database restored']);
      expect(await actions({ action: 'database restored' })).toEqual(['database restored']);
      expect(await actions({ account: owner.name, since: '9999-01-01T00:00:00.000Z' })).toEqual([]);
      expect(await actions({ account: owner.name, since: '2020-01-01T00:00:00.000Z' })).toEqual(['account added']);
      expect(await actions({ account: "'; --" })).toEqual([]);
    });

    test('come oldest first, in batches, and the newest ones if they are limited', async () => {
      const files = Array.from({ length: 1_001 }, (_, index) => `file ${index}`);
      await opened.database.execute(
        `INSERT INTO audit_entry (at, actor, origin, action, account, details) VALUES ${files
          .map((file) => `('${NOW}', 'alice', 'db1', 'key issued', 'many', '{"file":"${file}"}')`)
          .join(', ')}`,
      );
      const found = async (limit?: number) =>
        (await entries({ account: 'many', limit })).map(({ details }) => JSON.parse(details).file);
      expect(await found()).toEqual(files);
      for (const limit of [1, 3, 500, 501, 1_001, 5_000]) expect(await found(limit)).toEqual(files.slice(-limit));
      const sizes = [];
      for await (const batch of opened.store.audit.entries({ account: 'many' })) sizes.push(batch.length);
      expect(Math.max(...sizes)).toBeLessThan(files.length);
    });
  });

  // SQLite has one writer at a time.
  test.runIf(engine.name === 'PostgreSQL')('writes do not wait for an entry that is not committed', async () => {
    const owner = await opened.account();
    const other = connectTo(opened.database.url);
    await other.query(
      `BEGIN; INSERT INTO audit_entry (at, actor, origin, action, details) VALUES (now(), 'alice', 'db1', 'x', '{}')`,
    );
    await opened.store.keys.add(keyOf(owner, 'a'));
    await other.end();
    expect(await trailOf(owner)).toHaveLength(1);
  });
});
