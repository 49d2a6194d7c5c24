/** Nothing cached is ever stale, whichever process writes in between. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import { product } from '../../src/catalog/product.ts';
import { id } from '../../src/catalog/resource.ts';
import { printFilter } from '../../src/filter/print.ts';
import { planList } from '../../src/plan/list.ts';
import type { Account, Store } from '../../src/store/store.ts';
import { filterOf, recordOf } from '../support/arbitraries.ts';
import { engines, openDatabase, type TestDatabase } from '../support/engines.ts';
import { addAccount, listPage, planned, type RecordValues, recordsIn, valuesOf } from '../support/fixture.ts';
import { matches, sorted } from '../support/oracle.ts';
import { rounds } from '../support/rounds.ts';

const NOW = '2026-01-01T00:00:00.000Z';

async function ask(store: Store, account: Account, values: Readonly<Record<string, string>>) {
  const plan = planned(planList(product, { values, continuations: [] }));
  const page = await listPage(store, account.id, plan);
  if (page === undefined) throw new Error('the account does not exist');
  return { total: page.total, records: page.records };
}

async function write(store: Store, account: Account, records: readonly RecordValues[], replace = false) {
  const rows = records.map((values, index) => ({ line: index + 1, values: valuesOf(product, values) }));
  const batches = async function* () {
    yield rows;
  };
  const plan = { resource: product, key: id, replace, onRowError: 'stop', dryRun: false, now: NOW } as const;
  expect(await store.records.load({ account: account.id }, plan, batches())).toMatchObject({ kind: 'loaded' });
}

describe.each(engines)('on $name', (engine) => {
  let database: TestDatabase;
  let stores: readonly Store[];
  let accounts = 0;
  beforeAll(async () => {
    database = await engine.makeMigrated();
    // Each has caches of its own, like two processes on one database.
    stores = [await openDatabase(database.url), await openDatabase(database.url)];
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await database.drop();
  });
  const storeOf = (number: number): Store => stores[number % 2] ?? fail();

  test('two processes that write and read in any order return what the oracle returns', async () => {
    const record = recordOf(product).map((values) => ({ ...values, id: 1 + (Number(values['id']) % 30) }));
    const some = fc.uniqueArray(record, { minLength: 1, maxLength: 8, selector: ({ id: number }) => number });
    const steps = fc.array(
      fc.record({
        by: fc.nat(1),
        change: fc.option(some, { freq: 2 }),
        replace: fc.boolean(),
        filters: some.chain((samples) => fc.array(filterOf(product, samples), { maxLength: 3 })),
        page: fc.integer({ min: 1, max: 4 }),
      }),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        accounts += 1;
        const account = await addAccount(storeOf(0), `caches-${accounts}`);
        let model = new Map<unknown, RecordValues>();
        const asked = new Map<string, (typeof all)[number]['filters'][number] | undefined>([['', undefined]]);
        for (const { by, change, replace, filters, page } of all) {
          if (change !== null) {
            await write(storeOf(by), account, change, replace);
            model = new Map([...(replace ? [] : model), ...change.map((values) => [values.id, values] as const)]);
          }
          for (const filter of filters) asked.set(printFilter(filter), filter);
          // Everything that was asked before is asked again, twice in each process.
          for (const [text, filter] of asked) {
            const held = [...model.values()];
            const found = filter === undefined ? held : held.filter((values) => matches(filter, values, product));
            const expected = sorted(found, [], product);
            const values = { ...(text !== '' && { filter: text }), limit: '5', page: String(page) };
            for (const store of [...stores, ...stores]) {
              expect(await ask(store, account, values)).toEqual({
                total: expected.length,
                records: expected
                  .slice((page - 1) * 5, page * 5)
                  .map((each) => JSON.stringify(each))
                  .join(','),
              });
            }
          }
        }
      }),
      { numRuns: rounds(6, 25) },
    );
  });

  describe('deep pages of a long list', () => {
    const ROWS = 12_000;
    const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
    const record = (number: number): RecordValues => ({ id: number * 3, name: `P${number}`, categ_id: number % 7 });
    const idsOf = async (store: Store, account: Account, values: Readonly<Record<string, string>>) => {
      const { total, records } = await ask(store, account, { fields: 'id', ...values });
      return { total, ids: recordsIn(records).map(({ id: number }) => number) };
    };
    let account: Account;
    let held: number[] = [];
    beforeAll(async () => {
      account = await addAccount(storeOf(0), 'deep');
      await write(storeOf(0), account, numbers(1, ROWS).map(record));
      held = numbers(1, ROWS);
    });

    const lists: readonly [string, Record<string, string>, (held: readonly number[]) => readonly number[]][] = [
      ['all', {}, (all) => all],
      ['descending', { sort: '-id' }, (all) => all.toReversed()],
      ['a wide filter', { filter: 'categ_id!=3' }, (all) => all.filter((number) => number % 7 !== 3)],
      ['a narrow filter', { filter: 'categ_id=3' }, (all) => all.filter((number) => number % 7 === 3)],
      ['a range', { filter: 'id>3000', sort: '-id' }, (all) => all.filter((number) => number > 1_000).toReversed()],
      ['a search', { filter: 'name*P11', fields: 'id,name' }, (all) => all.filter((n) => `P${n}`.includes('P11'))],
    ];
    const check = async () => {
      for (const [name, values, expected] of lists) {
        const all = expected(held).map((number) => number * 3);
        for (const [limit, page] of [
          [10, 1_100],
          [10, 1_101],
          [10, 1_099],
          [1_000, 12],
          [7, 1_000],
          [10, 2],
          [999, 9],
        ] as const)
          for (const store of stores) {
            expect({
              name,
              limit,
              page,
              ...(await idsOf(store, account, { ...values, limit: String(limit), page: String(page) })),
            }).toEqual({ name, limit, page, total: all.length, ids: all.slice((page - 1) * limit, page * limit) });
          }
      }
      expect(await idsOf(storeOf(0), account, { page: '9007199254740991' })).toEqual({ total: held.length, ids: [] });
    };

    test('have the right records, whatever was read before', check);

    test('a walk through all pages visits every record once', async () => {
      const walked: unknown[] = [];
      for (let page = 1; walked.length < ROWS; page += 1)
        walked.push(...(await idsOf(storeOf(page), account, { limit: '1000', page: String(page) })).ids);
      expect(walked).toEqual(held.map((number) => number * 3));
    });

    test('have the right records after some were added and removed', async () => {
      await write(storeOf(1), account, numbers(ROWS + 1, ROWS + 50).map(record));
      held.push(...numbers(ROWS + 1, ROWS + 50));
      await check();
      held = held.filter((number) => number % 10 !== 0);
      await write(storeOf(0), account, held.map(record), true);
      await check();
    });

    test('have the right records without indexes', async () => {
      for (const { name: table, fields } of builtInCatalog.resources)
        for (const { name, type, indexed } of fields) {
          const ending = engine.name === 'PostgreSQL' && type === 'number' ? '_covering' : '';
          if (indexed) await database.execute(`DROP INDEX ${table}_${name}${ending}`);
        }
      if (engine.name === 'PostgreSQL') await database.execute('DROP INDEX product_name_fold_search');
      await check();
    });
  });
});

function fail(): never {
  throw new Error('there are two stores');
}
