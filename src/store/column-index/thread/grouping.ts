/** Assigns every record to a group by its value in one column. */

import { fold } from '../../../catalog/fold.ts';
import type { Value } from '../../../catalog/value.ts';
import type { GroupBy } from '../../../plan/plan.ts';
import type { Column } from './column.ts';
import { periodsOf } from './periods.ts';
import { inChunks } from './rows.ts';

/**
 * What the records of a group have in common: a value, or a range from a value up to, but not including, another. A range
 * at either end of what can be stored is open on that side.
 */
export type GroupKey =
  | { readonly kind: 'value'; readonly value: Value | null }
  | { readonly kind: 'range'; readonly from: Value | undefined; readonly to: Value | undefined };

export interface Grouping {
  /** In the order of values; null comes last. No group is empty. */
  readonly keys: readonly GroupKey[];
  /** How many records each group has. */
  readonly sizes: Uint32Array;
  /** The group of each record. */
  readonly groupOf: Uint32Array;
}

/** The maximum number of groups of a facet. */
export const MAX_GROUPS = 100_000;

/** Undefined if there are too many groups. */
export function* group(column: Column, by: GroupBy): Generator<void, Grouping | undefined> {
  switch (by.kind) {
    case 'value':
      return yield* assign(column, {
        identify: (numbers) => numbers,
        compare: yield* valueOrder(column),
        keyOf: (number) => ({ kind: 'value', value: column.valueOf(number) }),
      });
    case 'ranges':
      return yield* groupByRanges(column, by.count);
    case 'period': {
      const periods = periodsOf(by.period, by.zone);
      return yield* assign(column, {
        identify: (times) => periods.startsOf(times),
        compare: ascending,
        keyOf: (start) => ({ kind: 'range', from: timestampOrNone(start), to: timestampOrNone(periods.endOf(start)) }),
      });
    }
  }
}

/** What the numbers of a group have in common is its identity. */
interface Grouper {
  /** The identities of many numbers at once: a call for each would take longer than the rest. NaN remains NaN. */
  identify(numbers: Float64Array): Float64Array;
  /** Compares identities. */
  compare: Compare;
  keyOf(identity: number): GroupKey;
}

function* assign(column: Column, { identify, compare, keyOf }: Grouper): Generator<void, Grouping | undefined> {
  const { numbers } = column;
  const found = new FoundGroups();
  const groupOf = new Uint32Array(numbers.length);
  yield* inChunks(numbers.length, (from, to) => {
    if (found.count <= MAX_GROUPS) found.assign(identify(numbers.subarray(from, to)), groupOf.subarray(from, to));
  });
  if (found.count > MAX_GROUPS) return undefined;
  const identities = yield* sortInSteps(found.identities, (a, b) =>
    Number.isNaN(a) ? 1 : Number.isNaN(b) ? -1 : compare(a, b),
  );
  const position = new Uint32Array(identities.length);
  for (const [place, identity] of identities.entries()) position[found.indexOf(identity)] = place;
  const sizes = new Uint32Array(identities.length);
  yield* inChunks(groupOf.length, (from, to) => {
    for (let row = from; row < to; row += 1) {
      const place = position[groupOf[row] ?? 0] ?? 0;
      groupOf[row] = place;
      sizes[place] = (sizes[place] ?? 0) + 1;
    }
  });
  const keys = identities.map(
    (identity): GroupKey => (Number.isNaN(identity) ? { kind: 'value', value: null } : keyOf(identity)),
  );
  return { keys, sizes, groupOf };
}

/** Identities below this are looked up in an array, which takes a tenth of the time of a map. */
const SMALL = 65_536;

/** Numbers groups in the order in which they are found. */
class FoundGroups {
  readonly identities: number[] = [];
  /** By identity, for small integers; -1 if it was not found yet. */
  readonly #small = new Int32Array(SMALL).fill(-1);
  readonly #others = new Map<number, number>();

  get count(): number {
    return this.identities.length;
  }

  /** The number of the group of each identity. */
  assign(identities: Float64Array, into: Uint32Array): void {
    const small = this.#small;
    let [last, lastIndex] = [Number.NaN, 0];
    for (let at = 0; at < identities.length; at += 1) {
      const identity = identities[at] ?? Number.NaN;
      const integer = identity | 0;
      const known = integer === identity && integer >= 0 && integer < SMALL ? (small[integer] ?? -1) : -1;
      // Neighbours are often in the same group.
      if (known < 0 && identity !== last) [last, lastIndex] = [identity, this.indexOf(identity)];
      into[at] = known < 0 ? lastIndex : known;
    }
  }

