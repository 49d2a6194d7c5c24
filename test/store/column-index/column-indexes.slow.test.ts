/** What requests do with columns in memory besides finding the right records. */

import { afterEach, describe, expect, test } from 'vitest';
import { partner } from '../../../src/catalog/partner.ts';
import { planList } from '../../../src/plan/list.ts';
import { Deadline } from '../../../src/schedule/deadline.ts';
import type { AggregateRequest } from '../../../src/store/column-index/thread/commands.ts';
import { CacheBudget } from '../../../src/store/state/cache.ts';
import { eagerColumns } from '../../support/columns.ts';
import { engines, type OpenedStore, openTestStore } from '../../support/engines.ts';
import { addAccount, listPage, listPageOfLarge, load, planned, recordsIn } from '../../support/fixture.ts';
import { rounds } from '../../support/rounds.ts';

/** So many that reading them is considered slow. */
const MANY = 10_000;

const ROWS = 1_500;

/** So many that their columns do not fit into the budget. */
const ACCOUNTS = rounds(25, 100);

const opened: OpenedStore[] = [];
afterEach(() => Promise.all(opened.splice(0).map(({ close }) => close())));

const recordsFrom = (first: number) =>
  Array.from({ length: ROWS }, (_, n) => ({ id: first + n, name: `Partner ${first + n} ${'x'.repeat(600)}` }));

