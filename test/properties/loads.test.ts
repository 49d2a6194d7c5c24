/** A load has the outcome that a naive model says, whatever it consists of, with few rows and with many. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { company } from '../../src/catalog/company.ts';
import { id } from '../../src/catalog/resource.ts';
import { type Account, type IncomingRow, type LoadResult, plainLoad } from '../../src/store/store.ts';
import { engines } from '../support/engines.ts';
import { fieldOf, LATER, valuesOf } from '../support/fixture.ts';
import { rounds } from '../support/rounds.ts';
import { type SharedStore, sharedStore } from '../support/shared.ts';

const CODE = fieldOf(company, 'company_code');

interface Company {
  readonly name: string;
  readonly company_code: string | null;
  readonly branch_user: string;
}

interface Row extends Partial<{ readonly [Name in keyof Company]: Company[Name] | undefined }> {
  readonly id?: number | undefined;
  readonly isRemoved?: true;
}

interface Load {
  readonly rows: readonly Row[];
  readonly byCode: boolean;
  readonly replace: boolean;
  readonly skips: boolean;
  readonly dryRun: boolean;
}

const FILLERS = Array.from({ length: 1_001 }, (_, n) => ({
  line: n + 1,
  values: valuesOf(company, { id: 1_000 + n, name: 'F', branch_user: '1', company_code: `f${n}` }),
}));

const ids = fc.integer({ min: 1, max: 9 });
const codes = fc.constantFrom('a', 'b', 'c', 'd');
const names = fc.constantFrom('A', 'B', 'ß', 'É');

const name = fc.option(names, { nil: undefined, freq: 8 });
const branch_user = fc.option(fc.constantFrom('1', '2'), { nil: undefined, freq: 8 });
const company_code = fc.option(fc.option(codes, { nil: null }), { nil: undefined });
const isRemoved = fc.constant(true as const);

const rowsById: fc.Arbitrary<Row> = fc.oneof(
  {
    arbitrary: fc.record({ id: fc.option(ids, { nil: undefined, freq: 6 }), name, branch_user, company_code }),
    weight: 4,
  },
  { arbitrary: fc.record({ id: ids, isRemoved }), weight: 1 },
);
const rowsByCode: fc.Arbitrary<Row> = fc.oneof(
  { arbitrary: fc.record({ company_code: codes, name, branch_user }), weight: 4 },
  { arbitrary: fc.record({ company_code: codes, isRemoved }), weight: 1 },
);

const loads: fc.Arbitrary<Load> = fc.boolean().chain((byCode) =>
  fc.record({
    rows: fc.array(byCode ? rowsByCode : rowsById, { maxLength: 8 }),
    byCode: fc.constant(byCode),
    replace: fc.boolean(),
    skips: fc.boolean(),
    dryRun: fc.constantFrom(true, false, false, false),
  }),
);

class Model {
  readonly records = new Map<number, Company>();
  lastId = 0;
  revision = 0;

  /** What the load returns. */
  apply({ rows, byCode, replace, skips, dryRun }: Load): object {
    const known = (given: Row) =>
      byCode
        ? [...this.records]
            .filter(([, { company_code }]) => company_code === given.company_code)
            .map(([found]) => found)
        : [...this.records.keys()].filter((found) => found === given.id);
    const keyOf = (given: Row) => (byCode ? given.company_code : given.id);
    const valid: { given: Row; found: number | undefined }[] = [];
    let errors = 0;
    for (const [index, given] of rows.entries()) {
      const found = known(given);
      const isDuplicate =
        keyOf(given) !== undefined && rows.slice(0, index).some((earlier) => keyOf(earlier) === keyOf(given));
      const isIncomplete =
        given.isRemoved !== true && found.length === 0 && (given.name === undefined || given.branch_user === undefined);
      if (isDuplicate || found.length > 1 || isIncomplete) errors += 1;
      else valid.push({ given, found: found[0] });
    }
    if (errors > 0 && !skips) return { kind: 'refused', errors: { count: errors } };
    const counts = { created: 0, updated: 0, unchanged: 0, removed: 0 };
    const after = new Map(this.records);
    let lastId = Math.max(
      this.lastId,
      ...valid.filter(({ given }) => given.isRemoved !== true).map(({ given, found }) => found ?? given.id ?? 0),
    );
    const kept = new Set<number>();
    for (const { given, found } of valid) {
      const before = found === undefined ? undefined : this.records.get(found);
      if (given.isRemoved === true) {
        if (found === undefined) counts.unchanged += 1;
        else {
          after.delete(found);
          if (!replace) counts.removed += 1;
        }
        continue;
      }
      if (found === undefined && given.id === undefined) lastId += 1;
      const target = found ?? given.id ?? lastId;
      const code = given.company_code === undefined ? (before?.company_code ?? null) : given.company_code;
      const record = {
        name: given.name ?? before?.name ?? '',
        branch_user: given.branch_user ?? before?.branch_user ?? '',
        company_code: code,
      };
      kept.add(target);
      after.set(target, record);
      if (before === undefined) counts.created += 1;
      else if (JSON.stringify(recordOf(before)) === JSON.stringify(recordOf(record))) counts.unchanged += 1;
      else counts.updated += 1;
    }
    if (replace) {
      for (const existing of this.records.keys()) {
        if (kept.has(existing)) continue;
        after.delete(existing);
        counts.removed += 1;
      }
    }
    const hasChanged = counts.created + counts.updated + counts.removed > 0;
    if (!dryRun && hasChanged) {
      this.records.clear();
      for (const [key, record] of after) this.records.set(key, record);
      this.lastId = lastId;
      this.revision += 1;
    }
    return { kind: 'loaded', ...counts };
  }
}

