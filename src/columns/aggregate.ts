/** Measures and facets of records, computed from columns. */

import type { Value } from '../catalog/value.ts';
import type { AggregatePlan, Facet, FieldMeasure, Measure } from '../plan/plan.ts';
import type { Column } from './column.ts';
import { ExactSums, quotient, toNumber } from './exact-sum.ts';
import { type GroupKey, group } from './grouping.ts';
import { inChunks } from './rows.ts';

/** By the names of their fields. */
export type Columns = ReadonlyMap<string, Column>;

export type AggregateParts = Pick<AggregatePlan, 'measures' | 'facets' | 'limit' | 'order'>;

/** Null if there are no values, or if a sum is too large for a double. */
export type Measured = Value | null;

/** Measures and facets are in the order of the plan. */
export interface AggregateResult {
  readonly measures: readonly Measured[];
  readonly facets: readonly FacetResult[];
}

export interface FacetResult {
  /** How many groups there are, whether or not they are listed. */
  readonly distinct: number;
  readonly groups: readonly { readonly key: GroupKey; readonly measures: readonly Measured[] }[];
  /** The groups that are not listed. */
  readonly other: { readonly values: number; readonly measures: readonly Measured[] };
}

/** Undefined if a facet has too many groups. */
export function* aggregate(
  plan: AggregateParts,
  columns: Columns,
  rows: number,
): Generator<void, AggregateResult | undefined> {
  const [measures = []] = yield* measureAll(plan.measures, columns, new Uint32Array(rows), 1);
  const facets: FacetResult[] = [];
  for (const facet of plan.facets) {
    const result = yield* aggregateFacet(plan, columns, facet);
    if (result === undefined) return undefined;
    facets.push(result);
  }
  return { measures, facets };
}

function* aggregateFacet(
  plan: AggregateParts,
  columns: Columns,
  { field, by }: Facet,
): Generator<void, FacetResult | undefined> {
  const grouping = yield* group(columnOf(columns, field.name), by);
  if (grouping === undefined) return undefined;
  const { keys, groupOf } = grouping;
  const listed = listedGroups(counts(groupOf, keys.length), plan);
  // All other groups become one, which is the last.
  const places = new Uint32Array(keys.length).fill(listed.length);
  for (const [place, index] of listed.entries()) places[index] = place;
  const placeOf = groupOf.map((index) => places[index] ?? 0);
  yield;
  const measured = yield* measureAll(plan.measures, columns, placeOf, listed.length + 1);
  return {
    distinct: keys.length,
    groups: listed.flatMap((index, place) => {
      const key = keys[index];
      return key === undefined ? [] : [{ key, measures: measured[place] ?? [] }];
    }),
    other: { values: keys.length - listed.length, measures: measured[listed.length] ?? [] },
  };
}

/** Groups of the same size are in the order of values. */
function listedGroups(sizes: Uint32Array, { order, limit }: AggregateParts): readonly number[] {
  const indexes = [...sizes.keys()];
  if (order === 'count') indexes.sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0));
  return indexes.slice(0, limit);
}

/** The measures of each group. */
function* measureAll(
  measures: readonly Measure[],
  columns: Columns,
  groupOf: Uint32Array,
  groups: number,
): Generator<void, readonly (readonly Measured[])[]> {
  const sizes = counts(groupOf, groups);
  const statistics = new Map<string, FieldStatistics>();
  for (const measure of measures)
    if (measure.kind !== 'count' && !statistics.has(measure.field.name)) {
      const column = columnOf(columns, measure.field.name);
      const isSummed = measures.some(
        (other) => other.kind !== 'count' && other.field.name === measure.field.name && isSum(other.kind),
      );
      statistics.set(measure.field.name, yield* statisticsOf(column, isSummed, groupOf, groups));
    }
  return Array.from({ length: groups }, (_, index) =>
    measures.map((measure) =>
      measure.kind === 'count'
        ? (sizes[index] ?? 0)
        : (statistics.get(measure.field.name)?.measure(measure.kind, index) ?? null),
    ),
  );
}

function isSum(kind: FieldMeasure): boolean {
  return kind === 'sum' || kind === 'avg';
}

/** What is known about the values of a field, for each group. */
interface FieldStatistics {
  measure(kind: FieldMeasure, group: number): Measured;
}

function* statisticsOf(
  column: Column,
  isSummed: boolean,
  groupOf: Uint32Array,
  groups: number,
): Generator<void, FieldStatistics> {
  const { numbers } = column;
  const present = new Uint32Array(groups);
  const min = new Float64Array(groups).fill(Number.POSITIVE_INFINITY);
  const max = new Float64Array(groups).fill(Number.NEGATIVE_INFINITY);
  const sums = new ExactSums(isSummed ? groups : 0);
  yield* inChunks(numbers.length, (from, to) => {
    for (let row = from; row < to; row += 1) {
      const number = numbers[row] ?? Number.NaN;
      if (Number.isNaN(number)) continue;
      const index = groupOf[row] ?? 0;
      present[index] = (present[index] ?? 0) + 1;
      if (number < (min[index] ?? 0)) min[index] = number;
      if (number > (max[index] ?? 0)) max[index] = number;
      if (isSummed) sums.add(index, number);
    }
  });
  return {
    measure(kind, index) {
      const count = present[index] ?? 0;
      if (kind === 'sum') return finite(toNumber(sums.sum(index)));
      if (count === 0) return null;
      if (kind === 'avg') return finite(quotient(sums.sum(index), count));
      return column.valueOf((kind === 'min' ? min : max)[index] ?? Number.NaN);
    },
  };
}

function counts(groupOf: Uint32Array, groups: number): Uint32Array {
  const found = new Uint32Array(groups);
  for (const index of groupOf) found[index] = (found[index] ?? 0) + 1;
  return found;
}

function columnOf(columns: Columns, name: string): Column {
  const column = columns.get(name);
  if (column === undefined) throw new Error(`there is no column ${name}`);
  return column;
}

function finite(number: number): number | null {
  return Number.isFinite(number) ? number : null;
}