  indexOf(identity: number): number {
    const isSmall = Number.isInteger(identity) && identity >= 0 && identity < SMALL;
    // A map considers NaN equal to itself.
    const known = isSmall ? (this.#small[identity] ?? -1) : (this.#others.get(identity) ?? -1);
    if (known >= 0) return known;
    const index = this.identities.push(identity) - 1;
    if (isSmall) this.#small[identity] = index;
    else this.#others.set(identity, index);
    return index;
  }
}

type Compare = (a: number, b: number) => number;

const ascending: Compare = (a, b) => a - b;

/** As lists sort them: text by its folded form, by code point. */
function* valueOrder(column: Column): Generator<void, Compare> {
  if (column.storage !== 'text') return ascending;
  const keys: Buffer[] = [];
  for (let code = 0; code < column.texts.count; code += 1) {
    const text = String(column.valueOf(code));
    // Texts with the same folded form are in the order of their own.
    keys.push(Buffer.from(`${fold(text)}\0${text}`));
    if (code % SORTED_AT_ONCE === 0) yield;
  }
  return (a, b) => Buffer.compare(keys[a] ?? Buffer.of(), keys[b] ?? Buffer.of());
}

/** How many values are sorted or merged in a step. */
const SORTED_AT_ONCE = 1_000;

/** A merge sort. */
function* sortInSteps(values: readonly number[], compare: Compare): Generator<void, readonly number[]> {
  if (values.length <= SORTED_AT_ONCE) return values.toSorted(compare);
  const middle = values.length >>> 1;
  const left = yield* sortInSteps(values.slice(0, middle), compare);
  yield;
  const right = yield* sortInSteps(values.slice(middle), compare);
  yield;
  const merged: number[] = [];
  let [next, nextRight] = [0, 0];
  while (merged.length < values.length) {
    const [a, b] = [left[next], right[nextRight]];
    const isLeft = b === undefined || (a !== undefined && compare(a, b) <= 0);
    merged.push((isLeft ? a : b) ?? Number.NaN);
    if (isLeft) next += 1;
    else nextRight += 1;
    if (merged.length % SORTED_AT_ONCE === 0) yield;
  }
  return merged;
}

/** About `count` ranges of equal width, with round edges. */
function* groupByRanges(column: Column, count: number): Generator<void, Grouping | undefined> {
  const { numbers } = column;
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  yield* inChunks(numbers.length, (from, to) => {
    for (const number of numbers.subarray(from, to)) {
      if (number < min) min = number;
      if (number > max) max = number;
    }
  });
  // There is nothing but null.
  if (min > max) return yield* group(column, { kind: 'value' });
  const ranges = new Ranges(min, max, count, column.storage === 'integer' ? 1 : MIN_WIDTH);
  return yield* assign(column, {
    identify: (some) => some.map((number) => ranges.of(number)),
    compare: ascending,
    keyOf: (range) => ({
      kind: 'range',
      from: finiteOrNone(ranges.edge(range)),
      to: finiteOrNone(ranges.edge(range + 1)),
    }),
  });
}

/** The narrowest ranges, absolutely and in relation to what they hold: the edges of narrower ones would not be exact. */
const MIN_WIDTH = 1e-300;
const MIN_RELATIVE_WIDTH = 1e-12;

/** Ranges between the multiples of a round number. */
class Ranges {
  readonly #width: number;
  /** The multiple of the width with which the first range begins. */
  readonly #first: number;
  readonly #edges: Float64Array;

  constructor(min: number, max: number, count: number, minWidth: number) {
    // Divided first, because the difference may be infinite.
    const ideal = max > min ? max / count - min / count : Math.abs(min) || 1;
    const narrowest = Math.max(Math.max(Math.abs(min), Math.abs(max)) * MIN_RELATIVE_WIDTH, minWidth);
    const width = Math.min(Math.max(ideal, narrowest), Number.MAX_VALUE);
    const [mantissa = '1', power = '0'] = width.toExponential().split('e');
    const round = [1, 2, 5].find((candidate) => candidate >= Number(mantissa)) ?? 10;
    // The decimal is rounded once, so edges are as short as they can be.
    const multiple = (times: number) => Number(`${times * round}e${power}`);
    this.#width = multiple(1);
    this.#first = Math.floor(min / this.#width) - 1;
    this.#edges = Float64Array.from({ length: Math.floor(max / this.#width) - this.#first + 3 }, (_, index) =>
      multiple(this.#first + index),
    );
  }

  /** Where a range begins. */
  edge(range: number): number {
    if (range < 0) return Number.NEGATIVE_INFINITY;
    return this.#edges[range] ?? Number.POSITIVE_INFINITY;
  }

  of(number: number): number {
    let range = Math.floor(number / this.#width) - this.#first;
    // The quotient was rounded.
    while (this.edge(range) > number) range -= 1;
    while (this.edge(range + 1) <= number) range += 1;
    return range;
  }
}

function finiteOrNone(number: number): number | undefined {
  return Number.isFinite(number) ? number : undefined;
}

/** Before the first year and after the last one there are no timestamps. */
function timestampOrNone(time: number): string | undefined {
  const text = new Date(time).toISOString();
  return /^(?:[+-]|0000)/.test(text) ? undefined : text;
}
