/** Measures and facets of records, computed from columns. */

import type { Value } from '../../../catalog/value.ts';
import type { AggregatePlan, Facet, Measure } from '../../../plan/plan.ts';
import type { Column } from './column.ts';
import { ExactSums, quotient, toNumber } from './exact-sum.ts';
import { type Grouping, type GroupKey, group } from './grouping.ts';
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
  measures ??= (yield* measured(plan.measures, columns, {
    sizes: Uint32Array.of(rows),
    placeOf: () => new Uint32Array(rows),
  })).all;
  return { measures, facets };
}

function* aggregateFacet(
  plan: AggregateParts,
  columns: Columns,
  { field, by }: Facet,
): Generator<void, { readonly facet: FacetResult; readonly measures: readonly Measured[] } | undefined> {
  const grouping = yield* group(columnOf(columns, field.name), by);
  if (grouping === undefined) return undefined;
  const { keys, sizes } = grouping;
  const listed = listedGroups(sizes, plan);
  const { each, all } = yield* measured(plan.measures, columns, placed(grouping, listed));
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

/** Where the records of a facet are counted: each listed group has a place, and all others share the last one. */
interface Places {
  /** How many records each place has. */
  readonly sizes: Uint32Array;
  /** The place of each record, which counting does not need. */
  placeOf(): Uint32Array;
}

function placed({ sizes, groupOf }: Grouping, listed: readonly number[]): Places {
  const places = new Uint32Array(sizes.length).fill(listed.length);
  for (const [place, index] of listed.entries()) places[index] = place;
  const placeSizes = new Uint32Array(listed.length + 1);
  for (const [index, size] of sizes.entries()) {
    const place = places[index] ?? 0;
    placeSizes[place] = (placeSizes[place] ?? 0) + size;
  }
  let placeOf: Uint32Array | undefined;
  return {
    sizes: placeSizes,
    placeOf() {
      if (placeOf !== undefined) return placeOf;
      placeOf = new Uint32Array(groupOf.length);
      for (let row = 0; row < placeOf.length; row += 1) placeOf[row] = places[groupOf[row] ?? 0] ?? 0;
      return placeOf;
    },
  };
}

/** The measures of each place, and of all together. */
function* measured(
  measures: readonly Measure[],
  columns: Columns,
  places: Places,
): Generator<void, { readonly each: readonly (readonly Measured[])[]; readonly all: readonly Measured[] }> {
  const statistics: Statistics[] = [];
  for (const measure of measures) statistics.push(yield* statisticsOf(measure, columns, places));
  const measuresOf = (some: readonly number[]) => statistics.map((measure) => measure(some));
  const indexes = [...places.sizes.keys()];
  return { each: indexes.map((index) => measuresOf([index])), all: measuresOf(indexes) };
}

/** One measure of some places together. */
type Statistics = (places: readonly number[]) => Measured;

function* statisticsOf(measure: Measure, columns: Columns, places: Places): Generator<void, Statistics> {
  if (measure.kind === 'count') return (some) => total(places.sizes, some);
  const column = columnOf(columns, measure.field.name);
  switch (measure.kind) {
    case 'sum':
    case 'avg':
      return yield* sumsOf(measure.kind, column, places);
    case 'min':
    case 'max':
      return yield* extremesOf(measure.kind, column, places);
  }
}

function* sumsOf(kind: 'sum' | 'avg', { numbers }: Column, { sizes, placeOf }: Places): Generator<void, Statistics> {
  const places = placeOf();
  const present = new Uint32Array(sizes.length);
  const sums = new ExactSums(sizes.length);
  yield* inChunks(numbers.length, (from, to) => {
    for (let row = from; row < to; row += 1) {
      const number = numbers[row] ?? Number.NaN;
      if (Number.isNaN(number)) continue;
      const place = places[row] ?? 0;
      present[place] = (present[place] ?? 0) + 1;
      sums.add(place, number);
    }
  });
  return (some) => {
    const sum = sums.sum(some);
    if (kind === 'sum') return finite(toNumber(sum));
    const count = total(present, some);
    return count === 0 ? null : finite(quotient(sum, count));
  };
}

function* extremesOf(kind: 'min' | 'max', column: Column, { sizes, placeOf }: Places): Generator<void, Statistics> {
  const { numbers } = column;
  const places = placeOf();
  const sign = kind === 'min' ? 1 : -1;
  /** Of the numbers with this sign. */
  const smallest = new Float64Array(sizes.length).fill(Number.POSITIVE_INFINITY);
  yield* inChunks(numbers.length, (from, to) => {
    for (let row = from; row < to; row += 1) {
      const number = sign * (numbers[row] ?? Number.NaN);
      const place = places[row] ?? 0;
      // Null, which is NaN, is not smaller than anything.
      if (number < (smallest[place] ?? 0)) smallest[place] = number;
    }
  });
  return (some) => {
    const found = Math.min(...some.map((place) => smallest[place] ?? Number.POSITIVE_INFINITY));
    return Number.isFinite(found) ? column.valueOf(sign * found) : null;
  };
}

function total(counts: Uint32Array, places: readonly number[]): number {
  return places.reduce((sum, place) => sum + (counts[place] ?? 0), 0);
}

function columnOf(columns: Columns, name: string): Column {
  const column = columns.get(name);
  if (column === undefined) throw new Error(`there is no column ${name}`);
  return column;
}

function finite(number: number): number | null {
  return Number.isFinite(number) ? number : null;
}
