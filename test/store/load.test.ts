/** How rows find their records, and what becomes of those that cannot be loaded: the same on every engine. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findField } from '../../src/catalog/catalog.ts';
import { company } from '../../src/catalog/company.ts';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { type Field, MAX_INDEXED_BYTES, MAX_TEXT_LENGTH, type Resource } from '../../src/catalog/resource.ts';
import { planCreate } from '../../src/plan/create.ts';
import { planList } from '../../src/plan/list.ts';
import { planRecord } from '../../src/plan/record.ts';
import {
  type Account,
  type LoadPlan,
  type LoadResult,
  MOST_FAULTS,
  plainLoad,
  type Store,
} from '../../src/store/store.ts';
import { engines, openTestStore } from '../support/engines.ts';
import {
  addAccount,
  listPage,
  load,
  NOW,
  planned,
  type RecordValues,
  recordsIn,
  valuesOf,
} from '../support/fixture.ts';

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
  leftOut: [],
  ...counts,
});

describe.each(engines)('on $name', (engine) => {
  let store: Store;
  let close: () => Promise<void>;
  let named = 0;
  beforeAll(async () => {
    ({ store, close } = await openTestStore(engine));
  });
  afterAll(() => close());

  const account = () => {
    named += 1;
    return addAccount(store, `account-${named}`);
  };

  /** Rows from line 2 on, as those of a CSV file; their text is what they say. */
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

  const page = async (owner: Account, resource: Resource, values: Readonly<Record<string, string>> = {}) => {
    const plan = planned(planList(resource, { values: { limit: '1000', ...values }, continuations: [] }));
    const found = await listPage(store, owner.id, plan);
    if (found === undefined) throw new Error('no such account');
    return found;
  };
  const rows = async (owner: Account, resource: Resource, fields = 'id,name') =>
    recordsIn((await page(owner, resource, { fields })).records).map((record) => Object.values(record));

  /** What the ledger says has to be what there is, whatever was loaded. */
  const ledger = async (owner: Account, resource: Resource) => {
    const [all, counted] = await Promise.all([page(owner, resource), page(owner, resource, { filter: 'id>0' })]);
    expect(all.total).toBe(counted.total);
    expect(recordsIn(all.records)).toHaveLength(all.total);
    return { revision: all.revision, rows: all.total };
  };
  const stamps = async (owner: Account, resource: Resource, ids: readonly number[]) =>
    Promise.all(
      ids.map(async (id) => {
        const plan = planned(planRecord(resource, String(id), { values: {}, continuations: [] }));
        return (await store.records.find(owner.id, plan))?.revision;
      }),
    );
  const createPartner = (owner: Account, name: string) => {
    const plan = planned(planCreate(partner, { name }, NOW));
    return store.records.create(owner.id, plan);
  };

  describe('by another field than id', () => {
    test('a row updates the record that has its key, and makes a new one where none has it', async () => {
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

    test('a record that is left alone keeps its write date, a changed one gets the new one', async () => {
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

    test('the key is compared exactly: by case, by space, and the empty text is one', async () => {
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

    test('an integer can be the key', async () => {
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
        faults: { count: 1, first: [{ line: 3, column: 'product_tmpl_id', reason: '4 is given twice', first: 2 }] },
      });
    });

    test('a key that several records have is a fault, and nothing is changed', async () => {
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
        faults: { count: 1, first: [{ line: 3, column: 'default_code', reason: 'several products have same' }] },
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

    test('a key that the file gives again is a fault that tells where it was first', async () => {
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
        faults: {
          count: 2,
          first: [
            { line: 4, column: 'default_code', reason: 'x is given twice', first: 2 },
            { line: 5, column: 'default_code', reason: 'x is given twice', first: 2 },
          ],
        },
      });
      expect(await ledger(owner, product)).toEqual({ revision: 0, rows: 0 });
    });

    test('another account’s records are neither found nor in the way', async () => {
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

    test('removes what no row names, and counts it', async () => {
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

    test('with nothing to do leaves the revision', async () => {
      const owner = await account();
      await load(store, owner, company, three);
      expect(await loadBy(owner, company, { replace: true }, three)).toEqual(loaded({ unchanged: 3 }));
      expect(await ledger(owner, company)).toEqual({ revision: 1, rows: 3 });
      const empty = await account();
      expect(await loadBy(empty, company, { replace: true }, [])).toEqual(loaded({}));
      expect(await ledger(empty, company)).toEqual({ revision: 0, rows: 0 });
    });

    test('that only removes is one write, which leaves the stamps of the others', async () => {
      const owner = await account();
      await load(store, owner, company, three);
      expect(await loadBy(owner, company, { replace: true }, [{ id: 2, name: 'B' }])).toEqual(
        loaded({ unchanged: 1, removed: 2 }),
      );
      expect(await ledger(owner, company)).toEqual({ revision: 2, rows: 1 });
      expect(await stamps(owner, company, [1, 2, 3])).toEqual([undefined, 1, undefined]);
    });

    test('by rows that name nothing removes all of it, and ids do not come back', async () => {
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

    test('by another key removes whose key no row has, and those without one', async () => {
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

    test('with a fault removes nothing', async () => {
      const owner = await account();
      await load(store, owner, company, three);
      expect(await loadBy(owner, company, { replace: true }, [{ id: 9, name: 'no branch' }])).toMatchObject({
        kind: 'refused',
        faults: { count: 1 },
      });
      expect(await ledger(owner, company)).toEqual({ revision: 1, rows: 3 });
    });
  });

  describe('rows that cannot be loaded', () => {
    test('are left out and given back with their text where that is wanted, and the rest is loaded', async () => {
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
      const result = await loadBy(owner, company, { faulty: 'leave out' }, given);
      const text = (index: number) => `row ${JSON.stringify(given[index])}`;
      const missing = 'missing; a new record needs it';
      expect(result).toEqual(
        loaded({
          created: 2,
          updated: 1,
          leftOut: [
            { text: text(0), fault: { line: 2, column: 'branch_user', reason: missing } },
            { text: text(3), fault: { line: 5, column: 'id', reason: '1 is given twice', first: 3 } },
            { text: text(4), fault: { line: 6, column: 'name, branch_user', reason: missing } },
          ],
        }),
      );
      expect((await rows(owner, company)).map(([, name]) => name)).toEqual(['AA', 'B', 'C']);
      expect(await ledger(owner, company)).toEqual({ revision: 2, rows: 3 });
    });

    test('that find no identifier are given back, the last identifier is given', async () => {
      const owner = await account();
      await load(store, owner, partner, [{ id: Number.MAX_SAFE_INTEGER - 1, name: 'last but one' }]);
      expect(
        await loadBy(owner, partner, { faulty: 'leave out' }, [
          { name: 'last' },
          { name: 'one more' },
          { name: 'and' },
        ]),
      ).toEqual(
        loaded({
          created: 1,
          leftOut: ['one more', 'and'].map((name, index) => ({
            text: `row ${JSON.stringify({ name })}`,
            fault: { line: index + 3, column: 'id', reason: 'no identifiers are left for a new record' },
          })),
        }),
      );
      expect(await rows(owner, partner)).toEqual([
        [Number.MAX_SAFE_INTEGER - 1, 'last but one'],
        [Number.MAX_SAFE_INTEGER, 'last'],
      ]);
      expect(await createPartner(owner, 'no more')).toBe('ids exhausted');
    });

    test('because several records have their key are given back', async () => {
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
      expect(await loadBy(owner, product, { key: code, faulty: 'leave out' }, given)).toEqual(
        loaded({
          created: 1,
          leftOut: [
            {
              text: `row ${JSON.stringify(given[0])}`,
              fault: { line: 2, column: 'default_code', reason: 'several products have same' },
            },
            {
              text: `row ${JSON.stringify(given[2])}`,
              fault: { line: 4, column: 'default_code', reason: 'own is given twice', first: 3 },
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

    test('all of them: nothing is written, and the revision stays', async () => {
      const owner = await account();
      const result = await loadBy(owner, partner, { faulty: 'leave out' }, [{ email: 'a' }, { email: 'b' }]);
      expect(result).toMatchObject({ kind: 'loaded', created: 0, leftOut: [{ fault: { line: 2 } }, {}] });
      expect(await ledger(owner, partner)).toEqual({ revision: 0, rows: 0 });
    });

    test('do not use up the identifiers of those that can', async () => {
      const owner = await account();
      await loadBy(owner, company, { faulty: 'leave out' }, [
        { id: Number.MAX_SAFE_INTEGER, name: 'no branch' },
        { name: 'A', branch_user: '1' },
      ]);
      expect(await rows(owner, company)).toEqual([[1, 'A']]);
    });

    test.each([MOST_FAULTS, MOST_FAULTS + 1, 1_000])('of %i the first are told, and how many there are', async (n) => {
      const owner = await account();
      const result = await loadBy(
        owner,
        partner,
        {},
        Array.from({ length: n }, (_, index) => ({ id: index + 1, email: 'no name' })),
      );
      if (result.kind !== 'refused') throw new Error('it was not refused');
      expect(result.faults.count).toBe(n);
      expect(result.faults.first).toEqual(
        Array.from({ length: MOST_FAULTS }, (_, index) => ({
          line: index + 2,
          column: 'name',
          reason: 'missing; a new record needs it',
        })),
      );
    });

    test('are all given back, however many', async () => {
      const owner = await account();
      const bad = Array.from({ length: 3_000 }, (_, index) => ({ id: index + 1, email: 'no name' }));
      const result = await loadBy(owner, partner, { faulty: 'leave out' }, [...bad, { name: 'good' }]);
      if (result.kind !== 'loaded') throw new Error('it was not loaded');
      expect(result.created).toBe(1);
      expect(result.leftOut.map(({ fault }) => fault.line)).toEqual(bad.map((_, index) => index + 2));
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

    test.each([false, true])('says what a load does, and changes nothing (replace: %s)', async (replace) => {
      const owner = await account();
      await load(store, owner, product, before);
      const whole = await page(owner, product);
      const told = await loadBy(owner, product, { key: code, replace, dryRun: true }, after);
      expect(told).toEqual(loaded({ created: 2, updated: 1, unchanged: 1, removed: replace ? 1 : 0 }));
      expect(await page(owner, product)).toEqual(whole);
      expect(await ledger(owner, product)).toEqual({ revision: 1, rows: 3 });
      expect(await loadBy(owner, product, { key: code, replace }, after)).toEqual(told);
      expect(await rows(owner, product)).toContainEqual([4, 'D']);
    });

    test('tells the faults', async () => {
      const owner = await account();
      const wrong = [{ id: 1, email: 'no name' }, { name: 'good' }];
      expect(await loadBy(owner, partner, { dryRun: true }, wrong)).toMatchObject({
        kind: 'refused',
        faults: { count: 1, first: [{ line: 2, column: 'name' }] },
      });
      expect(await loadBy(owner, partner, { dryRun: true, faulty: 'leave out' }, wrong)).toMatchObject({
        kind: 'loaded',
        created: 1,
        leftOut: [{ text: 'row {"id":1,"email":"no name"}', fault: { line: 2, column: 'name' } }],
      });
      expect(await ledger(owner, partner)).toEqual({ revision: 0, rows: 0 });
    });
  });

  test('texts as long as they may be have room in every index', async () => {
    const owner = await account();
    // Nothing that could be packed.
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

  test('writes that come while rows are read are not held up', async () => {
    const owner = await account();
    let goOn = () => {};
    const waiting = new Promise<void>((resolve) => {
      goOn = resolve;
    });
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
