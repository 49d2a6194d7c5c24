/** Whatever the data and the filter: every engine answers what the oracle answers, and so what the others answer. */

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalog } from '../../src/catalog/catalog.ts';
import type { Resource } from '../../src/catalog/resource.ts';
import type { Filter } from '../../src/filter/ast.ts';
import { printFilter } from '../../src/filter/print.ts';
import { planList } from '../../src/plan/list.ts';
import { Problem } from '../../src/problem/problem.ts';
import type { Account } from '../../src/store/store.ts';
import { conditionOn, filterOf, recordsOf } from '../support/arbitraries.ts';
import { engines, type OpenedStore, openTestStore } from '../support/engines.ts';
import { addAccount, listPage, load, type RecordValues, recordsIn } from '../support/fixture.ts';
import { matches, sorted } from '../support/oracle.ts';

let stores: readonly OpenedStore[];
let accounts = 0;
beforeAll(async () => {
  stores = await Promise.all(engines.map(openTestStore));
});
afterAll(() => Promise.all(stores.map(({ close }) => close())));

interface Place extends OpenedStore {
  readonly account: Account;
}

/** An account in every store; beside it another with the same records, none of which may show. */
async function placesWith(resource: Resource, records: readonly RecordValues[]): Promise<readonly Place[]> {
  accounts += 1;
  const number = accounts;
  return Promise.all(
    stores.map(async (opened) => {
      await load(opened.store, await addAccount(opened.store, `other-${number}`), resource, records);
      const account = await addAccount(opened.store, `account-${number}`);
      await load(opened.store, account, resource, records);
      return { ...opened, account };
    }),
  );
}

/** As where there are few records, and as where there are very many, which are found in other ways. */
const SIZES = [undefined, 1_000_000];

async function list(
  { store, account }: Place,
  resource: Resource,
  values: Readonly<Record<string, string>>,
  size?: number,
) {
  const plan = planList(resource, { values, continuations: [] });
  if (plan instanceof Problem) throw new Error(`${JSON.stringify(values)}: ${plan.detail}`);
  const page = await listPage(store, account.id, plan, size);
  if (page === undefined) throw new Error('no such account');
  return { total: page.total, records: recordsIn(page.records) };
}

function sortOf(resource: Resource) {
  const names = resource.fields.map(({ name }) => name);
  const word = fc.constantFrom(...names).chain((name) => fc.constantFrom(name, `-${name}`));
  return fc.uniqueArray(word, { maxLength: 3, selector: (item) => item.replace('-', '') });
}

test.each(catalog)('lists of $plural: records, order, total, every page', async (resource) => {
  const question = (records: readonly RecordValues[]) =>
    fc.record({
      filter: fc.option(filterOf(resource, records), { nil: undefined, freq: 20 }),
      sort: sortOf(resource),
      limit: fc.integer({ min: 1, max: 9 }),
    });
  const data = recordsOf(resource).chain((records) =>
    fc.record({
      records: fc.constant(records),
      questions: fc.array(question(records), { minLength: 1, maxLength: 25 }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(data, async ({ records, questions }) => {
      const places = await placesWith(resource, records);
      const ask = async ({ filter, sort, limit }: (typeof questions)[number]) => {
        const found = filter === undefined ? records : records.filter((record) => matches(filter, record, resource));
        const expected = sorted(found, sort, resource);
        const values = {
          ...(filter && { filter: printFilter(filter) }),
          ...(sort.length > 0 && { sort: sort.join(',') }),
        };
        for (const [place, size] of places.flatMap((each) => SIZES.map((size) => [each, size] as const))) {
          const whole = await list(place, resource, { ...values, limit: '1000' }, size);
          expect({ values, ...whole }).toEqual({ values, total: expected.length, records: expected });
          for (let page = 1; (page - 1) * limit <= expected.length; page += 1) {
            const part = await list(place, resource, { ...values, limit: String(limit), page: String(page) }, size);
            expect(part).toEqual({ total: expected.length, records: expected.slice((page - 1) * limit, page * limit) });
          }
        }
      };
      await Promise.all(questions.map(ask));
    }),
    { numRuns: 40 },
  );
});

const fields = catalog.flatMap((resource) =>
  resource.fields.map((field) => ({ resource, field, name: `${resource.name}.${field.name}` })),
);

test.each(fields)('the complement law on $name', async ({ resource, field }) => {
  const data = recordsOf(resource).chain((records) =>
    fc.record({
      records: fc.constant(records),
      conditions: fc.array(conditionOn(field, records, ['=', '*', '[']), { minLength: 1, maxLength: 15 }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(data, async ({ records, conditions }) => {
      const ids = records.map((record) => Number(record['id'])).toSorted((a, b) => a - b);
      for (const place of await placesWith(resource, records)) {
        for (const condition of conditions) {
          const negated: Filter =
            condition.kind === 'membership'
              ? { ...condition, operator: '![' }
              : { ...condition, operator: condition.operator === '*' ? '!*' : '!=' };
          const answers = await Promise.all(
            [condition, negated].map((filter) => list(place, resource, { filter: printFilter(filter), limit: '1000' })),
          );
          const seen = answers.flatMap((answer) => answer.records.map((record) => Number(record['id'])));
          expect(seen.toSorted((a, b) => a - b)).toEqual(ids);
          expect(answers.reduce((sum, answer) => sum + answer.total, 0)).toBe(records.length);
        }
      }
    }),
    { numRuns: 4 },
  );
});
