/** For any fields that operators add, any data and any filter, SQLite, PostgreSQL and the oracle return the same. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import { catalogWith } from '../../src/catalog/own-field.ts';
import { product } from '../../src/catalog/product.ts';
import { printFilter } from '../../src/filter/print.ts';
import { planList } from '../../src/plan/list.ts';
import { filterOf, ownFields, recordsOf } from '../support/arbitraries.ts';
import { engines, openTestStore } from '../support/engines.ts';
import { addAccount, listPage, load, planned } from '../support/fixture.ts';
import { answer } from '../support/oracle.ts';
import { rounds } from '../support/rounds.ts';

const data = ownFields.chain((own) => {
  const resource = catalogWith(builtInCatalog, 1, new Map([[product.name, own]])).of(product);
  const names = own.flatMap(({ name }) => [name, `-${name}`]);
  return recordsOf(resource).chain((records) =>
    fc.record({
      own: fc.constant(own),
      resource: fc.constant(resource),
      records: fc.constant(records),
      questions: fc.array(fc.record({ filter: filterOf(resource, records), sort: fc.constantFrom(...names) }), {
        minLength: 1,
        maxLength: 10,
      }),
    }),
  );
});

test('lists, in any order, of records with any fields', async () => {
  const stores = await Promise.all(engines.map((engine) => openTestStore(engine)));
  let accounts = 0;
  try {
    await fc.assert(
      fc.asyncProperty(data, async ({ own, resource, records, questions }) => {
        accounts += 1;
        for (const { store } of stores) {
          for (const { name } of await store.fields.own(product))
            await store.fields.remove(await store.fields.catalog(), product, name);
          for (const field of own) await store.fields.add(await store.fields.catalog(), product, field);
          const served = (await store.fields.catalog()).of(product);
          expect(served.fields).toEqual(resource.fields);
          const account = await addAccount(store, `account-${accounts}`);
          await load(store, account, served, records);
          for (const { filter, sort } of questions) {
            const values = { filter: printFilter(filter), sort, limit: '100' };
            const page = await listPage(store, account.id, planned(planList(served, { values, continuations: [] })));
            const expected = answer(records, resource, { filter, sort: [sort] });
            expect({ values, total: page?.total, records: page?.records }).toEqual({
              values,
              total: expected.length,
              records: expected.map((record) => JSON.stringify(record)).join(','),
            });
          }
        }
      }),
      { numRuns: rounds(12, 60) },
    );
  } finally {
    await Promise.all(stores.map(({ close }) => close()));
  }
});
