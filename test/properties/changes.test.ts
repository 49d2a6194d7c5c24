/** A copy that is built from the feed alone equals the account, whatever was written and wherever the reader stopped. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { id } from '../../src/catalog/resource.ts';
import { printFilter } from '../../src/filter/print.ts';
import { planChanges } from '../../src/plan/changes.ts';
import type { Cursor } from '../../src/plan/plan.ts';
import type { Account, Store } from '../../src/store/store.ts';
import { filterOf, recordOf } from '../support/arbitraries.ts';
import { engines, type OpenedStore, openTestStore } from '../support/engines.ts';
import { addAccount, NOW, planned, type RecordValues, recordsIn, valuesOf } from '../support/fixture.ts';
import { matches } from '../support/oracle.ts';

async function write(store: Store, account: Account, records: readonly RecordValues[], replace: boolean) {
  const rows = records.map((values, index) => ({ line: index + 1, values: valuesOf(product, values) }));
  const batches = async function* () {
    yield rows;
  };
  const plan = { resource: product, key: id, replace, onRowError: 'stop', dryRun: false, now: NOW } as const;
  expect(await store.records.load(account.id, plan, batches())).toMatchObject({ kind: 'loaded' });
}

/** What a client holds: the records by id, and how far it got. */
class Copy {
  readonly records = new Map<unknown, RecordValues>();
  cursor: Cursor | undefined;

  /** Reads at most this many pages. Returns whether there is more. */
  async follow(store: Store, account: Account, values: Record<string, string>, pages: number): Promise<boolean> {
    for (let page = 0; page < pages; page += 1) {
      const plan = planned(planChanges(product, { values, continuations: [] }, this.cursor));
      const found = await store.records.changes({ account: account.id }, plan);
      if (typeof found === 'string') throw new Error(found);
      const changes = recordsIn(found.changes);
      expect(changes).toHaveLength(found.count);
      for (const change of changes) {
        if (change['removed'] === true) this.records.delete(change['id']);
        else this.records.set(change['id'], change);
      }
      this.cursor = found.cursor;
      if (!found.more) return false;
    }
    return true;
  }
}

describe.each(engines)('on $name', (engine) => {
  let opened: OpenedStore;
  let accounts = 0;
  beforeAll(async () => {
    opened = await openTestStore(engine);
  });
  afterAll(() => opened.close());

  test('a copy equals the account, for every filter and at every cursor', async () => {
    const record = recordOf(product).map((values) => ({ ...values, id: 1 + (Number(values['id']) % 20) }));
    const some = fc.uniqueArray(record, { minLength: 1, maxLength: 8, selector: (values) => values.id });
    const history = some.chain((samples) =>
      fc.record({
        filter: fc.option(filterOf(product, samples), { nil: undefined }),
        limit: fc.integer({ min: 1, max: 4 }),
        steps: fc.array(
          fc.record({
            change: fc.oneof(some, fc.constant(samples)),
            replace: fc.boolean(),
            pages: fc.integer({ min: 0, max: 3 }),
          }),
          { minLength: 1, maxLength: 8 },
        ),
      }),
    );
    await fc.assert(
      fc.asyncProperty(history, async ({ filter, limit, steps }) => {
        accounts += 1;
        const account = await addAccount(opened.store, `changes-${accounts}`);
        const copies = [new Copy(), new Copy()];
        let model = new Map<unknown, RecordValues>();
        const values = { limit: String(limit), ...(filter !== undefined && { filter: printFilter(filter) }) };
        for (const { change, replace, pages } of steps) {
          await write(opened.store, account, change, replace);
          model = new Map([...(replace ? [] : model), ...change.map((one) => [one.id, one] as const)]);
          // One copy stops anywhere, the other reads everything.
          await copies[0]?.follow(opened.store, account, values, pages);
          await copies[1]?.follow(opened.store, account, values, 100);
          const expected = [...model.values()].filter((one) => filter === undefined || matches(filter, one, product));
          const ids = (records: Iterable<RecordValues>) =>
            [...records].map((one) => Number(one['id'])).toSorted((a, b) => a - b);
          expect(ids(copies[1]?.records.values() ?? [])).toEqual(ids(expected));
        }
        await copies[0]?.follow(opened.store, account, values, 100);
        expect(copies[0]?.records).toEqual(copies[1]?.records);
      }),
      { numRuns: 60 },
    );
  });
});
