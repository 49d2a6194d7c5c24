/** Fields that operators add: what the database has of them, and who notices. */

import { describe, expect, test } from 'vitest';
import type { OwnField } from '../../../src/catalog/own-field.ts';
import { partner } from '../../../src/catalog/partner.ts';
import { product } from '../../../src/catalog/product.ts';
import type { Resource } from '../../../src/catalog/resource.ts';
import { planList } from '../../../src/plan/list.ts';
import type { Store } from '../../../src/store/store.ts';
import { engines, type OpenedStore, openDatabase, openTestStore, postgresql } from '../../support/engines.ts';
import { addAccount, listPage, load, newKey, planned, recordsIn } from '../../support/fixture.ts';
import { connectTo } from '../../support/postgres-connection.ts';

const WEIGHT: OwnField = { name: 'x_weight', label: 'Weight', type: 'number', meaning: 'in kilograms', initial: null };
const STAGE: OwnField = {
  name: 'x_stage',
  label: 'Stage',
  type: 'text',
  meaning: 'of its life',
  initial: 'new',
  choices: ['new', 'sale'],
};
const BRAND: OwnField = {
  name: 'x_brand',
  label: 'Brand',
  type: 'text',
  meaning: 'who makes it',
  initial: null,
  indexed: true,
  searched: true,
};

/** A database of its own: fields belong to all accounts. */
async function withStore(
  engine: (typeof engines)[number],
  body: (opened: OpenedStore) => Promise<void>,
): Promise<void> {
  const opened = await openTestStore(engine);
  try {
    await body(opened);
  } finally {
    await opened.close();
  }
}

async function add(store: Store, resource: Resource, field: OwnField): Promise<Resource> {
  expect(await store.fields.add(await store.fields.catalog(), resource, field)).toBe(true);
  return (await store.fields.catalog()).of(resource);
}

async function found(store: Store, account: number, resource: Resource, values: Readonly<Record<string, string>> = {}) {
  const page = await listPage(store, account, planned(planList(resource, { values, continuations: [] })));
  return recordsIn(page?.records ?? '');
}

async function findings(store: Store): Promise<readonly string[]> {
  const results = await store.check({ repair: false });
  return results.flatMap(({ found: { first } }) => first.map(({ detail }) => detail));
}

/** Too long for an index. It cannot be compressed. */
const LONG = Array.from({ length: 700 }, (_, n) => String.fromCodePoint(0x10000 + n * 7)).join('');