function recordOf({ name, company_code, branch_user }: Company): Company {
  return { name, company_code, branch_user };
}

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);

  const run = (
    account: Account,
    { rows, byCode, replace, skips, dryRun }: Load,
    before: readonly IncomingRow[] = [],
  ) => {
    const incoming = rows.map((row, index): IncomingRow => {
      const { isRemoved: removed, ...values } = row;
      const given = Object.entries(values).flatMap(([key, value]) =>
        value === undefined ? [] : [[key, value] as const],
      );
      return {
        line: FILLERS.length + index + 1,
        values: valuesOf(company, Object.fromEntries(given)),
        text: '',
        ...(removed && { isRemoved: removed }),
      };
    });
    const batches = async function* () {
      if (before.length > 0) yield before;
      yield incoming;
    };
    const onRowError = skips ? ('skip' as const) : ('stop' as const);
    const plan = { ...plainLoad(company, LATER), key: byCode ? CODE : id, replace, onRowError, dryRun };
    return opened.store.records.load({ account: account.id }, plan, batches());
  };

  test('a load has the outcome that the model says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(loads, { minLength: 1, maxLength: 5 }), async (history) => {
        const account = await opened.account();
        const model = new Model();
        for (const load of history) {
          const expected = model.apply(load);
          expect(await run(account, load)).toMatchObject(expected);
          await checkRecords(opened, account, model);
        }
      }),
      { numRuns: rounds(40, 1_000) },
    );
  });

  test('one whose rows are staged first has the same', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(loads, { minLength: 2, maxLength: 3 }), async (history) => {
        const [few, many] = [await opened.account(), await opened.account()];
        const none = { rows: [], byCode: false, replace: false, skips: false, dryRun: false };
        for (const account of [few, many]) await run(account, none, FILLERS);
        for (const load of history.filter(({ byCode, replace }) => !byCode && !replace)) {
          const [shorter, longer] = [await run(few, load), await run(many, load, FILLERS)];
          expect(comparable(longer, FILLERS.length)).toEqual(comparable(shorter, 0));
          const pages = await Promise.all([few, many].map((account) => opened.page(account, company, WHOLE)));
          expect(pages[1]?.records).toBe(pages[0]?.records);
          expect(pages[1]?.version.revision).toBe(pages[0]?.version.revision);
        }
      }),
      { numRuns: rounds(5, 200) },
    );
  });
});

const WHOLE = { limit: '1000', fields: 'id,name,company_code,branch_user' };

/** Without what differs between databases, and without rows that change nothing. */
function comparable(result: LoadResult, fillers: number): object {
  if (result.kind !== 'loaded') return result;
  const { version: _, unchanged, ...rest } = result;
  return { ...rest, unchanged: unchanged - fillers };
}

async function checkRecords(opened: SharedStore, account: Account, model: Model): Promise<void> {
  const page = await opened.page(account, company, WHOLE);
  const expected = [...model.records]
    .toSorted(([a], [b]) => a - b)
    .map(([key, record]) => ({ id: key, ...recordOf(record) }));
  expect(JSON.parse(`[${page.records}]`)).toEqual(expected);
  expect(page.version.rows).toBe(model.records.size);
  expect(page.version.revision).toBe(model.revision);
}
