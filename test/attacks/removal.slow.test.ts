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

test('takes about as long as its import, and others create records in between', async () => {
  const store = openSqlite(freshPath(), { create: true }, new CacheBudget(1024 * 1024));
  const [large, other] = [await addAccount(store, 'large'), await addAccount(store, 'other')];
  const records = Array.from({ length: RECORDS }, (_, n) => ({
    name: `${WORDS[n % 12]} ${WORDS[(n * 7) % 11]} ${n} ${WORDS[(n * 5) % 9]} special edition`,
    default_code: `CODE-${n}`,
  }));
  const timed = async (body: () => Promise<unknown>) => {
    const started = performance.now();
    await body();
    return performance.now() - started;
  };
  const imported = await timed(() => load(store, large, product, records));
  let isRemoved = false;
  const waits: number[] = [];
  const creating = (async () => {
    while (!isRemoved)
      waits.push(
        await timed(() =>
          store.records.create({ account: other.id }, planned(planCreate(partner, { name: 'A' }, NOW))),
        ),
      );
  })();
  const removed = await timed(() => store.accounts.remove(large.id));
  isRemoved = true;
  await creating;
  expect(removed).toBeLessThan(2 * imported);
  expect(Math.max(...waits)).toBeLessThan(imported / 3);
  await store.close();
});