describe.each(engines)('on $name', (engine) => {
  test('a new field is in every record, with its default, and holds what is written to it', () =>
    withStore(engine, async ({ store }) => {
      const account = await addAccount(store, 'acme');
      await load(store, account, product, [{ id: 1, name: 'Chair' }]);
      await add(store, product, WEIGHT);
      await add(store, product, STAGE);
      const resource = await add(store, product, BRAND);
      await load(store, account, resource, [
        { id: 2, name: 'Table', x_weight: 7.5, x_stage: 'sale', x_brand: 'Oakley' },
      ]);
      const own = ({ id, x_weight, x_stage, x_brand }: Readonly<Record<string, unknown>>) => [
        id,
        x_weight,
        x_stage,
        x_brand,
      ];
      expect((await found(store, account.id, resource)).map(own)).toEqual([
        [1, null, 'new', null],
        [2, 7.5, 'sale', 'Oakley'],
      ]);
      for (const filter of ['x_weight>7', 'x_stage=sale', 'x_brand=Oakley', 'x_brand*akl', 'x_weight!=null'])
        expect((await found(store, account.id, resource, { filter })).map(({ id }) => id)).toEqual([2]);
      expect((await found(store, account.id, resource, { q: 'oakl' })).map(({ id }) => id)).toEqual([2]);
      expect((await found(store, account.id, resource, { sort: '-x_stage' })).map(({ id }) => id)).toEqual([2, 1]);
      expect(await findings(store)).toEqual([]);
    }));

  test('every process knows of a change with its next session', () =>
    withStore(engine, async ({ store, database }) => {
      const account = await addAccount(store, 'acme');
      await store.keys.add(newKey('k1', account));
      const other = await openDatabase(database.url);
      const before = await other.keys.find('k1');
      await add(store, partner, WEIGHT);
      const after = await other.keys.find('k1');
      expect(after?.access).not.toBe(before?.access);
      expect(before?.catalog.of(partner).fields.map(({ name }) => name)).not.toContain('x_weight');
      expect(after?.catalog.of(partner).fields.at(-1)).toMatchObject({
        name: 'x_weight',
        label: 'Weight',
        isOwn: true,
      });
      expect(await other.fields.catalog()).toBe(after?.catalog);
      await other.close();
    }));

  test('a definition can be changed, and what is indexed later is', () =>
    withStore(engine, async ({ store }) => {
      const account = await addAccount(store, 'acme');
      const { indexed: _, searched: __, ...plain } = BRAND;
      const added = await add(store, product, plain);
      await load(store, account, added, [{ id: 1, name: 'Chair', x_brand: 'Oakley' }]);
      const catalog = await store.fields.catalog();
      expect(await store.fields.change(catalog, product, { ...BRAND, label: 'Maker' })).toBe(true);
      const changed = (await store.fields.catalog()).of(product);
      expect(changed.fields.at(-1)).toMatchObject({ name: 'x_brand', label: 'Maker', indexed: true, searched: true });
      expect((await found(store, account.id, changed, { filter: 'x_brand*akl' })).map(({ id }) => id)).toEqual([1]);
      expect(await findings(store)).toEqual([]);
    }));

  test('a text that is too long for an index prevents one', () =>
    withStore(engine, async ({ store }) => {
      const account = await addAccount(store, 'acme');
      const { indexed: _, searched: __, ...plain } = BRAND;
      const added = await add(store, product, plain);
      await load(store, account, added, [{ id: 7, name: 'Chair', x_brand: LONG }]);
      const change = async (field: OwnField) => store.fields.change(await store.fields.catalog(), product, field);
      expect(await change({ ...plain, indexed: true })).toEqual({ kind: 'too long', account: 'acme', id: 7 });
      await load(store, account, (await store.fields.catalog()).of(product), [{ id: 7, name: 'Chair', x_brand: 'a' }]);
      expect(await change({ ...plain, indexed: true })).toBe(true);
      expect(await findings(store)).toEqual([]);
    }));

  test('an index that is missing is built by the same change again', () =>
    withStore(engine, async ({ store, database }) => {
      await add(store, product, BRAND);
      await database.execute('DROP INDEX product_own_x_brand');
      expect(await findings(store)).not.toEqual([]);
      const catalog = await store.fields.catalog();
      expect(await store.fields.change(catalog, product, BRAND)).toBe(true);
      expect(await findings(store)).toEqual([]);
      // Nothing was changed for anybody else.
      expect(await store.fields.catalog()).toBe(catalog);
    }));

  test('a removed field is gone, with its values', () =>
    withStore(engine, async ({ store }) => {
      const account = await addAccount(store, 'acme');
      await add(store, product, STAGE);
      const resource = await add(store, product, BRAND);
      await load(store, account, resource, [{ id: 1, name: 'Chair', x_brand: 'Oakley' }]);
      expect(await store.fields.remove(await store.fields.catalog(), product, 'x_brand')).toBe(true);
      const rest = (await store.fields.catalog()).of(product);
      expect(rest.fields.map(({ name }) => name)).not.toContain('x_brand');
      expect(await findings(store)).toEqual([]);
      expect((await found(store, account.id, rest))[0]).toMatchObject({ name: 'Chair', x_stage: 'new' });
      // The same name again, for something else.
      const again = await add(store, product, { ...WEIGHT, name: 'x_brand', label: 'Brand' });
      expect((await found(store, account.id, again))[0]).toMatchObject({ x_brand: null });
      expect(await findings(store)).toEqual([]);
    }));

  test('a change of fields that others have changed meanwhile does nothing', () =>
    withStore(engine, async ({ store }) => {
      const outdated = await store.fields.catalog();
      await add(store, product, WEIGHT);
      expect(await store.fields.add(outdated, product, STAGE)).toBe(false);
      expect(await store.fields.remove(outdated, product, 'x_weight')).toBe(false);
      expect((await store.fields.own(product)).map(({ name }) => name)).toEqual(['x_weight']);
    }));

  test('every change is in the audit trail', () =>
    withStore(engine, async ({ store }) => {
      await add(store, product, WEIGHT);
      await store.fields.change(await store.fields.catalog(), product, { ...WEIGHT, label: 'Net weight' });
      await store.fields.remove(await store.fields.catalog(), product, 'x_weight');
      const entries = [];
      for await (const some of store.audit.entries({})) entries.push(...some);
      expect(entries.map(({ action, details }) => [action, JSON.parse(details).field]).slice(-3)).toEqual([
        ['field added', 'x_weight'],
        ['field changed', 'x_weight'],
        ['field removed', 'x_weight'],
      ]);
    }));
});

test('on PostgreSQL, an index waits for transactions that may read a value that is too long for it', () =>
  withStore(postgresql, async ({ store, database }) => {
    const account = await addAccount(store, 'acme');
    const { indexed: _, searched: __, ...plain } = BRAND;
    const resource = await add(store, product, plain);
    await load(store, account, resource, [{ id: 7, name: 'Chair', x_brand: LONG }]);
    const reader = connectTo(database.url);
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await reader.query('SELECT name FROM account');
    await load(store, account, resource, [{ id: 7, name: 'Chair', x_brand: 'a' }]);
    const changed = store.fields.change(await store.fields.catalog(), product, { ...plain, indexed: true });
    await expect
      .poll(async () => (await store.fields.own(product)).map(({ indexed }) => indexed), { interval: 100 })
      .toEqual([true]);
    await reader.end();
    expect(await changed).toBe(true);
    expect(await findings(store)).toEqual([]);
  }));
