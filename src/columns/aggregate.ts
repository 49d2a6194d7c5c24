/** Measures and facets of records, computed from columns. */

import type { Value } from '../catalog/value.ts';
import type { AggregatePlan, Facet, Measure } from '../plan/plan.ts';
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
  const facets: FacetResult[] = [];
  let measures: readonly Measured[] | undefined;
  for (const facet of plan.facets) {
    const result = yield* aggregateFacet(plan, columns, facet);
    if (result === undefined) return undefined;
    facets.push(result.facet);
    // All groups together are all records.
    measures ??= result.measures;
  }
  measures ??= (yield* measured(plan.measures, columns, new Uint32Array(rows), 1)).all;
  return { measures, facets };
}

function* aggregateFacet(
  plan: AggregateParts,
  columns: Columns,
  { field, by }: Facet,
): Generator<void, { readonly facet: FacetResult; readonly measures: readonly Measured[] } | undefined> {
  const grouping = yield* group(columnOf(columns, field.name), by);
  if (grouping === undefined) return undefined;
  const { keys, groupOf } = grouping;
  const listed = listedGroups(counts(groupOf, keys.length), plan);
  // All other groups become one, which is the last.
  const places = new Uint32Array(keys.length).fill(listed.length);
  for (const [place, index] of listed.entries()) places[index] = place;
  const placeOf = new Uint32Array(groupOf.length);
  for (let row = 0; row < placeOf.length; row += 1) placeOf[row] = places[groupOf[row] ?? 0] ?? 0;
  yield;
  const { each, all } = yield* measured(plan.measures, columns, placeOf, listed.length + 1);
  const facet = {
    distinct: keys.length,
    groups: listed.flatMap((index, place) => {
      const key = keys[index];
      return key === undefined ? [] : [{ key, measures: each[place] ?? [] }];
    }),
    other: { values: keys.length - listed.length, measures: each[listed.length] ?? [] },
  };
  return { facet, measures: all };
}

/** Groups of the same size are in the order of values. */
function listedGroups(sizes: Uint32Array, { order, limit }: AggregateParts): readonly number[] {
  const indexes = [...sizes.keys()];
  if (order === 'count') indexes.sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0));
  return indexes.slice(0, limit);
}

/** The measures of each group, and of all together. */
function* measured(
  measures: readonly Measure[],
  columns: Columns,
  groupOf: Uint32Array,
  groups: number,
): Generator<void, { readonly each: readonly (readonly Measured[])[]; readonly all: readonly Measured[] }> {
  const statistics: Statistics[] = [];
  for (const measure of measures) statistics.push(yield* statisticsOf(measure, columns, groupOf, groups));
  const measuresOf = (some: readonly number[]) => statistics.map((measure) => measure(some));
  const indexes = Array.from({ length: groups }, (_, index) => index);
  return { each: indexes.map((index) => measuresOf([index])), all: measuresOf(indexes) };
}

/** One measure of some groups together. */
type Statistics = (groups: readonly number[]) => Measured;

function* statisticsOf(
  measure: Measure,
  columns: Columns,
  groupOf: Uint32Array,
  groups: number,
): Generator<void, Statistics> {
  if (measure.kind === 'count') {
    const sizes = counts(groupOf, groups);
    return (some) => total(sizes, some);
  }
  const column = columnOf(columns, measure.field.name);
  switch (measure.kind) {
    case 'sum':
    case 'avg':
      return yield* sumsOf(measure.kind, column, groupOf, groups);
    case 'min':
    case 'max':
      return yield* extremesOf(measure.kind, column, groupOf, groups);
  }
}

function* sumsOf(
  kind: 'sum' | 'avg',
  { numbers }: Column,
  groupOf: Uint32Array,
  groups: number,
): Generator<void, Statistics> {
  const present = new Uint32Array(groups);
  const sums = new ExactSums(groups);
  yield* inChunks(numbers.length, (from, to) => {
    for (let row = from; row < to; row += 1) {
      const number = numbers[row] ?? Number.NaN;
      if (Number.isNaN(number)) continue;
      const index = groupOf[row] ?? 0;
      present[index] = (present[index] ?? 0) + 1;
      sums.add(index, number);
    }
  });
  return (some) => {
    const sum = sums.sum(some);
    if (kind === 'sum') return finite(toNumber(sum));
    const count = total(present, some);
    return count === 0 ? null : finite(quotient(sum, count));
  };
}

function* extremesOf(
  kind: 'min' | 'max',
  column: Column,
  groupOf: Uint32Array,
  groups: number,
): Generator<void, Statistics> {
  const { numbers } = column;
  const sign = kind === 'min' ? 1 : -1;
  /** Of the numbers with this sign. */
  const smallest = new Float64Array(groups).fill(Number.POSITIVE_INFINITY);
  yield* inChunks(numbers.length, (from, to) => {
    for (let row = from; row < to; row += 1) {
      const number = sign * (numbers[row] ?? Number.NaN);
      const index = groupOf[row] ?? 0;
      // Null, which is NaN, is not smaller than anything.
      if (number < (smallest[index] ?? 0)) smallest[index] = number;
    }
  });
  return (some) => {
    const found = Math.min(...some.map((index) => smallest[index] ?? Number.POSITIVE_INFINITY));
    return Number.isFinite(found) ? column.valueOf(sign * found) : null;
  };
}

function total(counts: Uint32Array, groups: readonly number[]): number {
  return groups.reduce((sum, index) => sum + (counts[index] ?? 0), 0);
}

function counts(groupOf: Uint32Array, groups: number): Uint32Array {
  const found = new Uint32Array(groups);
  for (let row = 0; row < groupOf.length; row += 1) {
    const index = groupOf[row] ?? 0;
    found[index] = (found[index] ?? 0) + 1;
  }
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
