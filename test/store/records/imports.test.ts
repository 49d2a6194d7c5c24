/** When sources were saved, in all accounts. */

import { describe, expect, test } from 'vitest';
import { partner } from '../../../src/catalog/partner.ts';
import { product } from '../../../src/catalog/product.ts';
import type { Account } from '../../../src/store/store.ts';
import { engines } from '../../support/engines.ts';
import { sharedStore } from '../../support/shared.ts';

describe.each(engines)('on $name', (engine) => {
  const shared = sharedStore(engine);

  const save = async (account: Account, name: string, position: string, resource = product) => {
    const result = await shared.load(account, resource, [], { import: { source: { name, position } } });
    expect(result.kind).toBe('loaded');
  };

  test('the last ones come first, and no account displaces those of others', async () => {
    expect(await shared.store.imports.latestSources({ total: 10, perAccount: 10 })).toEqual([]);
    const began = Date.now();
    const [first, second] = [await shared.account(), await shared.account()];
    await save(first, 'quiet', '1');
    for (const name of ['a', 'b', 'c', 'd']) await save(second, name, '1');
    await save(second, 'b', '2');
    await save(second, 'partners', '1', partner);
    const saved = async (total: number, perAccount: number) =>
      (await shared.store.imports.latestSources({ total, perAccount })).map(({ account, name }) => [account, name]);
    const all = await shared.store.imports.latestSources({ total: 10, perAccount: 10 });
    expect(all).toHaveLength(6);
    expect(all.map(({ savedAt }) => savedAt)).toEqual(
      all
        .map(({ savedAt }) => savedAt)
        .toSorted()
        .reverse(),
    );
    for (const { savedAt } of all) {
      expect(Date.parse(savedAt)).toBeGreaterThanOrEqual(began);
      expect(Date.parse(savedAt)).toBeLessThanOrEqual(Date.now());
    }
    expect(await saved(10, 1)).toEqual([
      [second.name, 'partners'],
      [first.name, 'quiet'],
    ]);
    expect(await saved(2, 2)).toHaveLength(2);
    // What fails is not displaced, and what was checked counts like what was saved.
    await shared.store.imports.reportSource({ account: first.id }, 'quiet', null);
    expect(await saved(1, 1)).toEqual([[first.name, 'quiet']]);
    await shared.store.imports.reportSource({ account: second.id }, 'a', 'down');
    expect(await saved(10, 1)).toEqual([
      [second.name, 'a'],
      [first.name, 'quiet'],
    ]);
    await shared.store.accounts.remove(second.id);
    await expect.poll(() => saved(10, 10)).toEqual([[first.name, 'quiet']]);
  });

  test('a report of somebody who has lost access changes nothing', async () => {
    const account = await shared.account();
    await save(account, 'erp', '1');
    const { imports } = shared.store;
    const access = (await shared.store.version(account.id))?.access ?? 0;
    const reported = await imports.reportSource({ account: account.id, access }, 'erp', 'down');
    expect(reported).toMatchObject({ failure: { error: 'down' } });
    expect(await imports.reportSource({ account: account.id, access: access + 1 }, 'erp', 'late')).toBe('no access');
    expect(await imports.source({ account: account.id }, 'erp')).toEqual(reported);
    expect(await imports.reportSource({ account: account.id, access: access + 1 }, 'erp', null)).toBe('no access');
    expect(await imports.source({ account: account.id }, 'erp')).toEqual(reported);
  });
});
