/** Loads that replace all records, and the limit of what they may remove. */

import { describe, expect, test } from 'vitest';
import { company } from '../../../src/catalog/company.ts';
import { partner } from '../../../src/catalog/partner.ts';
import { product } from '../../../src/catalog/product.ts';
import { plainLoad } from '../../../src/store/store.ts';
import { engines } from '../../support/engines.ts';
import { LATER, tabled, valuesOf } from '../../support/fixture.ts';
import { CODE, ledgerOf, linesOf, loadBy, loaded } from '../../support/loads.ts';
import { sharedStore } from '../../support/shared.ts';

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);

  describe('replace', () => {
    const three = tabled('id name branch_user', [1, 'A', '1'], [2, 'B', '2'], [3, 'C', '3']);

    test('removes records that no row names, and counts them', async () => {
      const [owner, other] = [await opened.account(), await opened.account()];
      await opened.load(owner, company, three);
      await opened.load(other, company, three);
      expect(
        await loadBy(
          opened,
          owner,
          company,
          { replace: true },
          tabled('id name branch_user', [2, 'BB'], [3, 'C'], [8, 'H', '8']),
        ),
      ).toEqual(loaded({ created: 1, updated: 1, unchanged: 1, removed: 1 }));
      expect(await linesOf(opened, owner, company)).toEqual(['2 BB', '3 C', '8 H']);
      expect(await ledgerOf(opened, owner, company)).toEqual({ revision: 2, rows: 3 });
      expect(await linesOf(opened, other, company)).toHaveLength(3);
      expect(await ledgerOf(opened, other, company)).toEqual({ revision: 1, rows: 3 });
    });

    test('keeps the revision if nothing changes', async () => {
      const owner = await opened.account();
      await opened.load(owner, company, three);
      expect(await loadBy(opened, owner, company, { replace: true }, three)).toEqual(loaded({ unchanged: 3 }));
      expect(await ledgerOf(opened, owner, company)).toEqual({ revision: 1, rows: 3 });
      const empty = await opened.account();
      expect(await loadBy(opened, empty, company, { replace: true }, [])).toEqual(loaded({}));
      expect(await ledgerOf(opened, empty, company)).toEqual({ revision: 0, rows: 0 });
    });

    test('that only removes records is one revision, and does not stamp the others', async () => {
      const owner = await opened.account();
      await opened.load(owner, company, three);
      expect(await loadBy(opened, owner, company, { replace: true }, [{ id: 2, name: 'B' }])).toEqual(
        loaded({ unchanged: 1, removed: 2 }),
      );
      expect(await ledgerOf(opened, owner, company)).toEqual({ revision: 2, rows: 1 });
      expect(await opened.stamps(owner, company, [1, 2, 3])).toEqual([undefined, 1, undefined]);
    });

    test('without rows removes all records, and their ids are not assigned again', async () => {
      const owner = await opened.account();
      await opened.load(owner, partner, tabled('id name', [1, 'A'], [30, 'B']));
      expect(await loadBy(opened, owner, partner, { replace: true }, [])).toEqual(loaded({ removed: 2 }));
      expect(await ledgerOf(opened, owner, partner)).toEqual({ revision: 2, rows: 0 });
      expect(await opened.create(owner, 'C')).toEqual({ id: 31 });
      expect(await ledgerOf(opened, owner, partner)).toEqual({ revision: 3, rows: 1 });
    });

    test('with another key removes records whose key no row has, and records without a key', async () => {
      const owner = await opened.account();
      await opened.load(
        owner,
        product,
        tabled('id name default_code', [1, 'A', 'a'], [2, 'B', 'b'], [3, 'none', null]),
      );
      expect(
        await loadBy(
          opened,
          owner,
          product,
          { key: CODE, replace: true },
          tabled('default_code name', ['b', 'B'], ['c', 'C']),
        ),
      ).toEqual(loaded({ created: 1, unchanged: 1, removed: 2 }));
      expect(await linesOf(opened, owner, product)).toEqual(['2 B', '4 C']);
      expect(await ledgerOf(opened, owner, product)).toEqual({ revision: 2, rows: 2 });
    });

    test('removes nothing if a row has an error', async () => {
      const owner = await opened.account();
      await opened.load(owner, company, three);
      expect(await loadBy(opened, owner, company, { replace: true }, [{ id: 9, name: 'no branch' }])).toMatchObject({
        kind: 'refused',
        errors: { count: 1 },
      });
      expect(await ledgerOf(opened, owner, company)).toEqual({ revision: 1, rows: 3 });
    });
  });

  describe('with a limit of removals', () => {
    const records = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, index) => ({ id: from + index, name: `P${from + index}` }));
    const limited = { replace: true, removalLimit: 10 };

    test.each([
      [0, 0, false],
      [1, 0, true],
      [9, 8, true],
      [10, 9, false],
      [10, 8, true],
      [19, 18, false],
      [19, 17, true],
      [20, 18, false],
      [20, 20, false],
      [20, 0, true],
    ])('of %i records, %i are kept: refused %s', async (existing, kept, isRefused) => {
      const owner = await opened.account();
      await opened.load(owner, product, records(1, existing));
      const before = await ledgerOf(opened, owner, product);
      // New records make up for nothing.
      const file = [...records(1, kept), ...records(101, 130)];
      const removed = existing - kept;
      const counts = { created: 30, unchanged: kept, removed };
      const refusal = { kind: 'too many removed', removed, rows: existing };
      expect(await loadBy(opened, owner, product, { ...limited, dryRun: true }, file)).toEqual(
        loaded({ ...counts, ...(isRefused && { tooManyRemoved: { ...refusal, kind: 'too many removed' as const } }) }),
      );
      expect(await ledgerOf(opened, owner, product)).toEqual(before);
      expect(await loadBy(opened, owner, product, limited, file)).toEqual(isRefused ? refusal : loaded(counts));
      expect((await ledgerOf(opened, owner, product)).rows).toBe(isRefused ? existing : kept + 30);
      expect(await loadBy(opened, owner, product, { replace: true }, file)).toMatchObject({ kind: 'loaded' });
      expect((await ledgerOf(opened, owner, product)).rows).toBe(kept + 30);
    });

    test('records are identified by their key, and another account does not count', async () => {
      const [owner, other] = [await opened.account(), await opened.account()];
      await opened.load(
        owner,
        product,
        [1, 2, 3].map((n) => ({ name: `P${n}`, default_code: `C${n}` })),
      );
      await opened.load(other, product, records(1, 100));
      const file = [1, 2].map((n) => ({ name: `P${n}`, default_code: `C${n}` }));
      const refusal = { kind: 'too many removed', removed: 1, rows: 3 };
      expect(await loadBy(opened, owner, product, { ...limited, key: CODE }, file)).toEqual(refusal);
    });

    test('what was created while the file was read is removed, and counts', async () => {
      const owner = await opened.account();
      await opened.load(owner, partner, records(1, 10));
      const rows = records(1, 10).map((values, index) => ({ line: index + 1, values: valuesOf(partner, values) }));
      const batches = async function* () {
        yield rows;
        for (const name of ['A', 'B']) await opened.create(owner, name);
      };
      expect(
        await opened.store.records.load({ account: owner.id }, { ...plainLoad(partner, LATER), ...limited }, batches()),
      ).toEqual({ kind: 'too many removed', removed: 2, rows: 12 });
    });
  });
});
