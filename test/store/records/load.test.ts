/** Loads: which records they create and change, and what they report. */

import { describe, expect, test } from 'vitest';
import { company } from '../../../src/catalog/company.ts';
import { partner } from '../../../src/catalog/partner.ts';
import { product } from '../../../src/catalog/product.ts';
import { MAX_INDEXED_BYTES, MAX_TEXT_LENGTH } from '../../../src/catalog/value-types.ts';
import { LoadProgress } from '../../../src/store/load-progress.ts';
import { plainLoad } from '../../../src/store/store.ts';
import { engines } from '../../support/engines.ts';
import { LATER, load as loadOf, NOW, tabled, valuesOf } from '../../support/fixture.ts';
import { CODE, ledgerOf, linesOf, loadBy, loaded } from '../../support/loads.ts';
import { seededRandom } from '../../support/random.ts';
import { sharedStore } from '../../support/shared.ts';

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);

  test('creates, updates and skips unchanged records, and counts them', async () => {
    const owner = await opened.account();
    expect(await opened.load(owner, company, tabled('id name branch_user', [1, 'A', '1'], [2, 'B', '2']))).toEqual(
      loaded({ created: 2 }),
    );
    expect(
      await opened.load(owner, company, [
        { id: 1, name: 'A' },
        { id: 2, branch_user: '3' },
        { id: 4, name: 'D', branch_user: '4' },
      ]),
    ).toEqual(loaded({ created: 1, updated: 1, unchanged: 1 }));
    expect(await opened.records(owner, company)).toMatchObject(
      tabled('id name branch_user', [1, 'A', '1'], [2, 'B', '3'], [4, 'D', '4']),
    );
  });

  test('that changes nothing keeps the revision', async () => {
    const owner = await opened.account();
    await opened.load(owner, company, [{ id: 1, name: 'A', branch_user: '1', company_code: null }]);
    expect(await opened.load(owner, company, [{ id: 1, name: 'A', company_code: null }])).toEqual(
      loaded({ unchanged: 1 }),
    );
    expect(await opened.load(owner, company, [])).toEqual(loaded({}));
    expect(await opened.revision(owner, company)).toBe(1);
  });

  test('of a record that has to exist returns it and its version, changed or not', async () => {
    const owner = await opened.account();
    await opened.load(owner, company, tabled('id name branch_user', [1, 'A', '1'], [2, 'B', '1']));
    const change = (id: number, name: string) => loadOf(opened.store, owner, company, [{ id, name }], { existing: {} });
    const [second, same] = [await change(2, 'C'), await change(1, 'A')];
    expect(second).toMatchObject({ updated: 1, record: { written: { revision: 2 } } });
    expect(same).toMatchObject({ unchanged: 1, record: { written: { revision: 1 } }, version: { revision: 2 } });
    expect([second, same].map((result) => JSON.parse(Object(result).record.text))).toMatchObject(
      tabled('id name', [2, 'C'], [1, 'A']),
    );
  });

  test('sets dates that a row omits, and keeps those it gives', async () => {
    const owner = await opened.account();
    const old = '2020-01-01T00:00:00.000Z';
    await opened.load(
      owner,
      company,
      tabled('id name branch_user create_date write_date', [1, 'A', '1', old, old], [2, 'B', '2']),
    );
    expect(await opened.records(owner, company)).toMatchObject(
      tabled('create_date write_date', [old, old], [NOW, NOW]),
    );
    const row = { line: 2, values: valuesOf(company, { id: 1, name: 'A2' }) };
    await opened.store.records.load({ account: owner.id }, plainLoad(company, LATER), inBatches([row]));
    expect(await opened.records(owner, company)).toMatchObject([
      { name: 'A2', create_date: old, write_date: LATER },
      { write_date: NOW },
    ]);
  });

  test('sets a field to null only if the row gives null', async () => {
    const owner = await opened.account();
    await opened.load(owner, product, [{ id: 1, name: 'A', default_code: 'X', categ_id: 5 }]);
    await opened.load(owner, product, [{ id: 1, default_code: null }]);
    expect(await opened.records(owner, product)).toMatchObject([{ name: 'A', default_code: null, categ_id: 5 }]);
  });

  test('assigns new ids after the largest one, in row order', async () => {
    const owner = await opened.account();
    await opened.create(owner, 'first');
    await opened.load(owner, partner, [{ name: 'x' }, { id: 10, name: 'y' }, { name: 'z' }]);
    expect((await opened.records(owner, partner)).map(({ id, name }) => [id, name])).toEqual([
      [1, 'first'],
      [10, 'y'],
      [11, 'x'],
      [12, 'z'],
    ]);
  });

  test('refuses a duplicate id, and changes nothing', async () => {
    const owner = await opened.account();
    expect(await opened.load(owner, partner, tabled('id name', [1, 'A'], [2, 'B'], [1, 'C']))).toEqual({
      kind: 'refused',
      errors: { count: 1, first: [{ line: 3, column: 'id', reason: 'duplicate 1', first: 1 }] },
    });
    expect(await opened.records(owner, partner)).toEqual([]);
    expect(await opened.revision(owner, partner)).toBe(0);
  });

  test('refuses a new record without a required field, and changes nothing', async () => {
    const owner = await opened.account();
    await opened.load(owner, company, [{ id: 1, name: 'A', branch_user: '1' }]);
    expect(
      await opened.load(owner, company, [
        { id: 1, name: 'B' },
        { id: 2, company_code: 'X' },
      ]),
    ).toEqual({
      kind: 'refused',
      errors: {
        count: 1,
        first: [{ line: 2, column: 'name, branch_user', reason: 'missing; a new record requires it' }],
      },
    });
    expect(await opened.records(owner, company)).toMatchObject([{ id: 1, name: 'A' }]);
  });

  test('refuses rows if no ids are left', async () => {
    const owner = await opened.account();
    expect(
      await opened.load(owner, partner, [{ id: Number.MAX_SAFE_INTEGER, name: 'last' }, { name: 'one more' }]),
    ).toMatchObject({ kind: 'refused', errors: { count: 1, first: [{ line: 2, column: 'id' }] } });
    expect(await opened.records(owner, partner)).toEqual([]);
    expect(await opened.revision(owner, partner)).toBe(0);
  });

  test('waits for a concurrent load', async () => {
    const owner = await opened.account();
    const results = await Promise.all([
      opened.load(owner, company, [{ id: 1, name: 'A', branch_user: '1' }]),
      opened.load(owner, partner, [{ id: 1, name: 'A' }]),
      opened.load(owner, partner, [{ id: 1, name: 'B' }, { name: 'C' }]),
    ]);
    expect(results.map(({ kind }) => kind)).toEqual(['loaded', 'loaded', 'loaded']);
    expect((await opened.records(owner, partner)).map(({ id }) => id)).toEqual([1, 2]);
  });

  test('that fails halfway changes nothing, and the next one succeeds', async () => {
    const owner = await opened.account();
    const rows = async function* () {
      yield [{ line: 1, values: valuesOf(partner, { id: 1, name: 'A' }) }];
      throw new Error('the file ends here');
    };
    await expect(opened.store.records.load({ account: owner.id }, plainLoad(partner, NOW), rows())).rejects.toThrow(
      'the file ends here',
    );
    expect(await opened.records(owner, partner)).toEqual([]);
    expect(await opened.load(owner, partner, [{ id: 1, name: 'B' }])).toEqual(loaded({ created: 1 }));
  });

  test('reports an account that does not exist', async () => {
    expect(await opened.store.records.load({ account: 999_999 }, plainLoad(partner, NOW), inBatches([]))).toEqual({
      kind: 'no access',
    });
  });

  test('writes many batches as one revision', async () => {
    const owner = await opened.account();
    const batches = async function* () {
      for (let batch = 0; batch < 20; batch += 1) {
        yield Array.from({ length: 100 }, (_, n) => ({
          line: batch * 100 + n,
          values: valuesOf(partner, { name: `P${n}` }),
        }));
      }
    };
    expect(await opened.store.records.load({ account: owner.id }, plainLoad(partner, NOW), batches())).toEqual(
      loaded({ created: 2000 }),
    );
    expect(await opened.page(owner, partner, { limit: '1' })).toMatchObject({ total: 2000, version: { revision: 1 } });
  });

  test('many rows are written in parts, and it can be seen how far it is', async () => {
    const owner = await opened.account();
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
      const result = opened.store.records.load({ account: owner.id }, plainLoad(company, LATER), batches(), {
        progress,
      });
      return { progress, result };
    };
    const release = await opened.database.holdWrites();
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
      ['First', 'Second', 'Same'].map(
        async (name) => (await opened.page(owner, company, { filter: `name=${name}` })).total,
      ),
    );
    expect(totals).toEqual([5_000, 12_500, 17_500]);
  });

  describe('a dry run', () => {
    const before = tabled('id name default_code', [1, 'A', 'a'], [2, 'B', 'b'], [3, 'C', 'c']);
    const after = tabled('default_code name', ['a', 'A'], ['b', 'BB'], ['d', 'D'], ['e', 'E']);

    test.each([false, true])('reports what a load would do, and changes nothing (replace: %s)', async (replace) => {
      const owner = await opened.account();
      await opened.load(owner, product, before);
      const whole = await opened.page(owner, product);
      const reported = await loadBy(opened, owner, product, { key: CODE, replace, dryRun: true }, after);
      expect(reported).toEqual(loaded({ created: 2, updated: 1, unchanged: 1, removed: replace ? 1 : 0 }));
      expect(await opened.page(owner, product)).toEqual(whole);
      expect(await ledgerOf(opened, owner, product)).toEqual({ revision: 1, rows: 3 });
      const made = await loadBy(opened, owner, product, { key: CODE, replace }, after);
      expect(made).toEqual({ ...reported, version: { ...whole.version, revision: 2, rows: undefined } });
      expect(await linesOf(opened, owner, product)).toContain('4 D');
    });

    test('reports errors', async () => {
      const owner = await opened.account();
      const wrong = [{ id: 1, email: 'no name' }, { name: 'good' }];
      expect(await loadBy(opened, owner, partner, { dryRun: true }, wrong)).toMatchObject({
        kind: 'refused',
        errors: { count: 1, first: [{ line: 2, column: 'name' }] },
      });
      expect(await loadBy(opened, owner, partner, { dryRun: true, onRowError: 'skip' }, wrong)).toMatchObject({
        kind: 'loaded',
        created: 1,
        skipped: [{ text: 'row {"id":1,"email":"no name"}', error: { line: 2, column: 'name' } }],
      });
      expect(await ledgerOf(opened, owner, partner)).toEqual({ revision: 0, rows: 0 });
    });
  });

  test('text of the maximum length fits every index', async () => {
    const owner = await opened.account();
    const random = seededRandom('incompressible');
    // Random, so that it cannot be compressed.
    const text = (bytes: number) =>
      Array.from({ length: bytes / 4 }, () => String.fromCodePoint(0x20000 + random.below(0xa000))).join('');
    const long = text(MAX_INDEXED_BYTES);
    const row = {
      name: text(4 * MAX_TEXT_LENGTH),
      ref: long,
      email: long,
      vat: long,
      street: text(4 * MAX_TEXT_LENGTH),
    };
    expect(await loadBy(opened, owner, partner, {}, [row])).toEqual(loaded({ created: 1 }));
    expect((await opened.page(owner, partner, { filter: `ref="${long}"&email*"${long}"` })).total).toBe(1);
  });

  test('other writes do not wait while the rows of a load are read', async () => {
    const owner = await opened.account();
    const { promise: waiting, resolve: goOn } = Promise.withResolvers<void>();
    const slowly = async function* () {
      yield [{ line: 1, values: valuesOf(partner, { id: 10, name: 'loaded' }) }];
      await waiting;
      yield [{ line: 2, values: valuesOf(partner, { name: 'loaded too' }) }];
    };
    const loading = opened.store.records.load({ account: owner.id }, plainLoad(partner, NOW), slowly());
    expect(await opened.create(owner, 'meanwhile')).toEqual({ id: 1 });
    expect(await linesOf(opened, owner, partner)).toEqual(['1 meanwhile']);
    goOn();
    expect(await loading).toEqual(loaded({ created: 2 }));
    expect(await linesOf(opened, owner, partner)).toEqual(['1 meanwhile', '10 loaded', '11 loaded too']);
    expect(await ledgerOf(opened, owner, partner)).toEqual({ revision: 2, rows: 3 });
  });
});

async function* inBatches<Row>(...batches: readonly (readonly Row[])[]): AsyncIterable<readonly Row[]> {
  yield* batches;
}
