/** For any records and any filter, measures are exact, and the groups of a facet are what their filters select. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import type { Field } from '../../src/catalog/resource.ts';
import type { Value } from '../../src/catalog/value.ts';
import { valueTypes } from '../../src/catalog/value-types.ts';
import { printFilter } from '../../src/filter/print.ts';
import { filterOf, recordsOf } from '../support/arbitraries.ts';
import { enginesAndColumns } from '../support/columns.ts';
import { decimalAverage, decimalSum } from '../support/decimals.ts';
import type { RecordValues } from '../support/fixture.ts';
import { folded, matches, sorted } from '../support/oracle.ts';
import { parsedFilter } from '../support/parsed-filter.ts';
import { rounds } from '../support/rounds.ts';
import { bodyOf, PRODUCTS } from '../support/rows.ts';
import { accountWith } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const isNumeric = ({ type }: Field) => type === 'number' || type === 'integer';

const measuresOf = (field: Field) => [
  ...(isNumeric(field) ? ['sum', 'avg'] : []),
  ...(valueTypes[field.type].operatorClass === 'order' ? ['min', 'max'] : []),
];
const numbers = product.fields.filter(isNumeric).map(({ name }) => name);
const measures = [
  ...product.fields.flatMap((field) => measuresOf(field).map((kind) => `${kind}(${field.name})`)),
  ...['sum', 'avg', 'min', 'max'].flatMap((kind) =>
    numbers.flatMap((name) => numbers.map((factor) => `${kind}(${name}*${factor})`)),
  ),
];

const periods = ['day', 'week', 'month', 'year', 'day@America/Los_Angeles', 'week@Asia/Kolkata', 'month@Europe/Berlin'];

const facetsOf = (field: Field) => [
  field.name,
  ...(isNumeric(field) ? [1, 3, 20, 1_000].map((count) => `${field.name}:${count}`) : []),
  ...(field.type === 'timestamp' ? periods.map((period) => `${field.name}:${period}`) : []),
];
const facets = product.fields.flatMap(facetsOf);

const questionsAbout = (records: readonly RecordValues[]) =>
  fc.record({
    filter: fc.option(filterOf(product, records), { nil: undefined }),
    measures: fc.uniqueArray(fc.constantFrom('count', ...measures), { minLength: 1, maxLength: 4 }),
    facets: fc.uniqueArray(fc.constantFrom(...facets), { maxLength: 4 }),
    sort: fc.constantFrom('count', 'value', 'first measure'),
    limit: fc.integer({ min: 1, max: 5 }),
  });

const scenes = recordsOf(product).chain((records) =>
  fc.record({ records: fc.constant(records), questions: fc.array(questionsAbout(records), { maxLength: 10 }) }),
);

type Measured = Readonly<Record<string, Value | null>>;

/** The measures of some records, computed naively. */
function measured(names: readonly string[], records: readonly RecordValues[]): Measured {
  return Object.fromEntries(names.map((name) => [name, measure(name, records)]));
}

function measure(name: string, records: readonly RecordValues[]): Value | null {
  const [, kind, field = '', factor] = /^(\w+)\((\w+)(?:\*(\w+))?\)$/.exec(name) ?? [];
  if (kind === undefined) return records.length;
  if (factor !== undefined) return productMeasure(kind, field, factor, records);
  const present = records.filter((record) => record[field] !== null);
  const order = sorted(present, [field], product).map((record) => positiveZero(record[field] ?? null));
  if (kind === 'min') return order.at(0) ?? null;
  if (kind === 'max') return order.at(-1) ?? null;
  const numbers = present.map((record) => Number(record[field]));
  if (kind === 'avg' && numbers.length === 0) return null;
  return jsonNumber(kind === 'avg' ? decimalAverage(numbers) : decimalSum(numbers));
}

function productMeasure(kind: string, field: string, factor: string, records: readonly RecordValues[]): number | null {
  const pairs = records
    .filter((record) => record[field] !== null && record[factor] !== null)
    .map((record) => [Number(record[field]), Number(record[factor])] as const);
  if (kind !== 'sum' && pairs.length === 0) return null;
  const rounded = pairs.map((pair) => decimalSum([pair]));
  const measured = {
    sum: () => decimalSum(pairs),
    avg: () => decimalAverage(pairs),
    min: () => Math.min(...rounded),
    max: () => Math.max(...rounded),
  };
  return jsonNumber(Object(measured)[kind]());
}

