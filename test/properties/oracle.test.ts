/** Whatever the data and the filter: the store answers what the oracle answers. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalog } from '../../src/catalog/catalog.ts';
import type { Resource } from '../../src/catalog/resource.ts';
import type { Filter } from '../../src/filter/ast.ts';
import { printFilter } from '../../src/filter/print.ts';
import { planList } from '../../src/plan/list.ts';
import { Problem } from '../../src/problem/problem.ts';
import type { Account, Store } from '../../src/store/store.ts';
import { conditionOn, filterOf, recordsOf } from '../support/arbitraries.ts';
import { engines, openTestStore } from '../support/engines.ts';
import { addAccount, load, type RecordValues, recordsIn } from '../support/fixture.ts';
import { matches, sorted } from '../support/oracle.ts';

describe.each(engines)('on $name', (engine) => {
  let store: Store;
  let close: () => Promise<void>;
  let accounts = 0;
  beforeAll(async () => {
    ({ store, close } = await openTestStore(engine));
  });
  afterAll(() => close());

  /** Beside it another account with the same records, none of which may show. */
  const accountWith = async (resource: Resource, records: readonly RecordValues[]): Promise<Account> => {
    accounts += 1;
    await load(store, await addAccount(store, `other-${accounts}`), resource, records);
    const account = await addAccount(store, `account-${accounts}`);
    await load(store, account, resource, records);
    return account;
  };

  const list = async (account: Account, resource: Resource, values: Readonly<Record<string, string>>) => {
    const plan = planList(resource, { values, continuations: [] });
    if (plan instanceof Problem) throw new Error(`${JSON.stringify(values)}: ${plan.detail}`);
    const page = await store.records.list(account.id, plan);
    if (page === undefined) throw new Error('no such account');
    return { total: page.total, records: recordsIn(page.records) };
  };

  const sortOf = (resource: Resource) =>
    fc.uniqueArray(
      fc.constantFrom(...resource.fields.map(({ name }) => name)).chain((name) => fc.constantFrom(name, `-${name}`)),
      { maxLength: 3, selector: (word) => word.replace('-', '') },
    );

  test.each(catalog)('lists of $plural: records, order, total, every page', async (resource) => {
    const data = recordsOf(resource).chain((records) =>
      fc.record({
        records: fc.constant(records),
        questions: fc.array(
          fc.record({
            filter: fc.option(filterOf(resource, records), { nil: undefined, freq: 20 }),
            sort: sortOf(resource),
            limit: fc.integer({ min: 1, max: 9 }),
          }),
          { minLength: 1, maxLength: 25 },
        ),
      }),
    );
    await fc.assert(
      fc.asyncProperty(data, async ({ records, questions }) => {
        const account = await accountWith(resource, records);
        for (const { filter, sort, limit } of questions) {
          const expected = sorted(
            filter === undefined ? records : records.filter((record) => matches(filter, record, resource)),
            sort,
            resource,
          );
          const values = {
            ...(filter && { filter: printFilter(filter) }),
            ...(sort.length > 0 && { sort: sort.join(',') }),
          };
          const whole = await list(account, resource, { ...values, limit: '1000' });
          expect({ values, ...whole }).toEqual({ values, total: expected.length, records: expected });
          for (let page = 1; (page - 1) * limit <= expected.length; page += 1) {
            const part = await list(account, resource, { ...values, limit: String(limit), page: String(page) });
            expect(part).toEqual({ total: expected.length, records: expected.slice((page - 1) * limit, page * limit) });
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test.each(
    catalog.flatMap((resource) =>
      resource.fields.map((field) => ({ resource, field, name: `${resource.name}.${field.name}` })),
    ),
  )('the complement law on $name', async ({ resource, field }) => {
    const opposite = { '=': '!=', '*': '!*', '[': '![' } as const;
    const data = recordsOf(resource).chain((records) =>
      fc.record({
        records: fc.constant(records),
        conditions: fc.array(conditionOn(field, records, ['=', '*', '[']), { minLength: 1, maxLength: 15 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(data, async ({ records, conditions }) => {
        const account = await accountWith(resource, records);
        for (const condition of conditions) {
          const negated: Filter =
            condition.kind === 'membership'
              ? { ...condition, operator: '![' }
              : { ...condition, operator: condition.operator === '*' ? opposite['*'] : opposite['='] };
          const [yes, no] = await Promise.all(
            [condition, negated].map((filter) =>
              list(account, resource, { filter: printFilter(filter), limit: '1000' }),
            ),
          );
          const ids = [...(yes?.records ?? []), ...(no?.records ?? [])].map((record) => Number(record['id']));
          expect(ids.toSorted((a, b) => a - b)).toEqual(
            records.map((record) => Number(record['id'])).toSorted((a, b) => a - b),
          );
          expect((yes?.total ?? 0) + (no?.total ?? 0)).toBe(records.length);
        }
      }),
      { numRuns: 4 },
    );
  });
});
