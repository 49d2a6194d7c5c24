/** For any data and any filter, SQLite, PostgreSQL and the oracle return the same bytes. */

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import type { Field, Resource } from '../../src/catalog/resource.ts';
import type { Value } from '../../src/catalog/value.ts';
import type { ValueType } from '../../src/catalog/value-types.ts';
import type { Filter } from '../../src/filter/ast.ts';
import { printFilter } from '../../src/filter/print.ts';
import { planList } from '../../src/plan/list.ts';
import type { StreamFormat } from '../../src/request/accept.ts';
import { CacheBudget } from '../../src/store/state/cache.ts';
import type { Account } from '../../src/store/store.ts';
import { conditionOn, filterOf, recordsOf, searchOf } from '../support/arbitraries.ts';
import { engines, type OpenedStore, openTestStore } from '../support/engines.ts';
import { CSV, EXCEL_SAFE, NDJSON, openExport, restOf, XLSX } from '../support/exports.ts';
import {
  addAccount,
  listPage,
  listPageOfLarge,
  load,
  planned,
  type RecordValues,
  recordsIn,
} from '../support/fixture.ts';
import { answer } from '../support/oracle.ts';
import { rounds } from '../support/rounds.ts';

let stores: readonly OpenedStore[];
let accounts = 0;
beforeAll(async () => {
  stores = await Promise.all(engines.map((engine) => openTestStore(engine, new CacheBudget(0))));
});
afterAll(() => Promise.all(stores.map(({ close }) => close())));

interface Place extends OpenedStore {
  readonly account: Account;
}

/** An account in each store, next to another one with the same records, which must not show. */
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

/** The actual number of records, and one so large that the store takes other paths. */
const SIZES = [undefined, 1_000_000];

type Parameters = Readonly<Record<string, string>>;

async function list({ store, account }: Place, resource: Resource, values: Parameters, size?: number) {
  const plan = planned(planList(resource, { values, continuations: [] }));
  const page =
    size === undefined ? await listPage(store, account.id, plan) : await listPageOfLarge(store, account.id, plan, size);
  if (page === undefined) throw new Error('the account does not exist');
  return { total: page.total, records: page.records };
}

async function exported({ store, account }: Place, resource: Resource, format: StreamFormat, values: Parameters) {
  const found = await openExport(store, account.id, resource, format, values);
  if (found === undefined) throw new Error('the account does not exist');
  const text = await restOf(found);
  await found.close();
  return { total: found.total, rows: found.rows, text };
}

/** The JSON of records as JavaScript prints it. */
function jsonOf(records: readonly RecordValues[]): string {
  return records.map((record) => JSON.stringify(record)).join(',');
}

function linesOf(records: readonly RecordValues[], resource: Resource, format: StreamFormat): string {
  if (format.kind === 'xlsx') return records.map((record) => sheetRowOf(record, resource)).join('');
  if (format.kind === 'ndjson') return records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const cell = (value: RecordValues[string] | undefined, type: ValueType) => {
    if (value === null || value === undefined) return '';
    if (type === 'timestamp' && format.excelSafe) return String(value).slice(0, 19).replace('T', ' ');
    if (type !== 'text') return String(value);
    const isGuarded = format.excelSafe && /^[=+\-@\t\r\n＝＋－＠]/.test(String(value));
    return `"${isGuarded ? "'" : ''}${String(value).replaceAll('"', '""')}"`;
  };
  return records
    .map((record) => resource.fields.map(({ name, type }) => cell(record[name], type)).join(','))
    .map((line) => `${line}\r\n`)
    .join('');
}

/** The row of a sheet of Excel. */
function sheetRowOf(record: RecordValues, { fields }: Resource): string {
  const cells = fields.map((field) => sheetCellOf(record[field.name] ?? null, field));
  return `<row>${cells.join('')}</row>\n`;
}

