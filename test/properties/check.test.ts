/** Whatever the program does to a database, `stockbook check` has nothing to object to. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { planCreate } from '../../src/plan/create.ts';
import type { Account, Store } from '../../src/store/store.ts';
import { engines, openDatabase } from '../support/engines.ts';
import { addAccount, load, NOW, planned } from '../support/fixture.ts';
import { rounds } from '../support/rounds.ts';

const text = fc
  .oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constantFrom('ΟΔΟΣ', 'J\u030cazz', 'İstanbul'))
  .map(
    // Neither is accepted in a name.
    (name) => name.replaceAll('\0', '').toWellFormed() || 'x',
  );

type Operation = (store: Store, account: Account) => Promise<unknown>;

const created = fc.tuple(text, fc.boolean(), fc.uuid()).map(
  ([name, hasKey, key]): Operation =>
    (store, { id }) => {
      const plan = planned(planCreate(partner, { name: name.trim() || 'x' }, NOW));
      return store.records.create({ account: id }, hasKey ? { ...plan, idempotency: { key, fingerprint: 'f' } } : plan);
    },
);

const loaded = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 1, max: 600 }), { maxLength: 8 }),
    text,
    fc.boolean(),
    fc.constantFrom(partner, product),
  )
  .map(
    ([ids, name, replace, resource]): Operation =>
      (store, account) => {
        const rows = ids.map((id) => ({ id, name }));
        return load(store, account, resource, rows, { replace: replace && rows.length > 0 });
      },
  );

const pruned = fc.constant<Operation>((store) => store.records.prune('2030-01-01T00:00:00.000Z'));
const begun = fc.constant<Operation>((store) => store.beginGeneration());
const repaired = fc.constant<Operation>((store) => store.check({ repair: true }));
const accountRemoved = fc.string({ minLength: 1 }).map(
  (name): Operation =>
    async (store) => {
      const other = await addAccount(store, name);
      await load(store, other, product, [{ name: 'A' }, { id: 300, name: 'B' }]);
      await store.accounts.remove(other.id);
    },
);

const operations = fc.array(
  fc.oneof(
    { arbitrary: created, weight: 4 },
    { arbitrary: loaded, weight: 6 },
    pruned,
    begun,
    repaired,
    accountRemoved,
  ),
  { minLength: 3, maxLength: 12 },
);

describe.each(engines)('on $name', (engine) => {
  test('a database is sound after any operations', async () => {
    await fc.assert(
      fc.asyncProperty(operations, operations, async (first, second) => {
        const database = await engine.makeMigrated();
        let account: Account | undefined;
        // As two processes, one after the other.
        for (const part of [first, second]) {
          const store = await openDatabase(database.url);
          account ??= await addAccount(store, 'acme');
          for (const operation of part) await operation(store, account);
          const found = (await store.check({ repair: false })).filter((result) => result.found.count > 0);
          expect(found).toEqual([]);
          await store.close();
        }
        await database.drop();
      }),
      { numRuns: rounds(2, 15) },
    );
  });
});
