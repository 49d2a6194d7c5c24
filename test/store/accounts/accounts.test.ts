/** Accounts, and the rate limits of their own. */

import { describe, expect, test } from 'vitest';
import { builtInCatalog } from '../../../src/catalog/catalog.ts';
import { company } from '../../../src/catalog/company.ts';
import { partner } from '../../../src/catalog/partner.ts';
import { product } from '../../../src/catalog/product.ts';
import type { Account } from '../../../src/store/store.ts';
import { engines } from '../../support/engines.ts';
import { addAccount, NOW, newKey } from '../../support/fixture.ts';
import { sharedStore } from '../../support/shared.ts';

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);

  describe('accounts', () => {
    test('are added once, found by name, and listed with their record counts', async () => {
      const added = await opened.account();
      expect(await opened.store.accounts.add(added.name, NOW)).toBeUndefined();
      expect(await opened.store.accounts.find(added.name)).toEqual(added);
      expect(await opened.store.accounts.find('nobody')).toBeUndefined();
      await opened.create(added, 'A');
      const summary = (await opened.store.accounts.list()).find(({ id }) => id === added.id);
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
      const gone = await opened.account();
      await opened.create(gone, 'A');
      await opened.store.keys.add(newKey('gone-key', gone));
      await opened.store.accounts.remove(gone.id);
      expect(await opened.store.accounts.find(gone.name)).toBeUndefined();
      expect(await opened.store.keys.find('gone-key')).toBeUndefined();
      expect(await opened.revision(gone, partner)).toBeUndefined();
      expect(await opened.create(gone, 'B')).toBe('no access');
      const again = await addAccount(opened.store, gone.name);
      expect(again.id).toBeGreaterThan(gone.id);
      expect(await opened.records(again, partner)).toEqual([]);
    });

    const rowsOf = async ({ id }: Account) => {
      const tables = [
        'ledger',
        'api_key',
        ...builtInCatalog.resources.map(({ name }) => name),
        'ledger_history',
        'idempotency_key',
      ];
      return Promise.all(tables.map((table) => opened.database.count(table, `account_id = ${id}`)));
    };

    test('leave no row in any table when they are removed, and other accounts lose none', async () => {
      const [gone, other] = [await opened.account(), await opened.account()];
      for (const owner of [gone, other]) {
        await opened.store.keys.add(newKey(`key-of-${owner.name}`, owner));
        await opened.create(owner, 'A', { key: 'K', fingerprint: 'A' });
        await opened.load(owner, product, [{ name: 'A' }]);
        await opened.load(owner, company, [{ name: 'A', branch_user: '1' }]);
        expect(await rowsOf(owner)).toEqual([3, 1, 1, 1, 1, 0, 1]);
      }
      await opened.store.accounts.remove(gone.id);
      expect(await rowsOf(gone)).toEqual([0, 0, 0, 0, 0, 0, 0]);
      expect(await rowsOf(other)).toEqual([3, 1, 1, 1, 1, 0, 1]);
    });

    test('leave no record that is created or imported during their removal', async () => {
      const gone = await opened.account();
      const creating = Array.from({ length: 3 }, async (_, writer) => {
        for (
          let n = 1;
          (await opened.create(gone, 'A', { key: `${writer} ${n}`, fingerprint: 'A' })) !== 'no access';
          n += 1
        );
      });
      const importing = (async () => {
        while ((await opened.load(gone, product, [{ name: 'A' }])).kind !== 'no access');
      })();
      await expect.poll(() => opened.revision(gone, partner)).toBeGreaterThan(9);
      await opened.store.accounts.remove(gone.id);
      await Promise.all([...creating, importing]);
      expect(await rowsOf(gone)).toEqual([0, 0, 0, 0, 0, 0, 0]);
    });

    test('that are added concurrently under one name become one account', async () => {
      const results = await Promise.all(Array.from({ length: 8 }, () => opened.store.accounts.add('same-name', NOW)));
      expect(results.filter((result) => result !== undefined)).toHaveLength(1);
    });
  });

  test('an account has a currency, or none; setting the same one again changes nothing', async () => {
    const [owner, other] = [await opened.account(), await opened.account()];
    const id = `currency ${owner.name}`;
    await opened.store.keys.add(newKey(id, owner));
    const versions = new Set<number | undefined>();
    const currency = async () => {
      const found = await opened.store.keys.find(id);
      versions.add(found?.access);
      expect(await opened.store.accounts.find(owner.name)).toEqual(found?.account);
      return found?.account.currency;
    };
    expect(await currency()).toBeNull();
    for (const given of ['EUR', 'EUR', null, null]) {
      await opened.store.accounts.setCurrency(owner.id, given);
      expect(await currency()).toBe(given);
    }
    expect(versions.size).toBe(3);
    expect(await opened.store.accounts.find(other.name)).toEqual(other);
  });

  describe('rate limits', () => {
    test('of a key and of its account are stored, changed and removed, and outdate sessions', async () => {
      const owner = await opened.account();
      const id = `limited ${owner.name}`;
      await opened.store.keys.add({ ...newKey(id, owner), rateLimit: 5 });
      const versions = new Set<number | undefined>();
      const limits = async () => {
        const found = await opened.store.keys.find(id);
        versions.add(found?.access);
        expect(await opened.store.accounts.find(owner.name)).toEqual(found?.account);
        expect((await opened.store.keys.list(owner.id))[0]?.rateLimit).toBe(found?.key.rateLimit);
        return [found?.key.rateLimit, found?.account.rateLimit];
      };
      expect(await limits()).toEqual([5, null]);
      await opened.store.accounts.setLimits(owner.id, { rateLimit: 999_999_999 });
      expect(await limits()).toEqual([5, 999_999_999]);
      await opened.store.keys.setRateLimit(id, 0);
      expect(await limits()).toEqual([0, 999_999_999]);
      await opened.store.keys.setRateLimit(id, null);
      await opened.store.accounts.setLimits(owner.id, { rateLimit: null });
      expect(await limits()).toEqual([null, null]);
      expect(versions.size).toBe(4);
    });

    test('of others stay as they are', async () => {
      const [one, other] = [await opened.account(), await opened.account()];
      for (const owner of [one, other]) await opened.store.keys.add(newKey(`limit ${owner.name}`, owner));
      const before = await opened.store.keys.find(`limit ${other.name}`);
      await opened.store.keys.setRateLimit(`limit ${one.name}`, 7);
      await opened.store.accounts.setLimits(one.id, { rateLimit: 8 });
      expect(await opened.store.keys.find(`limit ${other.name}`)).toEqual(before);
    });
  });
});
