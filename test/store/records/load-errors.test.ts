/** Rows that cannot be loaded. */

import { describe, expect, test } from 'vitest';
import { company } from '../../../src/catalog/company.ts';
import { partner } from '../../../src/catalog/partner.ts';
import { product } from '../../../src/catalog/product.ts';
import { type LoadPlan, MAX_REPORTED_ERRORS, plainLoad } from '../../../src/store/store.ts';
import { engines } from '../../support/engines.ts';
import { LATER, tabled, valuesOf } from '../../support/fixture.ts';
import { CODE, ledgerOf, linesOf, loadBy, loaded, textOf } from '../../support/loads.ts';
import { sharedStore } from '../../support/shared.ts';

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);

  test('are skipped and returned with their text if the plan says so, and the rest is loaded', async () => {
    const owner = await opened.account();
    await opened.load(owner, company, [{ id: 1, name: 'A', branch_user: '1' }]);
    const given = [
      { id: 4, name: 'no branch' },
      { id: 1, name: 'AA' },
      { id: 2, name: 'B', branch_user: '2' },
      { id: 1, name: 'again' },
      { company_code: 'nothing else' },
      { name: 'C', branch_user: '3' },
    ];
    const result = await loadBy(opened, owner, company, { onRowError: 'skip' }, given);
    const missing = 'missing; a new record requires it';
    expect(result).toEqual(
      loaded({
        created: 2,
        updated: 1,
        skipped: [
          { text: textOf(given[0]), error: { line: 2, column: 'branch_user', reason: missing } },
          { text: textOf(given[3]), error: { line: 5, column: 'id', reason: 'duplicate 1', first: 3 } },
          { text: textOf(given[4]), error: { line: 6, column: 'name, branch_user', reason: missing } },
        ],
      }),
    );
    expect(await linesOf(opened, owner, company, 'name')).toEqual(['AA', 'B', 'C']);
    expect(await ledgerOf(opened, owner, company)).toEqual({ revision: 2, rows: 3 });
  });

  test('that came without their text are skipped all the same', async () => {
    const owner = await opened.account();
    const rows = [
      { id: 1, name: 'A' },
      { id: 1, name: 'again' },
    ].map((values, index) => ({
      line: index + 1,
      values: valuesOf(partner, values),
    }));
    const batches = async function* () {
      yield rows;
    };
    const plan: LoadPlan = { ...plainLoad(partner, LATER), onRowError: 'skip' };
    expect(await opened.store.records.load({ account: owner.id }, plan, batches())).toEqual(
      loaded({
        created: 1,
        skipped: [{ text: undefined, error: { line: 2, column: 'id', reason: 'duplicate 1', first: 1 } }],
      }),
    );
  });

  test('are skipped once no id is left, after the last id was assigned', async () => {
    const owner = await opened.account();
    await opened.load(owner, partner, [{ id: Number.MAX_SAFE_INTEGER - 1, name: 'last but one' }]);
    expect(
      await loadBy(opened, owner, partner, { onRowError: 'skip' }, [
        { name: 'last' },
        { name: 'one more' },
        { name: 'and' },
      ]),
    ).toEqual(
      loaded({
        created: 1,
        skipped: ['one more', 'and'].map((name, index) => ({
          text: textOf({ name }),
          error: { line: index + 3, column: 'id', reason: 'no identifiers are left for a new record' },
        })),
      }),
    );
    expect(await linesOf(opened, owner, partner)).toEqual([
      `${Number.MAX_SAFE_INTEGER - 1} last but one`,
      `${Number.MAX_SAFE_INTEGER} last`,
    ]);
    expect(await opened.create(owner, 'no more')).toBe('ids exhausted');
  });

  test('because several records have their key are returned', async () => {
    const owner = await opened.account();
    await opened.load(owner, product, tabled('id name default_code', [1, 'A', 'same'], [2, 'B', 'same']));
    const given = tabled('default_code name', ['same', 'which?'], ['own', 'C'], ['own', 'D']);
    expect(await loadBy(opened, owner, product, { key: CODE, onRowError: 'skip' }, given)).toEqual(
      loaded({
        created: 1,
        skipped: [
          {
            text: textOf(given[0]),
            error: { line: 2, column: 'default_code', reason: 'same belongs to several products' },
          },
          {
            text: textOf(given[2]),
            error: { line: 4, column: 'default_code', reason: 'duplicate own', first: 3 },
          },
        ],
      }),
    );
    expect(await linesOf(opened, owner, product)).toEqual(['1 A', '2 B', '3 C']);
  });

  test('write nothing if they are all there is, and the revision stays the same', async () => {
    const owner = await opened.account();
    const result = await loadBy(opened, owner, partner, { onRowError: 'skip' }, [{ email: 'a' }, { email: 'b' }]);
    expect(result).toMatchObject({ kind: 'loaded', created: 0, skipped: [{ error: { line: 2 } }, {}] });
    expect(await ledgerOf(opened, owner, partner)).toEqual({ revision: 0, rows: 0 });
  });

  test('do not use up ids', async () => {
    const owner = await opened.account();
    await loadBy(opened, owner, company, { onRowError: 'skip' }, [
      { id: Number.MAX_SAFE_INTEGER, name: 'no branch' },
      { name: 'A', branch_user: '1' },
    ]);
    expect(await linesOf(opened, owner, company)).toEqual(['1 A']);
  });

  test.each([MAX_REPORTED_ERRORS, MAX_REPORTED_ERRORS + 1, 1_000])(
    'are counted, and the first are reported: %i rows',
    async (n) => {
      const owner = await opened.account();
      const rows = Array.from({ length: n }, (_, index) => ({ id: index + 1, email: 'no name' }));
      const result = await loadBy(opened, owner, partner, {}, rows);
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
    const owner = await opened.account();
    const bad = Array.from({ length: 3_000 }, (_, index) => ({ id: index + 1, email: 'no name' }));
    const result = await loadBy(opened, owner, partner, { onRowError: 'skip' }, [...bad, { name: 'good' }]);
    if (result.kind !== 'loaded') throw new Error('the load was refused');
    expect(result.created).toBe(1);
    expect(result.skipped.map(({ error }) => error.line)).toEqual(bad.map((_, index) => index + 2));
  });
});
