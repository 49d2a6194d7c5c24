/** A search finds every matching record, whether it joined the index alone, in a batch, or not yet. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fold } from '../../src/catalog/fold.ts';
import { partner } from '../../src/catalog/partner.ts';
import { id } from '../../src/catalog/resource.ts';
import { planCreate } from '../../src/plan/create.ts';
import { planList } from '../../src/plan/list.ts';
import type { Account } from '../../src/store/store.ts';
import { engines } from '../support/engines.ts';
import { addAccount, listPage, load, NOW, planned, recordsIn, valuesOf } from '../support/fixture.ts';
import { rounds } from '../support/rounds.ts';
import { sharedStore } from '../support/shared.ts';

const WORDS = ['Azure', 'Deco', 'Gemini', 'Lumber'] as const;

/** The largest id that SQLite's search index can hold. */
const LAST_INDEXED_ID = 2 ** 40 - 1;

type Step =
  | { readonly kind: 'create'; readonly count: number }
  | { readonly kind: 'import'; readonly ids: readonly number[]; readonly shift: number; readonly replace: boolean };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('create' as const), count: fc.integer({ min: 1, max: 260 }) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('import' as const),
        ids: fc.uniqueArray(
          fc.oneof(
            { weight: 9, arbitrary: fc.integer({ min: 1, max: 1_200 }) },
            { weight: 1, arbitrary: fc.integer({ min: LAST_INDEXED_ID - 2, max: LAST_INDEXED_ID + 2 }) },
          ),
          { minLength: 1, maxLength: 40 },
        ),
        shift: fc.nat(WORDS.length - 1),
        replace: fc.boolean(),
      }),
    },
  ),
  { minLength: 2, maxLength: 6 },
);

/** Built from few different characters, so that parts of one text occur in others. */
const texts = fc.oneof(
  fc
    .array(fc.constantFrom('a', 'b', 'É', '"', '\\', ' ', '\u{1f600}', '\ufffd', '\ufffe', '\uffff'), { maxLength: 6 })
    .map((characters) => characters.join('')),
  fc
    .tuple(fc.constantFrom('a', 'ab', 'aab', '\ufffea'), fc.integer({ min: 1, max: 120 }))
    .map(([part, times]) => part.repeat(times)),
);

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);
  let accounts = 0;

  const nameOf = (n: number, shift = 0) => `${WORDS[(n + shift) % WORDS.length]} ${n}`;

  async function take(account: Account, names: Map<number, string>, step: Step): Promise<void> {
    const { records } = opened.store;
    if (step.kind === 'create') {
      const wanted = Array.from({ length: step.count }, (_, n) => nameOf(n));
      const created = await Promise.all(
        wanted.map((name) => records.create({ account: account.id }, planned(planCreate(partner, { name }, NOW)))),
      );
      for (const [index, one] of created.entries()) {
        if (typeof one === 'string' || 'kind' in one) throw new Error(JSON.stringify(one));
        names.set(one.id, wanted[index] ?? '');
      }
      return;
    }
    const { ids, shift, replace } = step;
    const batches = async function* () {
      yield ids.map((number, line) => ({
        line: line + 1,
        values: valuesOf(partner, { id: number, name: nameOf(number, shift) }),
      }));
    };
    const plan = { resource: partner, key: id, replace, onRowError: 'stop', dryRun: false, now: NOW } as const;
    expect(await records.load({ account: account.id }, plan, batches())).toMatchObject({ kind: 'loaded' });
    if (replace) names.clear();
    for (const number of ids) names.set(number, nameOf(number, shift));
  }

  async function found(account: Account, filter: string) {
    const values = { filter, fields: 'id', limit: '1000' };
    const page = await listPage(opened.store, account.id, planned(planList(partner, { values, continuations: [] })));
    return { total: page?.total, ids: recordsIn(page?.records ?? '').map((record) => record['id']) };
  }

  test('after any sequence of creates and imports', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        accounts += 1;
        const account = await addAccount(opened.store, `searched-${accounts}`);
        const names = new Map<number, string>();
        for (const step of taken) {
          await take(account, names, step);
          for (const [filter, isFound] of [
            ['name*deco', (name: string) => name.startsWith('Deco')],
            ['name*EMINI 1', (name: string) => name.startsWith('Gemini 1')],
            ['name!*lumber', (name: string) => !name.startsWith('Lumber')],
          ] as const) {
            const ids = [...names].filter(([, name]) => isFound(name)).map(([number]) => number);
            ids.sort((a, b) => a - b);
            expect(await found(account, filter)).toEqual({ total: ids.length, ids: ids.slice(0, 1_000) });
          }
        }
      }),
      { numRuns: rounds(8, 25) },
    );
  });

  test('for any text: repetitive, long, or with characters that an index may confuse', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { minLength: 20, maxLength: 60 }), async (names) => {
        accounts += 1;
        const account = await addAccount(opened.store, `searched-${accounts}`);
        // Enough that all but some of the last ones are in the index.
        const rows = Array.from({ length: 330 }, (_, n) => ({ id: n + 1, name: `${names[n % names.length]}.` }));
        await load(opened.store, account, partner, rows);
        for (const text of names.filter((name) => name !== '').slice(0, 8)) {
          const quoted = `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
          const ids = rows.filter(({ name }) => fold(name).includes(fold(text))).map((row) => row.id);
          expect(await found(account, `name*${quoted}`)).toEqual({ total: ids.length, ids });
          expect((await found(account, `name!*${quoted}`)).total).toBe(rows.length - ids.length);
        }
      }),
      { numRuns: rounds(8, 25) },
    );
  });
});