describe.each(engines)('on $name', (engine) => {
  /** An account with wide records, which are in columns. */
  async function prepared() {
    const columns = eagerColumns();
    const store = await openTestStore(engine, new CacheBudget(0), columns.options);
    opened.push(store);
    const account = await addAccount(store.store, 'acme');
    await load(store.store, account, partner, recordsFrom(1));
    const list = (values: Readonly<Record<string, string>>) =>
      listPageOfLarge(store.store, account.id, planned(planList(partner, { values, continuations: [] })), MANY);
    await columns.buildWith(() => list({ filter: 'phone!=1' }));
    return { store: store.store, account, list };
  }

  test('a large page is found in columns, and read in pieces', async () => {
    const { list } = await prepared();
    for (const sort of ['id', '-name']) {
      const page = await list({ filter: 'phone!=2', sort, limit: '1000' });
      expect({ total: page?.total, source: page?.source }).toMatchObject({ total: ROWS });
      expect(JSON.parse(`[${page?.records}]`)).toHaveLength(1_000);
    }
    expect(await list({ filter: 'phone!=3', limit: '1000' })).toMatchObject({ source: 'index', total: ROWS });
  });

  test('the last page of a sorted list is found in columns, as the first is, and any page in the order of ids', async () => {
    const columns = eagerColumns();
    const { store, ...rest } = await openTestStore(engine, undefined, columns.options);
    opened.push({ store, ...rest });
    const account = await addAccount(store, 'acme');
    const count = 5_000;
    await load(
      store,
      account,
      partner,
      Array.from({ length: count }, (_, n) => ({ id: 2 * (n + 1), name: `${n % 100}` })),
    );
    const list = (values: Readonly<Record<string, string>>) =>
      listPage(store, account.id, planned(planList(partner, { values, continuations: [] })));
    await columns.buildWith(() => list({ sort: 'name' }));
    for (const filter of [{}, { filter: 'phone=null' }]) {
      expect(await list({ ...filter, sort: 'name' })).toMatchObject({ source: 'index', total: count });
      const last = await list({ ...filter, sort: 'name', page: String(count / 10) });
      expect(last).toMatchObject({ source: 'index', total: count });
      expect(recordsIn(last?.records ?? '').map(({ id }) => id)).toEqual(
        Array.from({ length: 10 }, (_, n) => 2 * (4_100 + 100 * n)),
      );
      expect((await list({ ...filter, sort: 'name', page: '250' }))?.source).not.toBe('index');
    }
    // In the order of ids, any page is.
    for (const [sort, first] of [
      ['id', 4_501],
      ['-id', 500],
    ] as const) {
      const deep = await list({ sort, page: '451' });
      expect(deep).toMatchObject({ source: 'index', total: count });
      const ids = Array.from({ length: 10 }, (_, n) => 2 * (sort === 'id' ? first + n : first - n));
      expect(recordsIn(deep?.records ?? '').map(({ id }) => id)).toEqual(ids);
    }
  });

  test('a single deep page has columns built, because all others would be counted off', async () => {
    const columns = eagerColumns({ minDemand: 2 });
    const store = await openTestStore(engine, new CacheBudget(0), columns.options);
    opened.push(store);
    const account = await addAccount(store.store, 'acme');
    await load(store.store, account, partner, recordsFrom(1));
    const list = (values: Readonly<Record<string, string>>) =>
      listPageOfLarge(store.store, account.id, planned(planList(partner, { values, continuations: [] })), MANY);
    await columns.buildWith(() => list({ page: '400' }));
    expect(await list({ page: '401' })).toMatchObject({ source: 'index', records: '', total: ROWS });
  });

  test('what an index answered counts as a hit, and what the database had to answer does not', async () => {
    const { store, list } = await prepared();
    const counted = async (values: Readonly<Record<string, string>>) => {
      const before = store.stats().index;
      const page = await list(values);
      const { hits, misses } = store.stats().index;
      return { source: page?.source, hits: hits - before.hits, misses: misses - before.misses };
    };
    expect(await counted({ filter: 'phone!=4' })).toEqual({ source: 'index', hits: 1, misses: 0 });
    // The index finds so few that the search index of the database is faster.
    expect(await counted({ filter: 'name*partner 7' })).toEqual({ source: 'counted', hits: 0, misses: 1 });
    // The index does not sort so many.
    expect(await counted({ filter: 'phone!=4', sort: 'name', page: '1000', limit: '1000' })).toEqual({
      source: expect.not.stringContaining('index'),
      hits: 0,
      misses: 1,
    });
    expect(await counted({ filter: 'phone!=5', explain: 'true' })).toMatchObject({ hits: 1, misses: 0 });
  });

  test('large pages that are explained do not wait for each other after a write', async () => {
    const { store, account, list } = await prepared();
    await list({ filter: 'phone!=2', limit: '1000' });
    await load(store, account, partner, recordsFrom(5_000));
    const pages = await Promise.all(
      Array.from({ length: 12 }, (_, n) => list({ filter: `phone!=${n}`, limit: '1000', explain: 'true' })),
    );
    for (const page of pages)
      expect(page).toMatchObject({ total: 2 * ROWS, explained: [{ alone: 2 * ROWS, others: 2 * ROWS }] });
  });

  test('all records change while columns are built', async () => {
    const columns = eagerColumns();
    const { store, ...rest } = await openTestStore(engine, new CacheBudget(0), columns.options);
    opened.push({ store, ...rest });
    const account = await addAccount(store, 'acme');
    await load(store, account, partner, recordsFrom(1));
    const list = (values: Readonly<Record<string, string>>) =>
      listPageOfLarge(store, account.id, planned(planList(partner, { values, continuations: [] })), MANY);
    // The first list begins to build them.
    for (let round = 1; round <= 3; round += 1) {
      await list({ filter: 'phone!=1' });
      const changed = recordsFrom(1).map((record) => ({ ...record, phone: String(round) }));
      await load(store, account, partner, changed);
    }
    await expect.poll(async () => (await list({ filter: 'phone!=1', sort: 'name' }))?.source).toBe('index');
    expect(await list({ filter: 'phone=3', sort: 'phone' })).toMatchObject({ total: ROWS, source: 'index' });
    expect(await list({ filter: 'phone!=3', sort: 'phone' })).toMatchObject({ total: 0, source: 'index' });
  });

  test('changes that come in many pages are applied', async () => {
    const { store, account, list } = await prepared();
    for (const first of [10_000, 20_000, 30_000]) await load(store, account, partner, recordsFrom(first));
    // The database answers until they are.
    await expect.poll(async () => (await list({ filter: 'phone!=1', sort: 'name' }))?.source).toBe('index');
    expect(await list({ filter: 'phone!=4' })).toMatchObject({ total: 4 * ROWS, source: 'index' });
  });

  test('a bulk change that changes, removes and adds records is applied', async () => {
    const { store, account, list } = await prepared();
    const all = [1, 10_000, 20_000].flatMap(recordsFrom);
    await load(store, account, partner, all);
    await expect.poll(async () => (await list({ filter: 'phone!=1', sort: 'name' }))?.source).toBe('index');
    const kept = [...all.filter((_, n) => n % 3 > 0), ...recordsFrom(30_000)];
    const changed = kept.map((record) => ({ ...record, phone: String(record.id % 2) }));
    await load(store, account, partner, changed, { replace: true });
    await expect.poll(async () => (await list({ filter: 'phone!=2', sort: 'name' }))?.source).toBe('index');
    const odd = kept.filter(({ id }) => id % 2 === 1).map(({ id }) => id);
    for (const [sort, ids] of [
      ['id', odd],
      ['-id', odd.toReversed()],
    ] as const) {
      const page = await list({ filter: 'phone=1', sort, limit: '1000', fields: 'id' });
      expect(page).toMatchObject({ source: 'index', total: odd.length });
      expect(recordsIn(page?.records ?? '').map(({ id }) => id)).toEqual(ids.slice(0, 1_000));
    }
  });

  test('an aggregate that is computed while records change is computed again', async () => {
    const { store, account, list } = await prepared();
    await load(
      store,
      account,
      partner,
      Array.from({ length: 20_000 }, (_, n) => ({ id: 10_000 + n, name: `P ${n}` })),
    );
    await expect.poll(async () => (await list({ filter: 'phone!=1', sort: 'name' }))?.source).toBe('index');
    const name = partner.fields.find((field) => field.name === 'name');
    if (name === undefined) throw new Error('there is no name');
    const request: AggregateRequest = {
      ...{ where: undefined, filter: undefined, fields: [name], maxValues: 1e6, maxCharacters: 1e8 },
      ...{
        measures: [{ kind: 'count' }],
        facets: [{ field: name, by: { kind: 'value' } }],
        limit: 1,
        order: { kind: 'count' },
      },
    };
    for (let round = 0; round < 5; round += 1) {
      const ledger = (await store.version(account.id))?.ledger.get('partner');
      if (ledger === undefined) throw new Error('the account does not exist');
      const aggregated = store.records.aggregate({ account: account.id }, partner, request, ledger);
      await load(store, account, partner, [{ id: 50_000 + round, name: 'Another' }]);
      await list({ filter: `phone!=${round}` });
      expect([ledger.rows, ledger.rows + 1]).toContain((await aggregated)?.total);
    }
  });

  test('a request that is cancelled ends, and others are answered', async () => {
    const { store, account, list } = await prepared();
    const plan = planned(planList(partner, { values: { filter: 'phone!=1', sort: '-name' }, continuations: [] }));
    const version = (await store.version(account.id))?.ledger.get('partner');
    if (version === undefined) throw new Error('the account does not exist');
    const deadline = new Deadline(60_000);
    const cancelled = store.records.list({ account: account.id, deadline }, plan, { ...version, rows: MANY });
    deadline.cancel('disconnected');
    await expect(cancelled).rejects.toThrow('cancelled');
    expect(await list({ filter: 'phone!=5' })).toMatchObject({ source: 'index' });
  });

  test(`${ACCOUNTS} accounts share the budget, and each gets columns when it asks`, async () => {
    const maxBytes = ACCOUNTS * 200_000;
    const held = new Map<number, number>();
    let highest = 0;
    const columns = eagerColumns({
      maxBytes,
      replaceableAfter: 0,
      onBuilt({ account: id, bytes }) {
        held.set(id, bytes);
        highest = Math.max(
          highest,
          [...held.values()].reduce((sum, size) => sum + size),
        );
      },
      onDropped: ({ account: id }) => held.delete(id),
    });
    const testStore = await openTestStore(engine, new CacheBudget(0), columns.options);
    opened.push(testStore);
    const { store } = testStore;
    const plan = planned(planList(partner, { values: { filter: 'phone!=1', sort: '-name' }, continuations: [] }));
    for (let n = 1; n <= ACCOUNTS; n += 1) {
      const account = await addAccount(store, `account-${n}`);
      await load(store, account, partner, recordsFrom(1).slice(0, n));
      await expect.poll(async () => (await listPageOfLarge(store, account.id, plan, MANY))?.source).toBe('index');
      expect(await listPageOfLarge(store, account.id, plan, MANY)).toMatchObject({ total: n });
    }
    expect(held.size).toBeLessThan(ACCOUNTS);
    expect(highest).toBeGreaterThan(maxBytes / 2);
    expect(highest).toBeLessThanOrEqual(maxBytes);
  });

  test('an account that is removed has no columns any more', async () => {
    const { store, account, list } = await prepared();
    await store.accounts.remove(account.id);
    expect(await list({ filter: 'phone!=1' })).toBeUndefined();
  });
});
