/** How rows are matched to records, and what happens to rows that cannot be loaded. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findField } from '../../../src/catalog/catalog.ts';
import { company } from '../../../src/catalog/company.ts';
import { partner } from '../../../src/catalog/partner.ts';
import { product } from '../../../src/catalog/product.ts';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import { MAX_INDEXED_BYTES, MAX_TEXT_LENGTH } from '../../../src/catalog/value-types.ts';
import { planCreate } from '../../../src/plan/create.ts';
import { planList } from '../../../src/plan/list.ts';
import { planRecord } from '../../../src/plan/record.ts';
import { LoadProgress } from '../../../src/store/load-progress.ts';
import {
  type Account,
  type LoadPlan,
  type LoadResult,
  MAX_REPORTED_ERRORS,
  plainLoad,
  type Store,
} from '../../../src/store/store.ts';
import { engines, openTestStore, type TestDatabase } from '../../support/engines.ts';
import {
  addAccount,
  listPage,
  load,
  NOW,
  planned,
  type RecordValues,
  recordsIn,
  valuesOf,
} from '../../support/fixture.ts';

const LATER = '2026-03-02T12:00:00.000Z';

const field = (resource: Resource, name: string): Field => {
  const found = findField(resource, name);
  if (found === undefined) throw new Error(`${resource.name} has no field ${name}`);
  return found;
};
const code = field(product, 'default_code');

type Loaded = Extract<LoadResult, { kind: 'loaded' }>;
const loaded = (counts: Partial<Loaded>): Loaded => ({
  kind: 'loaded',
  created: 0,
  updated: 0,
  unchanged: 0,
  removed: 0,
  skipped: [],
  ...counts,
});

describe.each(engines)('on $name', (engine) => {
  let store: Store;
  let database: TestDatabase;
  let close: () => Promise<void>;
  let named = 0;
  beforeAll(async () => {
    ({ store, database, close } = await openTestStore(engine));
  });
  afterAll(() => close());

  const account = () => {
    named += 1;
    return addAccount(store, `account-${named}`);
  };

  /** Rows start at line 2, as in a CSV file. */
  const loadBy = (
    owner: Account,
    resource: Resource,
    plan: Partial<LoadPlan>,
    records: readonly RecordValues[],
  ): Promise<LoadResult> => {
    const rows = records.map((values, index) => ({
      line: index + 2,
      values: valuesOf(resource, values),
      text: `row ${JSON.stringify(values)}`,
    }));
    const halves = async function* () {
      yield rows.slice(0, rows.length / 2);
      yield rows.slice(rows.length / 2);
    };
    return store.records.load(owner.id, { ...plainLoad(resource, LATER), ...plan }, halves());
  };

  test('many rows are written in parts, and it can be seen how far it is', async () => {
    const owner = await account();
    const count = 25_000;
    const loadMany = async (first: number, name: string) => {
      const progress = new LoadProgress();
      const rows = Array.from({ length: count }, (_, n) => ({
        // However lines are numbered, none is left out.
        line: (n - 3) * 7,
        values: valuesOf(company, { id: first + n, name: n % 2 ? name : 'Same', branch_user: '1' }),
      }));
      const batches = async function* () {
        expect(progress.current).toBeUndefined();
        yield rows;
      };
      const result = store.records.load(owner.id, plainLoad(company, LATER), batches(), progress);
      return { progress, result };
    };
    const release = await database.holdWrites();
    const { progress, result } = await loadMany(1, 'First');
    await expect.poll(() => progress.current).toMatchObject({ phase: 'checking' });
    await release();
    expect(await result).toEqual(loaded({ created: count }));
    // SQLite's search index comes last.
    const last =
      engine.name === 'SQLite' ? { phase: 'indexing', fraction: 1 } : { phase: 'committing', fraction: undefined };
    expect(progress.current).toEqual(last);

    const seen = new Set<string>();
    const second = await loadMany(10_001, 'Second');
    const observer = setInterval(() => seen.add(second.progress.current?.phase ?? 'reading'), 1);
    expect(await second.result).toEqual(loaded({ created: 10_000, updated: 7_500, unchanged: 7_500 }));
    clearInterval(observer);
    expect([...seen]).toContain('writing');
    const totals = await Promise.all(
      ['First', 'Second', 'Same'].map(async (name) => (await page(owner, company, { filter: `name=${name}` })).total),
    );
    expect(totals).toEqual([5_000, 12_500, 17_500]);
  });

  const page = async (owner: Account, resource: Resource, values: Readonly<Record<string, string>> = {}) => {
    const plan = planned(planList(resource, { values: { limit: '1000', ...values }, continuations: [] }));
    const found = await listPage(store, owner.id, plan);
    if (found === undefined) throw new Error('the account does not exist');
    return found;
  };
  const rows = async (owner: Account, resource: Resource, fields = 'id,name') =>
    recordsIn((await page(owner, resource, { fields })).records).map((record) => Object.values(record));

  /** The ledger's row, after checking that its number of rows is right. */
  const ledger = async (owner: Account, resource: Resource) => {
    const [all, counted] = await Promise.all([page(owner, resource), page(owner, resource, { filter: 'id>0' })]);
    expect(all.total).toBe(counted.total);
    expect(recordsIn(all.records)).toHaveLength(all.total);
    return { revision: all.version.revision, rows: all.total };
  };
  const stamps = async (owner: Account, resource: Resource, ids: readonly number[]) =>
    Promise.all(
      ids.map(async (id) => {
        const plan = planned(planRecord(resource, String(id), { values: {}, continuations: [] }));
        const found = await store.records.find({ account: owner.id }, plan);
        return typeof found === 'object' && found.kind === 'found' ? found.written.revision : undefined;
      }),
    );
  const createPartner = (owner: Account, name: string) => {
    const plan = planned(planCreate(partner, { name }, NOW));
    return store.records.create({ account: owner.id }, plan);
  };

  describe('with a limit of removals', () => {
    const records = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, index) => ({ id: from + index, name: `P${from + index}` }));
    const limited = { replace: true, removalLimit: 10 };

    test.each([
      { existing: 0, kept: 0, isRefused: false },
      { existing: 1, kept: 0, isRefused: true },
      { existing: 9, kept: 8, isRefused: true },
      { existing: 10, kept: 9, isRefused: false },
      { existing: 10, kept: 8, isRefused: true },
      { existing: 19, kept: 18, isRefused: false },
      { existing: 19, kept: 17, isRefused: true },
      { existing: 20, kept: 18, isRefused: false },
      { existing: 20, kept: 20, isRefused: false },
      { existing: 20, kept: 0, isRefused: true },
    ])('$kept of $existing records kept: refused $isRefused', async ({ existing, kept, isRefused }) => {
      const owner = await account();
      await load(store, owner, product, records(1, existing));
      const before = await ledger(owner, product);
      // New records make up for nothing.
      const file = [...records(1, kept), ...records(101, 130)];
      const removed = existing - kept;
      const counts = { created: 30, unchanged: kept, removed };
      const refusal = { kind: 'too many removed', removed, rows: existing };
      expect(await loadBy(owner, product, { ...limited, dryRun: true }, file)).toEqual(
        loaded({ ...counts, ...(isRefused && { tooManyRemoved: { ...refusal, kind: 'too many removed' as const } }) }),
      );
      expect(await ledger(owner, product)).toEqual(before);
      expect(await loadBy(owner, product, limited, file)).toEqual(isRefused ? refusal : loaded(counts));
      expect((await ledger(owner, product)).rows).toBe(isRefused ? existing : kept + 30);
      expect(await loadBy(owner, product, { replace: true }, file)).toMatchObject({ kind: 'loaded' });
      expect((await ledger(owner, product)).rows).toBe(kept + 30);
    });

    test('records are identified by their key, and another account does not count', async () => {
      const [owner, other] = [await account(), await account()];
      await load(
        store,
        owner,
        product,
        [1, 2, 3].map((n) => ({ name: `P${n}`, default_code: `C${n}` })),
      );
      await load(store, other, product, records(1, 100));
      const file = [1, 2].map((n) => ({ name: `P${n}`, default_code: `C${n}` }));
      const refusal = { kind: 'too many removed', removed: 1, rows: 3 };
      expect(await loadBy(owner, product, { ...limited, key: code }, file)).toEqual(refusal);
    });

    test('what was created while the file was read is removed, and counts', async () => {
      const owner = await account();
      await load(store, owner, partner, records(1, 10));
      const rows = records(1, 10).map((values, index) => ({ line: index + 1, values: valuesOf(partner, values) }));
      const batches = async function* () {
        yield rows;
        for (const name of ['A', 'B']) await createPartner(owner, name);
      };
      expect(await store.records.load(owner.id, { ...plainLoad(partner, LATER), ...limited }, batches())).toEqual({
        kind: 'too many removed',
        removed: 2,
        rows: 12,
      });
    });
  });

  describe('with a key other than id', () => {
    test('a row updates the record with its key, or creates one', async () => {
      const owner = await account();
      await load(store, owner, product, [
        { id: 5, name: 'Chair', default_code: 'C', list_price: 1 },
        { id: 6, name: 'Desk', default_code: 'D', list_price: 2 },
        { id: 7, name: 'Lamp', default_code: 'L', list_price: 3 },
      ]);
      expect(
        await loadBy(owner, product, { key: code }, [
          { default_code: 'N', name: 'New' },
          { default_code: 'D', name: 'Desk', list_price: 20 },
          { default_code: 'C', name: 'Chair' },
          { default_code: 'M', name: 'Newer' },
        ]),
      ).toEqual(loaded({ created: 2, updated: 1, unchanged: 1 }));
      expect(await rows(owner, product, 'id,name,default_code,list_price')).toEqual([
        [5, 'Chair', 'C', 1],
        [6, 'Desk', 'D', 20],
        [7, 'Lamp', 'L', 3],
        [8, 'New', 'N', 0],
        [9, 'Newer', 'M', 0],
      ]);
      expect(await ledger(owner, product)).toEqual({ revision: 2, rows: 5 });
      expect(await stamps(owner, product, [5, 6, 7, 8])).toEqual([1, 2, 1, 2]);
    });

    test('only changed records get a new write date', async () => {
      const owner = await account();
      await load(store, owner, product, [
        { id: 1, name: 'A', default_code: 'a' },
        { id: 2, name: 'B', default_code: 'b' },
      ]);
      await loadBy(owner, product, { key: code }, [
        { default_code: 'a', name: 'A' },
        { default_code: 'b', name: 'BB' },
      ]);
      expect(await rows(owner, product, 'name,create_date,write_date')).toEqual([
        ['A', NOW, NOW],
        ['BB', NOW, LATER],
      ]);
    });

    test('keys are compared exactly: case and spaces matter, and the empty string is a key', async () => {
      const owner = await account();
      await load(store, owner, product, [
        { id: 1, name: 'small', default_code: 'a' },
        { id: 2, name: 'empty', default_code: '' },
        { id: 3, name: 'none', default_code: null },
      ]);
      expect(
        await loadBy(owner, product, { key: code }, [
          { default_code: 'A', name: 'large' },
          { default_code: 'a ', name: 'padded' },
          { default_code: '', name: 'was empty' },
        ]),
      ).toEqual(loaded({ created: 2, updated: 1 }));
      expect(await rows(owner, product)).toEqual([
        [1, 'small'],
        [2, 'was empty'],
        [3, 'none'],
        [4, 'large'],
        [5, 'padded'],
      ]);
    });

    test('the key can be an integer', async () => {
      const owner = await account();
      await load(store, owner, product, [
        { id: 1, name: 'A', product_tmpl_id: 77 },
        { id: 2, name: 'B', product_tmpl_id: null },
      ]);
      const key = field(product, 'product_tmpl_id');
      expect(
        await loadBy(owner, product, { key }, [
          { product_tmpl_id: 77, name: 'AA' },
          { product_tmpl_id: -5, name: 'C' },
        ]),
      ).toEqual(loaded({ created: 1, updated: 1 }));
      expect(await rows(owner, product)).toEqual([
        [1, 'AA'],
        [2, 'B'],
        [3, 'C'],
      ]);
      expect(
        await loadBy(owner, product, { key }, [
          { product_tmpl_id: 4, name: 'x' },
          { product_tmpl_id: 4, name: 'y' },
        ]),
      ).toEqual({
        kind: 'refused',
        errors: { count: 1, first: [{ line: 3, column: 'product_tmpl_id', reason: 'duplicate 4', first: 2 }] },
      });
    });

    test('a key of several records is an error, and nothing is changed', async () => {
      const owner = await account();
      await load(store, owner, product, [
        { id: 1, name: 'A', default_code: 'same' },
        { id: 2, name: 'B', default_code: 'same' },
        { id: 3, name: 'C', default_code: 'other' },
      ]);
      expect(
        await loadBy(owner, product, { key: code }, [
          { default_code: 'other', name: 'changed' },
          { default_code: 'same', name: 'which?' },
        ]),
      ).toEqual({
        kind: 'refused',
        errors: { count: 1, first: [{ line: 3, column: 'default_code', reason: 'same belongs to several products' }] },
      });
      expect(await rows(owner, product)).toEqual([
        [1, 'A'],
        [2, 'B'],
        [3, 'C'],
      ]);
      expect(await ledger(owner, product)).toEqual({ revision: 1, rows: 3 });
      expect(await loadBy(owner, product, { key: code }, [{ default_code: 'other', name: 'changed' }])).toEqual(
        loaded({ updated: 1 }),
      );
    });

    test('a duplicate key is an error that names its first line', async () => {
      const owner = await account();
      expect(
        await loadBy(owner, product, { key: code }, [
          { default_code: 'x', name: 'A' },
          { default_code: 'y', name: 'B' },
          { default_code: 'x', name: 'C' },
          { default_code: 'x', name: 'D' },
        ]),
      ).toEqual({
        kind: 'refused',
        errors: {
          count: 2,
          first: [
            { line: 4, column: 'default_code', reason: 'duplicate x', first: 2 },
            { line: 5, column: 'default_code', reason: 'duplicate x', first: 2 },
          ],
        },
      });
      expect(await ledger(owner, product)).toEqual({ revision: 0, rows: 0 });
    });

    test('records of other accounts with the same key play no part', async () => {
      const [owner, other] = [await account(), await account()];
      await load(store, other, product, [
        { id: 1, name: 'theirs', default_code: 'k' },
        { id: 2, name: 'theirs too', default_code: 'k' },
      ]);
      await load(store, owner, product, [{ id: 9, name: 'mine', default_code: 'k' }]);
      expect(await loadBy(owner, product, { key: code }, [{ default_code: 'k', name: 'changed' }])).toEqual(
        loaded({ updated: 1 }),
      );
      expect(await rows(owner, product)).toEqual([[9, 'changed']]);
      expect(await rows(other, product)).toEqual([
        [1, 'theirs'],
        [2, 'theirs too'],
      ]);
      expect(await ledger(other, product)).toEqual({ revision: 1, rows: 2 });
    });
  });

  describe('replace', () => {
    const three = [
      { id: 1, name: 'A', branch_user: '1' },
      { id: 2, name: 'B', branch_user: '2' },
      { id: 3, name: 'C', branch_user: '3' },
    ];

    test('removes records that no row names, and counts them', async () => {
      const [owner, other] = [await account(), await account()];
      await load(store, owner, company, three);
      await load(store, other, company, three);
      expect(
        await loadBy(owner, company, { replace: true }, [
          { id: 2, name: 'BB' },
          { id: 3, name: 'C' },
          { id: 8, name: 'H', branch_user: '8' },
        ]),
      ).toEqual(loaded({ created: 1, updated: 1, unchanged: 1, removed: 1 }));
      expect(await rows(owner, company)).toEqual([
        [2, 'BB'],
        [3, 'C'],
        [8, 'H'],
      ]);
      expect(await ledger(owner, company)).toEqual({ revision: 2, rows: 3 });
      expect(await rows(other, company)).toHaveLength(3);
      expect(await ledger(other, company)).toEqual({ revision: 1, rows: 3 });
    });

    test('keeps the revision if nothing changes', async () => {
      const owner = await account();
      await load(store, owner, company, three);
      expect(await loadBy(owner, company, { replace: true }, three)).toEqual(loaded({ unchanged: 3 }));
      expect(await ledger(owner, company)).toEqual({ revision: 1, rows: 3 });
      const empty = await account();
      expect(await loadBy(empty, company, { replace: true }, [])).toEqual(loaded({}));
      expect(await ledger(empty, company)).toEqual({ revision: 0, rows: 0 });
    });

    test('that only removes records is one revision, and does not stamp the others', async () => {
      const owner = await account();
      await load(store, owner, company, three);
      expect(await loadBy(owner, company, { replace: true }, [{ id: 2, name: 'B' }])).toEqual(
        loaded({ unchanged: 1, removed: 2 }),
      );
      expect(await ledger(owner, company)).toEqual({ revision: 2, rows: 1 });
      expect(await stamps(owner, company, [1, 2, 3])).toEqual([undefined, 1, undefined]);
    });

    test('without rows removes all records, and their ids are not assigned again', async () => {
      const owner = await account();
      await load(store, owner, partner, [
        { id: 1, name: 'A' },
        { id: 30, name: 'B' },
      ]);
      expect(await loadBy(owner, partner, { replace: true }, [])).toEqual(loaded({ removed: 2 }));
      expect(await ledger(owner, partner)).toEqual({ revision: 2, rows: 0 });
      expect(await createPartner(owner, 'C')).toEqual({ id: 31 });
      expect(await ledger(owner, partner)).toEqual({ revision: 3, rows: 1 });
    });

    test('with another key removes records whose key no row has, and records without a key', async () => {
      const owner = await account();
      await load(store, owner, product, [
        { id: 1, name: 'A', default_code: 'a' },
        { id: 2, name: 'B', default_code: 'b' },
        { id: 3, name: 'none', default_code: null },
      ]);
      expect(
        await loadBy(owner, product, { key: code, replace: true }, [
          { default_code: 'b', name: 'B' },
          { default_code: 'c', name: 'C' },
        ]),
      ).toEqual(loaded({ created: 1, unchanged: 1, removed: 2 }));
      expect(await rows(owner, product)).toEqual([
        [2, 'B'],
        [4, 'C'],
      ]);
      expect(await ledger(owner, product)).toEqual({ revision: 2, rows: 2 });
    });

    test('removes nothing if a row has an error', async () => {
      const owner = await account();
      await load(store, owner, company, three);
      expect(await loadBy(owner, company, { replace: true }, [{ id: 9, name: 'no branch' }])).toMatchObject({
        kind: 'refused',
        errors: { count: 1 },
      });
      expect(await ledger(owner, company)).toEqual({ revision: 1, rows: 3 });
    });
  });

  describe('rows that cannot be loaded', () => {
    test('are skipped and returned with their text if the plan says so, and the rest is loaded', async () => {
      const owner = await account();
      await load(store, owner, company, [{ id: 1, name: 'A', branch_user: '1' }]);
      const given = [
        { id: 4, name: 'no branch' },
        { id: 1, name: 'AA' },
        { id: 2, name: 'B', branch_user: '2' },
        { id: 1, name: 'again' },
        { company_code: 'nothing else' },
        { name: 'C', branch_user: '3' },
      ];
      const result = await loadBy(owner, company, { onRowError: 'skip' }, given);
      const text = (index: number) => `row ${JSON.stringify(given[index])}`;
      const missing = 'missing; a new record requires it';
      expect(result).toEqual(
        loaded({
          created: 2,
          updated: 1,
          skipped: [
            { text: text(0), error: { line: 2, column: 'branch_user', reason: missing } },
            { text: text(3), error: { line: 5, column: 'id', reason: 'duplicate 1', first: 3 } },
            { text: text(4), error: { line: 6, column: 'name, branch_user', reason: missing } },
          ],
        }),
      );
      expect((await rows(owner, company)).map(([, name]) => name)).toEqual(['AA', 'B', 'C']);
      expect(await ledger(owner, company)).toEqual({ revision: 2, rows: 3 });
    });

    test('because no id is left are returned, after the last id was assigned', async () => {
      const owner = await account();
      await load(store, owner, partner, [{ id: Number.MAX_SAFE_INTEGER - 1, name: 'last but one' }]);
      expect(
        await loadBy(owner, partner, { onRowError: 'skip' }, [{ name: 'last' }, { name: 'one more' }, { name: 'and' }]),
      ).toEqual(
        loaded({
          created: 1,
          skipped: ['one more', 'and'].map((name, index) => ({
            text: `row ${JSON.stringify({ name })}`,
            error: { line: index + 3, column: 'id', reason: 'no identifiers are left for a new record' },
          })),
        }),
      );
      expect(await rows(owner, partner)).toEqual([
        [Number.MAX_SAFE_INTEGER - 1, 'last but one'],
        [Number.MAX_SAFE_INTEGER, 'last'],
      ]);
      expect(await createPartner(owner, 'no more')).toBe('ids exhausted');
    });

    test('because several records have their key are returned', async () => {
      const owner = await account();
      await load(store, owner, product, [
        { id: 1, name: 'A', default_code: 'same' },
        { id: 2, name: 'B', default_code: 'same' },
      ]);
      const given = [
        { default_code: 'same', name: 'which?' },
        { default_code: 'own', name: 'C' },
        { default_code: 'own', name: 'D' },
      ];
      expect(await loadBy(owner, product, { key: code, onRowError: 'skip' }, given)).toEqual(
        loaded({
          created: 1,
          skipped: [
            {
              text: `row ${JSON.stringify(given[0])}`,
              error: { line: 2, column: 'default_code', reason: 'same belongs to several products' },
            },
            {
              text: `row ${JSON.stringify(given[2])}`,
              error: { line: 4, column: 'default_code', reason: 'duplicate own', first: 3 },
            },
          ],
        }),
      );
      expect(await rows(owner, product)).toEqual([
        [1, 'A'],
        [2, 'B'],
        [3, 'C'],
      ]);
    });

    test('write nothing if they are all there is, and the revision stays the same', async () => {
      const owner = await account();
      const result = await loadBy(owner, partner, { onRowError: 'skip' }, [{ email: 'a' }, { email: 'b' }]);
      expect(result).toMatchObject({ kind: 'loaded', created: 0, skipped: [{ error: { line: 2 } }, {}] });
      expect(await ledger(owner, partner)).toEqual({ revision: 0, rows: 0 });
    });

    test('do not use up ids', async () => {
      const owner = await account();
      await loadBy(owner, company, { onRowError: 'skip' }, [
        { id: Number.MAX_SAFE_INTEGER, name: 'no branch' },
        { name: 'A', branch_user: '1' },
      ]);
      expect(await rows(owner, company)).toEqual([[1, 'A']]);
    });

    test.each([MAX_REPORTED_ERRORS, MAX_REPORTED_ERRORS + 1, 1_000])(
      'are counted, and the first are reported: %i rows',
      async (n) => {
        const owner = await account();
        const result = await loadBy(
          owner,
          partner,
          {},
          Array.from({ length: n }, (_, index) => ({ id: index + 1, email: 'no name' })),
        );
        if (result.kind !== 'refused') throw new Error('the load was not refused');
        expect(result.errors.count).toBe(n);
        expect(result.errors.first).toEqual(
          Array.from({ length: MAX_REPORTED_ERRORS }, (_, index) => ({
            line: index + 2,
            column: 'name',
            reason: 'missing; a new record requires it',
          })),
        );
      },
    );

    test('are all returned, however many there are', async () => {
      const owner = await account();
      const bad = Array.from({ length: 3_000 }, (_, index) => ({ id: index + 1, email: 'no name' }));
      const result = await loadBy(owner, partner, { onRowError: 'skip' }, [...bad, { name: 'good' }]);
      if (result.kind !== 'loaded') throw new Error('the load was refused');
      expect(result.created).toBe(1);
      expect(result.skipped.map(({ error }) => error.line)).toEqual(bad.map((_, index) => index + 2));
    });
  });

  describe('a dry run', () => {
    const before = [
      { id: 1, name: 'A', default_code: 'a' },
      { id: 2, name: 'B', default_code: 'b' },
      { id: 3, name: 'C', default_code: 'c' },
    ];
    const after = [
      { default_code: 'a', name: 'A' },
      { default_code: 'b', name: 'BB' },
      { default_code: 'd', name: 'D' },
      { default_code: 'e', name: 'E' },
    ];

    test.each([false, true])('reports what a load would do, and changes nothing (replace: %s)', async (replace) => {
      const owner = await account();
      await load(store, owner, product, before);
      const whole = await page(owner, product);
      const reported = await loadBy(owner, product, { key: code, replace, dryRun: true }, after);
      expect(reported).toEqual(loaded({ created: 2, updated: 1, unchanged: 1, removed: replace ? 1 : 0 }));
      expect(await page(owner, product)).toEqual(whole);
      expect(await ledger(owner, product)).toEqual({ revision: 1, rows: 3 });
      expect(await loadBy(owner, product, { key: code, replace }, after)).toEqual(reported);
      expect(await rows(owner, product)).toContainEqual([4, 'D']);
    });

    test('reports errors', async () => {
      const owner = await account();
      const wrong = [{ id: 1, email: 'no name' }, { name: 'good' }];
      expect(await loadBy(owner, partner, { dryRun: true }, wrong)).toMatchObject({
        kind: 'refused',
        errors: { count: 1, first: [{ line: 2, column: 'name' }] },
      });
      expect(await loadBy(owner, partner, { dryRun: true, onRowError: 'skip' }, wrong)).toMatchObject({
        kind: 'loaded',
        created: 1,
        skipped: [{ text: 'row {"id":1,"email":"no name"}', error: { line: 2, column: 'name' } }],
      });
      expect(await ledger(owner, partner)).toEqual({ revision: 0, rows: 0 });
    });
  });

  test('text of the maximum length fits every index', async () => {
    const owner = await account();
    // Random, so that it cannot be compressed.
    const text = (bytes: number) =>
      Array.from({ length: bytes / 4 }, () => String.fromCodePoint(0x20000 + Math.floor(Math.random() * 0xa000))).join(
        '',
      );
    const long = text(MAX_INDEXED_BYTES);
    const row = {
      name: text(4 * MAX_TEXT_LENGTH),
      ref: long,
      email: long,
      vat: long,
      street: text(4 * MAX_TEXT_LENGTH),
    };
    expect(await loadBy(owner, partner, {}, [row])).toEqual(loaded({ created: 1 }));
    expect((await page(owner, partner, { filter: `ref="${long}"&email*"${long}"` })).total).toBe(1);
  });

  test('other writes do not wait while the rows of a load are read', async () => {
    const owner = await account();
    const { promise: waiting, resolve: goOn } = Promise.withResolvers<void>();
    const slowly = async function* () {
      yield [{ line: 1, values: valuesOf(partner, { id: 10, name: 'loaded' }) }];
      await waiting;
      yield [{ line: 2, values: valuesOf(partner, { name: 'loaded too' }) }];
    };
    const loading = store.records.load(owner.id, plainLoad(partner, NOW), slowly());
    expect(await createPartner(owner, 'meanwhile')).toEqual({ id: 1 });
    expect(await rows(owner, partner)).toEqual([[1, 'meanwhile']]);
    goOn();
    expect(await loading).toEqual(loaded({ created: 2 }));
    expect(await rows(owner, partner)).toEqual([
      [1, 'meanwhile'],
      [10, 'loaded'],
      [11, 'loaded too'],
    ]);
    expect(await ledger(owner, partner)).toEqual({ revision: 2, rows: 3 });
  });
});
