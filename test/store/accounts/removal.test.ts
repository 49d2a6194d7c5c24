/** Accounts are removed in short transactions, and leave nothing behind. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { partner } from '../../../src/catalog/partner.ts';
import { product } from '../../../src/catalog/product.ts';
import { planCreate } from '../../../src/plan/create.ts';
import type { Account } from '../../../src/store/store.ts';
import { engines, openDatabase } from '../../support/engines.ts';
import { addAccount, NOW, planned } from '../../support/fixture.ts';
import { sharedStore } from '../../support/shared.ts';

/** More than a transaction removes. */
const RECORDS = 5_000;

/** Text that no other account has, and whose trigrams nobody else has either. */
const RUNES = 'ᚠᚡᚢᚣᚤᚥ';

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);

  const filled = async (name: string, text: string): Promise<Account> => {
    const account = await addAccount(opened.store, name);
    const products = Array.from({ length: RECORDS }, (_, n) => ({ name: `${text} ${n}`, default_code: `${text}${n}` }));
    await opened.load(account, product, products);
    await opened.load(account, partner, [{ id: 1, name: text }]);
    // Leaves a tombstone.
    await opened.load(account, partner, [{ id: 2, name: text }], { replace: true });
    await opened.store.keys.add({
      ...{ id: `${name}-key`, account: account.id, name: 'shop', secretHash: `${name} hash`, scopes: ['read'] },
      ...{ createdAt: NOW, expiresAt: null, rateLimit: null },
    });
    return account;
  };
  const left = async ({ id }: Account) => {
    const tables = 'product partner tombstone idempotency_key ledger ledger_history api_key removal'.split(' ');
    const counts = await Promise.all(tables.map((table) => opened.database.count(table, `account_id = ${id}`)));
    return Object.fromEntries(tables.map((table, index) => [table, counts[index]]).filter(([, count]) => count !== 0));
  };

  test('others write while an account is removed, which nobody can use any more', async () => {
    const [gone, other] = [await filled('gone', 'Oak'), await addAccount(opened.store, 'other')];
    const create = () =>
      opened.store.records.create({ account: other.id }, planned(planCreate(partner, { name: 'A' }, NOW)));
    const progress: number[] = [];
    const order: string[] = [];
    const created: Promise<unknown>[] = [];
    await opened.store.accounts.remove(gone.id, (rows) => {
      progress.push(rows);
      order.push('removed some');
      created.push(create().then(() => order.push('created')));
    });
    await Promise.all(created);
    expect(progress.length).toBeGreaterThan(RECORDS / 2_000);
    expect(progress.at(-1)).toBe(RECORDS + 2);
    expect(order.indexOf('created')).toBeLessThan(order.lastIndexOf('removed some'));
    expect(await opened.store.version(gone.id)).toBeUndefined();
    expect(await left(gone)).toEqual({});
    expect(await opened.store.accounts.find('gone')).toBeUndefined();
  });

  test('a removal that was interrupted is finished later, and its remains are not a finding', async () => {
    const gone = await filled('interrupted', 'Elm');
    const interruption = new Error('interrupted');
    const removing = opened.store.accounts.remove(gone.id, () => {
      throw interruption;
    });
    await expect(removing).rejects.toBe(interruption);
    expect(Object.keys(await left(gone))).toEqual(expect.arrayContaining(['product', 'removal']));
    const orphans = (await opened.store.check({ repair: false })).find(({ check }) => check.name === 'orphans');
    expect(orphans?.found.count).toBe(0);
    await opened.store.accounts.finishRemovals();
    expect(await left(gone)).toEqual({});
    const { length } = (await opened.store.accounts.list()).filter(({ name }) => name === 'interrupted');
    expect(length).toBe(0);
  });

  test('two processes that finish the same removal leave nothing behind', async () => {
    const gone = await filled('shared', 'Fir');
    const removing = opened.store.accounts.remove(gone.id, () => {
      throw new Error('interrupted');
    });
    await expect(removing).rejects.toThrow('interrupted');
    const other = await openDatabase(opened.database.url);
    const finishing = [opened.store, other].map(({ accounts }) => accounts.finishRemovals());
    await Promise.race(finishing);
    expect(await left(gone)).toEqual({});
    await Promise.all(finishing);
    await other.close();
  });

  test.runIf(engine.name === 'SQLite')('the removal is known until its space has been given back', async () => {
    const gone = await filled('space', 'Yew');
    await opened.database.execute('PRAGMA wal_checkpoint(TRUNCATE)');
    const known: boolean[] = [];
    const free: number[] = [];
    const watch = new DatabaseSync(opened.database.url, { readOnly: true });
    const pages = watch.prepare('PRAGMA freelist_count');
    const removal = watch.prepare('SELECT count(*) AS removals FROM removal WHERE account_id = ?');
    let isRemoved = false;
    const removing = opened.store.accounts.remove(gone.id).finally(() => {
      isRemoved = true;
    });
    while (!isRemoved) {
      await new Promise(setImmediate);
      known.push(removal.get(gone.id)?.['removals'] === 1);
      free.push(Number(pages.get()?.['freelist_count']));
    }
    await removing;
    watch.close();
    // Once there is no sign of it, nothing is left to be done.
    const last = known.lastIndexOf(true);
    expect(Math.max(...free)).toBeGreaterThan(0);
    expect(free.slice(last + 1).filter((count) => count > 0)).toEqual([]);
  });

  test.runIf(engine.name === 'SQLite')('nothing of the account is in the files, which are shorter', async () => {
    await filled('kept', 'Ash');
    const gone = await filled('erased', RUNES);
    const files = ['', '-wal'].map((suffix) => opened.database.url + suffix).filter((path) => existsSync(path));
    const traces = () =>
      [RUNES.slice(0, 3), 'erased hash'].filter((text) => files.some((path) => readFileSync(path).includes(text)));
    expect(traces()).not.toEqual([]);
    await opened.database.execute('PRAGMA wal_checkpoint(TRUNCATE)');
    const { size } = statSync(opened.database.url);
    await opened.store.accounts.remove(gone.id);
    expect(traces()).toEqual([]);
    expect(statSync(opened.database.url).size).toBeLessThan(0.8 * size);
    const checks = await opened.store.check({ repair: false });
    expect(checks.flatMap(({ found }) => found.first)).toEqual([]);
  });
});