function sheetCellOf(value: Value | null, { type, decimals }: Field): string {
  const number = (text: string, style = '') => `<c${style}><v>${text}</v></c>`;
  if (value === null || value === '') return '<c/>';
  if (typeof value === 'boolean') return `<c t="b"><v>${Number(value)}</v></c>`;
  if (type === 'number') return number(String(value), decimals === undefined ? '' : ` s="${3 + decimals}"`);
  if (typeof value === 'number' && Math.abs(value) < 1e15) return number(String(value));
  if (type === 'timestamp' && String(value) >= '1900-03-01') {
    const tenth = 10n ** 10n;
    const days = (BigInt(Date.parse(String(value)) - Date.UTC(1899, 11, 30)) * tenth + 43_200_000n) / 86_400_000n;
    return number(`${days / tenth}.${String(days % tenth).padStart(10, '0')}`, ' s="2"');
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML does not have
  const unknown = /[\u0001-\u0008\u000b-\u001f\ufffe\uffff]/g;
  const isEscaped = /_x[0-9a-f]{4}_/i.test(String(value)) || unknown.test(String(value));
  const text = isEscaped
    ? String(value)
        .replaceAll('_x', '_x005F_x')
        .replaceAll(unknown, (one) => `_x${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    : String(value);
  const xml = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<c s="1" t="inlineStr"><is><t xml:space="preserve">${xml}</t></is></c>`;
}

function sortOf(resource: Resource) {
  const names = resource.fields.map(({ name }) => name);
  const word = fc.constantFrom(...names).chain((name) => fc.constantFrom(name, `-${name}`));
  return fc.uniqueArray(word, { maxLength: 3, selector: (item) => item.replace('-', '') });
}

test.each(builtInCatalog.resources)(
  '$plural: every page, total and export has the bytes of the oracle',
  async (resource) => {
    const question = (records: readonly RecordValues[]) =>
      fc.record({
        filter: fc.option(filterOf(resource, records), { nil: undefined, freq: 20 }),
        q: fc.option(searchOf(resource, records), { nil: undefined }),
        byRelevance: fc.boolean(),
        sort: sortOf(resource),
        limit: fc.integer({ min: 1, max: 9 }),
        format: fc.constantFrom(NDJSON, CSV, EXCEL_SAFE, XLSX),
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
        const ask = async ({ q, byRelevance, filter, sort: keys, limit, format }: (typeof questions)[number]) => {
          const sort = q !== undefined && byRelevance ? ['relevance'] : keys;
          const expected = answer(records, resource, { q, filter, sort });
          const total = expected.length;
          const values = {
            ...(q !== undefined && { q }),
            ...(filter && { filter: printFilter(filter) }),
            ...(sort.length > 0 && { sort: sort.join(',') }),
          };
          for (const place of places)
            expect({ values, ...(await exported(place, resource, format, values)) }).toEqual({
              values,
              total,
              rows: total,
              text: linesOf(expected, resource, format),
            });
          for (const [place, size] of places.flatMap((each) => SIZES.map((size) => [each, size] as const))) {
            const whole = await list(place, resource, { ...values, limit: '1000' }, size);
            expect({ values, ...whole }).toEqual({ values, total, records: jsonOf(expected) });
            for (let page = 1; (page - 1) * limit <= total; page += 1) {
              const part = await list(place, resource, { ...values, limit: String(limit), page: String(page) }, size);
              expect(part).toEqual({ total, records: jsonOf(expected.slice((page - 1) * limit, page * limit)) });
            }
          }
        };
        await Promise.all(questions.map(ask));
      }),
      { numRuns: rounds(8, 40) },
    );
  },
);

const fields = builtInCatalog.resources.flatMap((resource) =>
  resource.fields.map((field) => ({ resource, field, name: `${resource.name}.${field.name}` })),
);

test.each(fields)(
  '$name: a condition and its negation together find every record once',
  async ({ resource, field }) => {
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
            const pages = await Promise.all(
              [condition, negated].map((filter) =>
                list(place, resource, { filter: printFilter(filter), limit: '1000' }),
              ),
            );
            const seen = pages.flatMap((page) => recordsIn(page.records).map((record) => Number(record['id'])));
            expect(seen.toSorted((a, b) => a - b)).toEqual(ids);
            expect(pages.reduce((sum, page) => sum + page.total, 0)).toBe(records.length);
          }
        }
      }),
      { numRuns: rounds(2, 4) },
    );
  },
);
