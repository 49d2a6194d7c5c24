/** Measures and facets of records, computed from columns. */

import type { Value } from '../../../catalog/value.ts';
import { MAX_GROUPS } from '../../../plan/aggregate.ts';
import type { AggregatePlan, Measure } from '../../../plan/plan.ts';
import { BLOCK_ROWS, columnValue, type Values } from './column.ts';
import { ExactSums, products, quotient, toNumber } from './exact-sum.ts';
import { type Counted, count, type Grouping, type GroupKey } from './grouping.ts';

/** By the names of their fields. */
export type Columns = ReadonlyMap<string, Values>;

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

/** Says whenever others may get their turn whether it still reads the columns, which then must not change. */
type Steps<Result> = Generator<'reading' | 'computing', Result>;

/** A reason if a facet has too many groups, or if their texts are too long. */
export function* aggregate(
  plan: AggregateParts & { readonly maxCharacters: number },
  columns: Columns,
  rows: number,
): Steps<AggregateResult | 'too many groups' | 'too large'> {
  const counted: Counted[] = [];
  for (const { field, by } of plan.facets) {
    const steps = count(columnOf(columns, field.name), by);
    let step = steps.next();
    for (; !step.done; step = steps.next()) {
      const texts = [...columns.values()].map((column) => column.texts);
      if (texts.some((codes) => codes.count > MAX_GROUPS)) return 'too many groups';
      if (texts.reduce((sum, { characters }) => sum + characters, 0) > plan.maxCharacters) return 'too large';
      yield 'reading';
    }
    if (step.value === undefined) return 'too many groups';
    counted.push(step.value);
  }
  const isCounted = [...plan.measures, ...(plan.order === 'value' ? [] : [plan.order])].every(
    ({ kind }) => kind === 'count',
  );
  const facets: FacetResult[] = [];
  let measures: readonly Measured[] | undefined;
  for (const [index, { field }] of plan.facets.entries()) {
    const steps = counted[index]?.sorted();
    if (steps === undefined) continue;
    let step = steps.next();
    for (; !step.done; step = steps.next()) yield isCounted ? 'computing' : 'reading';
    const result = yield* measureFacet(plan, columns, columnOf(columns, field.name), step.value);
    facets.push(result.facet);
    // All groups together are all records.
    measures ??= result.measures;
  }
  measures ??= (yield* measured(plan.measures, columns, { sizes: Uint32Array.of(rows), placesOf: undefined })).all;
  return { measures, facets };
}

