/** The removal of a large account, compared with the import of the same records. */

import { expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { planCreate } from '../../src/plan/create.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { CacheBudget } from '../../src/store/state/cache.ts';
import { addAccount, load, NOW, planned } from '../support/fixture.ts';
import { sharedPaths } from '../support/shared.ts';

const freshPath = sharedPaths();

const RECORDS = 60_000;
const WORDS = ['oak', 'chair', 'table', 'lamp', 'steel', 'red', 'blue', 'desk', 'sofa', 'shelf', 'glass', 'pine'];

test('takes about as much work as its import, and others create records in between', async () => {
  const store = openSqlite(freshPath(), { create: true }, new CacheBudget(1024 * 1024));
  const [large, other] = [await addAccount(store, 'large'), await addAccount(store, 'other')];
  const records = Array.from({ length: RECORDS }, (_, n) => ({
    name: `${WORDS[n % 12]} ${WORDS[(n * 7) % 11]} ${n} ${WORDS[(n * 5) % 9]} special edition`,
    default_code: `CODE-${n}`,
  }));
  /** Of all threads of this process: unlike the time that passes, it does not depend on what else is running. */
  const processorTime = async (body: () => Promise<unknown>) => {
    const before = process.cpuUsage();
    await body();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const imported = await processorTime(() => load(store, large, product, records));
  let isRemoved = false;
  const removing = processorTime(() => store.accounts.remove(large.id)).finally(() => {
    isRemoved = true;
  });
  let created = 0;
  for (; !isRemoved; created += 1)
    await store.records.create({ account: other.id }, planned(planCreate(partner, { name: 'A' }, NOW)));
  const removed = await removing;
  expect(removed).toBeLessThan(2 * imported);
  // One waits for another part of the removal, not for all of it.
  expect(created).toBeGreaterThan(50);
  await store.close();
});