/** JSON has no infinity. */
function jsonNumber(value: number): number | null {
  return Number.isFinite(value) ? positiveZero(value) : null;
}

/** JSON has no negative zero. */
function positiveZero<V extends Value | null>(value: V): V | 0 {
  return value === 0 ? 0 : value;
}

/** Groups without a value come last. Times are in milliseconds. */
function rankOf(measured: Value | null): number {
  if (measured === null) return Number.NEGATIVE_INFINITY;
  return typeof measured === 'string' ? Date.parse(measured) : Number(measured);
}

/** What decides about the order of a record. */
function orderOf(name: string): (record: RecordValues) => unknown {
  return (record) => (typeof record[name] === 'string' ? folded(record[name]) : record[name]);
}

function selected(records: readonly RecordValues[], filter: string): readonly RecordValues[] {
  const parsed = parsedFilter(filter);
  return records.filter((record) => matches(parsed, record, product));
}

interface Group {
  readonly value?: Value | null;
  readonly from?: Value | null;
  readonly to?: Value | null;
  readonly filter: string;
  readonly measures: Measured;
}

describe.each(enginesAndColumns)('on $name, from $source', ({ engine, columns }) => {
  const service = sharedService(engine, columns && { columns: columns.options });

  test('measures, groups and the rest', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async ({ records, questions }) => {
        const headers = await accountWith(service, product, records);
        const first = () => service.send({ path: `${PRODUCTS}/aggregate?facets=name`, headers });
        await columns?.buildWith(first);
        for (const { filter, measures, facets, sort: by, limit } of questions) {
          const sort = by === 'first measure' ? (measures[0] ?? 'count') : by;
          const query = new URLSearchParams({
            ...(filter !== undefined && { filter: printFilter(filter) }),
            measures: measures.join(','),
            facets: facets.join(','),
            sort,
            limit: String(limit),
          });
          const reply = await service.send({ path: `${PRODUCTS}/aggregate?${query}`, headers });
          const found = records.filter((record) => filter === undefined || matches(filter, record, product));
          expect({ query: String(query), status: reply.status, json: reply.json }).toMatchObject({
            status: 200,
            json: { data: { measures: measured(measures, found) }, meta: { total: found.length } },
          });
          for (const facet of facets) {
            const { distinct, groups, other } = bodyOf(reply).data.facets[facet];
            const parts: (readonly RecordValues[])[] = groups.map((group: Group) => selected(records, group.filter));
            const listed = new Set(parts.flat());
            // No record is in two groups, and all of them match the filter of the request.
            expect(parts.flat().length).toBe(listed.size);
            expect(parts.flat().filter((record) => !found.includes(record))).toEqual([]);
            expect(groups.map((group: Group) => group.measures)).toEqual(parts.map((part) => measured(measures, part)));
            const rest = found.filter((record) => !listed.has(record));
            expect(other).toEqual({ values: distinct - groups.length, measures: measured(measures, rest) });
            expect(groups.length).toBe(Math.min(limit, distinct));
            const sizes = parts.map((part) => part.length);
            expect(sizes).not.toContain(0);
            const [name = '', detail] = facet.split(':');
            const rank = (part: readonly RecordValues[]) => rankOf(measure(sort, part));
            if (sort !== 'value') expect(parts.map(rank)).toEqual(parts.map(rank).toSorted((a, b) => b - a));
            if (detail === undefined) {
              const all = [...Map.groupBy(found, (record) => record[name]).values()].map(rank);
              if (sort !== 'value') expect(parts.map(rank)).toEqual(all.toSorted((a, b) => b - a).slice(0, limit));
              expect(distinct).toBe(new Set(found.map((record) => record[name])).size);
              for (const [index, { value }] of groups.entries())
                expect(new Set(parts[index]?.map((record) => record[name]))).toEqual(new Set([value]));
            }
            if (sort === 'value') {
              const first = parts.flatMap((part) => part.slice(0, 1));
              expect(first.map(orderOf(name))).toEqual(sorted(first, [name], product).map(orderOf(name)));
            }
          }
        }
      }),
      { numRuns: rounds(8, 40) },
    );
  });
});
