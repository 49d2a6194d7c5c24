/** The search index. */

import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { partner } from '../../../src/catalog/partner.ts';
import { planCreate } from '../../../src/plan/create.ts';
import { planList } from '../../../src/plan/list.ts';
import { openSqlite as openWith, type SqliteOptions } from '../../../src/store/sqlite/open.ts';
import { CacheBudget } from '../../../src/store/state/cache.ts';
import type { Store } from '../../../src/store/store.ts';
import { addAccount, listPage, load, NOW, planned, recordsIn, tabled } from '../../support/fixture.ts';
import { sharedPaths } from '../../support/shared.ts';

const openSqlite = (path: string, options: SqliteOptions) => openWith(path, options, new CacheBudget(1024 * 1024));

const freshPath = sharedPaths();

const create = (store: Store, account: number, count: number) =>
  Promise.all(
    Array.from({ length: count }, () =>
      store.records.create({ account }, planned(planCreate(partner, { name: 'Azure Interior' }, NOW))),
    ),
  );
const found = async (store: Store, account: number, text: string) => {
  const plan = planned(planList(partner, { values: { filter: `name*${text}`, fields: 'id' }, continuations: [] }));
  const page = await listPage(store, account, plan);
  return { total: page?.total, first: recordsIn(page?.records ?? '')[0]?.['id'] };
};
const indexed = (path: string) => {
  const database = new DatabaseSync(path, { readOnly: true });
  const { count } = database.prepare('SELECT count(*) AS count FROM partner_search_docsize').get() ?? {};
  database.close();
  return count;
};

test('takes in 250 records at a time, and drops removed ones', async () => {
  const path = freshPath();
  const store = openSqlite(path, { create: true });
  const account = await addAccount(store, 'acme');
  await create(store, account.id, 249);
  expect(indexed(path)).toBe(0);
  expect(await found(store, account.id, 'azure')).toEqual({ total: 249, first: 1 });
  await create(store, account.id, 2);
  expect(indexed(path)).toBe(250);
  expect(await found(store, account.id, 'azure')).toEqual({ total: 251, first: 1 });
  await load(
    store,
    account,
    partner,
    [1, 251].map((number) => ({ id: number, name: 'Deco Addict' })),
  );
  // So does an import of a few records.
  expect(indexed(path)).toBe(250);
  expect(await found(store, account.id, 'azure')).toEqual({ total: 249, first: 2 });
  expect(await found(store, account.id, 'deco')).toEqual({ total: 2, first: 1 });
  await store.accounts.remove(account.id);
  expect(indexed(path)).toBe(0);
  await store.close();
});

test('cannot hold accounts past 2^23, so all of their records are searched', async () => {
  const path = freshPath();
  const store = openSqlite(path, { create: true });
  await create(store, (await addAccount(store, 'first')).id, 251);
  const database = new DatabaseSync(path);
  // In the index, this account would have the row ids of the first one.
  database.exec(`UPDATE counter SET value = ${2 ** 24} WHERE name = 'account'`);
  database.close();
  const { id } = await addAccount(store, 'far');
  expect(id).toBe(2 ** 24 + 1);
  await load(store, { id }, partner, tabled('id name', [1, 'Deco Addict'], [2, 'Azure Interior']));
  expect(await found(store, id, 'azure')).toEqual({ total: 1, first: 2 });
  await store.close();
});