function* measureFacet(
  plan: AggregateParts,
  columns: Columns,
  column: Values,
  grouping: Grouping,
): Steps<{ readonly facet: FacetResult; readonly measures: readonly Measured[] }> {
  const { keys } = grouping;
  const listed = yield* listedGroups(plan, columns, column, grouping);
  const { each, all } = yield* measured(plan.measures, columns, placed(column, grouping, listed));
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

/** Groups with the same measure are in the order of values. Those without a value come last. */
function* listedGroups(
  { order, limit }: AggregateParts,
  columns: Columns,
  column: Values,
  grouping: Grouping,
): Steps<readonly number[]> {
  const indexes = [...grouping.sizes.keys()];
  if (order === 'value') return indexes.slice(0, limit);
  const { each } = yield* measured([order], columns, placed(column, grouping, indexes));
  const ranks = Float64Array.from(indexes, (index) => rankOf(each[index]?.[0] ?? null));
  return indexes.sort((a, b) => descending(ranks[a] ?? 0, ranks[b] ?? 0)).slice(0, limit);
}

/** A number that sorts like a measure: of all values, only times are texts. */
function rankOf(measured: Measured): number {
  if (measured === null) return Number.NaN;
  return typeof measured === 'string' ? Date.parse(measured) : Number(measured);
}

/** NaN comes last. */
function descending(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return b - a;
}

/** Where the records of a facet are counted: each listed group has a place, and all others share the last one. */
interface Places {
  /** How many records each place has. */
  readonly sizes: Uint32Array;
  /** The places of all records, block by block, which counting does not need. Undefined if there is one place. */
  readonly placesOf: (() => Iterable<Uint32Array>) | undefined;
}

function placed(column: Values, { sizes, placesBy }: Grouping, listed: readonly number[]): Places {
  const places = new Uint32Array(sizes.length).fill(listed.length);
  for (const [place, index] of listed.entries()) places[index] = place;
  const placeSizes = new Uint32Array(listed.length + 1);
  for (const [index, size] of sizes.entries()) {
    const place = places[index] ?? 0;
    placeSizes[place] = (placeSizes[place] ?? 0) + size;
  }
  return {
    sizes: placeSizes,
    *placesOf() {
      const placesIn = placesBy(places);
      for (const numbers of column.blocks()) yield placesIn(numbers);
    },
  };
}

/** The measures of each place, and of all together. */
function* measured(
  measures: readonly Measure[],
  columns: Columns,
  { sizes, placesOf }: Places,
): Steps<{ readonly each: readonly (readonly Measured[])[]; readonly all: readonly Measured[] }> {
  const statistics = measures.map((measure) => statisticsOf(measure, columns, sizes));
  const inputs = statistics.flatMap(({ input }) =>
    input === undefined
      ? []
      : [{ add: input.add, blocks: input.columns.map((column) => column.blocks()[Symbol.iterator]()) }],
  );
  if (inputs.length > 0) {
    const places = placesOf?.()[Symbol.iterator]();
    const onePlace = new Uint32Array(BLOCK_ROWS);
    for (;;) {
      const blocks = inputs.map((input) => input.blocks.flatMap((rest) => nextOf(rest) ?? []));
      if (blocks[0]?.length === 0) break;
      const placesOfBlock = (places && nextOf(places)) ?? onePlace;
      for (const [index, { add }] of inputs.entries()) add(blocks[index] ?? [], placesOfBlock);
      yield 'reading';
    }
  }
  const measuresOf = (some: readonly number[]) => statistics.map(({ measure }) => measure(some));
  const indexes = [...sizes.keys()];
  return { each: indexes.map((index) => measuresOf([index])), all: measuresOf(indexes) };
}

/** Undefined after the last one. */
function nextOf<Item>(items: Iterator<Item>): Item | undefined {
  const next = items.next();
  return next.done ? undefined : next.value;
}

/** One measure. */
interface Statistics {
  /** Of some places together. */
  measure(places: readonly number[]): Measured;
  /** What it is computed from. Undefined if records are only counted. */
  readonly input: StatisticsInput | undefined;
}

/** A block of each column, with the places of their records. */
interface StatisticsInput {
  readonly columns: readonly Values[];
  readonly add: (blocks: readonly Float64Array[], places: Uint32Array) => void;
}

function statisticsOf(measure: Measure, columns: Columns, sizes: Uint32Array): Statistics {
  if (measure.kind === 'count') return { input: undefined, measure: (some) => total(sizes, some) };
  const of = measure.of.map(({ name }) => columnOf(columns, name));
  switch (measure.kind) {
    case 'sum':
    case 'avg':
      return sumsOf(measure.kind, of, sizes);
    case 'min':
    case 'max':
      return extremesOf(measure.kind, of, sizes.length);
  }
}

function sumsOf(kind: 'sum' | 'avg', columns: readonly Values[], sizes: Uint32Array): Statistics {
  const sums = new ExactSums(sizes.length);
  return {
    input: {
      columns,
      add([numbers = NONE, factors], placesOf) {
        if (factors === undefined) sums.addAll(numbers, placesOf);
        else sums.addProducts(numbers, factors, placesOf);
      },
    },
    measure(some) {
      const sum = sums.sum(some);
      if (kind === 'sum') return finite(toNumber(sum));
      const count = total(sizes, some) - total(sums.missing, some);
      return count === 0 ? null : finite(quotient(sum, count));
    },
  };
}

function extremesOf(kind: 'min' | 'max', columns: readonly Values[], places: number): Statistics {
  const sign = kind === 'min' ? 1 : -1;
  /** Of the numbers with this sign. */
  const smallest = new Float64Array(places).fill(Number.POSITIVE_INFINITY);
  const add = (numbers: Float64Array, placesOf: Uint32Array) => {
    for (let row = 0, { length } = numbers; row < length; row += 1) {
      const number = sign * (numbers[row] ?? Number.NaN);
      const place = placesOf[row] ?? 0;
      // Null, which is NaN, is not smaller than anything.
      if (number < (smallest[place] ?? 0)) smallest[place] = number;
    }
  };
  const [column, factor] = columns;
  return {
    input: {
      columns,
      // The least product is the least rounded one, since rounding keeps the order.
      add: ([numbers = NONE, factors], placesOf) =>
        add(factors === undefined ? numbers : products(numbers, factors), placesOf),
    },
    measure(some) {
      const found = Math.min(...some.map((place) => smallest[place] ?? Number.POSITIVE_INFINITY));
      if (column === undefined || !Number.isFinite(found)) return null;
      return factor === undefined ? columnValue(column, sign * found) : sign * found;
    },
  };
}

const NONE = new Float64Array();

function total(counts: Uint32Array, places: readonly number[]): number {
  return places.reduce((sum, place) => sum + (counts[place] ?? 0), 0);
}

function columnOf(columns: Columns, name: string): Values {
  const column = columns.get(name);
  if (column === undefined) throw new Error(`there is no column ${name}`);
  return column;
}

function finite(number: number): number | null {
  return Number.isFinite(number) ? number : null;
}
