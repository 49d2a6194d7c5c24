/** Groups of records by their values in one column. */

import { fold } from '../../../catalog/fold.ts';
import type { Value } from '../../../catalog/value.ts';
import type { GroupBy } from '../../../plan/plan.ts';
import { BLOCK_ROWS, columnValue, type Values } from './column.ts';
import { periodsOf } from './periods.ts';

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
  /** The group of each record in a block of the column. Valid until the next call. */
  groupsOf(numbers: Float64Array): Uint32Array;
}

/** The maximum number of groups of a facet. */
export const MAX_GROUPS = 100_000;

/** Undefined if there are too many groups. */
export function* group(column: Values, by: GroupBy): Generator<void, Grouping | undefined> {
  const counted = yield* count(column, by);
  return counted && (yield* counted.sorted());
}

/** Groups whose records have been counted. What is left to do does not read the column. */
export interface Counted {
  sorted(): Generator<void, Grouping>;
}

/** Undefined if there are too many groups. */
export function* count(column: Values, by: GroupBy): Generator<void, Counted | undefined> {
  switch (by.kind) {
    case 'value':
      return yield* countBy(column, {
        identify: (numbers) => numbers,
        keyOf: (number) => ({ kind: 'value', value: columnValue(column, number) }),
      });
    case 'ranges':
      return yield* countRanges(column, by.count);
    case 'period': {
      const periods = periodsOf(by.period, by.zone);
      const keyOf = (unit: number): GroupKey => {
        const start = unit * periods.unit;
        return { kind: 'range', from: timestampOrNone(start), to: timestampOrNone(periods.endOf(start)) };
      };
      return yield* countBy(column, {
        identify: (times) => periods.startsOf(times),
        keyOf,
      });
    }
  }
}

/** What the numbers of a group have in common is its identity. */
interface Grouper {
  /** The identities of many numbers at once: a call for each would take longer than the rest. NaN remains NaN. */
  identify(numbers: Float64Array): Float64Array;
  keyOf(identity: number): GroupKey;
}

function* countBy(column: Values, grouper: Grouper): Generator<void, Counted | undefined> {
  const found = new FoundGroups();
  for (const counts of column.counts?.() ?? []) {
    for (const [number, records] of counts) found.add(number, records);
    yield;
  }
  if (column.counts === undefined)
    for (const numbers of column.blocks()) {
      found.count(grouper.identify(numbers));
      if (found.length > MAX_GROUPS) return undefined;
      yield;
    }
  return {
    *sorted() {
      const compare = yield* valueOrder(column);
      const sorted = yield* sortInSteps(found.identities(), (a, b) =>
        Number.isNaN(a) ? 1 : Number.isNaN(b) ? -1 : compare(a, b),
      );
      const keys = sorted.map(
        (identity): GroupKey => (Number.isNaN(identity) ? { kind: 'value', value: null } : grouper.keyOf(identity)),
      );
      const sizes = Uint32Array.from(sorted, (identity) => found.sizeOf(identity));
      const places = new Places(sorted);
      return { keys, sizes, groupsOf: (numbers) => places.of(grouper.identify(numbers)) };
    },
  };
}

/** Identities below this are looked up in an array, which takes a tenth of the time of a map. */
const SMALL = 65_536;

function isSmall(identity: number): boolean {
  return Number.isInteger(identity) && identity >= 0 && identity < SMALL;
}

/** How many records each group has. */
class FoundGroups {
  /** By identity, for small integers. */
  readonly #small = new Uint32Array(SMALL);
  #smallGroups = 0;
  readonly #others = new Map<number, number>();
  #nulls = 0;

  get length(): number {
    return this.#smallGroups + this.#others.size + Math.min(1, this.#nulls);
  }

  /** A small number, or NaN. */
  add(identity: number, records: number): void {
    if (records === 0) return;
    if (Number.isNaN(identity)) {
      this.#nulls += records;
      return;
    }
    const before = this.#small[identity] ?? 0;
    if (before === 0) this.#smallGroups += 1;
    this.#small[identity] = before + records;
  }

  count(identities: Float64Array): void {
    const small = this.#small;
    /** Neighbours are often in the same group. */
    let [last, lastCount] = [Number.NaN, 0];
    for (let at = 0, { length } = identities; at < length; at += 1) {
      const identity = identities[at] ?? Number.NaN;
      const integer = identity | 0;
      if (integer === identity && integer >= 0 && integer < SMALL) {
        const before = small[integer] ?? 0;
        if (before === 0) this.#smallGroups += 1;
        small[integer] = before + 1;
      } else if (identity === last) {
        lastCount += 1;
      } else if (Number.isNaN(identity)) {
        this.#nulls += 1;
      } else {
        if (lastCount > 0) this.#others.set(last, lastCount);
        [last, lastCount] = [identity, (this.#others.get(identity) ?? 0) + 1];
      }
    }
    if (lastCount > 0) this.#others.set(last, lastCount);
  }

  identities(): readonly number[] {
    const small: number[] = [];
    for (let identity = 0; identity < SMALL; identity += 1) if ((this.#small[identity] ?? 0) > 0) small.push(identity);
    return [...small, ...this.#others.keys(), ...(this.#nulls > 0 ? [Number.NaN] : [])];
  }

  sizeOf(identity: number): number {
    if (Number.isNaN(identity)) return this.#nulls;
    return (isSmall(identity) ? this.#small[identity] : this.#others.get(identity)) ?? 0;
  }
}

/** Where groups are among others. */
class Places {
  readonly #small = new Uint32Array(SMALL);
  readonly #others = new Map<number, number>();
  readonly #found = new Uint32Array(BLOCK_ROWS);

  constructor(identities: readonly number[]) {
    for (const [place, identity] of identities.entries())
      if (isSmall(identity)) this.#small[identity] = place;
      else this.#others.set(identity, place);
  }

  of(identities: Float64Array): Uint32Array {
    const [small, found] = [this.#small, this.#found];
    let [last, lastPlace] = [Number.NaN, 0];
    for (let at = 0, { length } = identities; at < length; at += 1) {
      const identity = identities[at] ?? Number.NaN;
      const integer = identity | 0;
      if (integer === identity && integer >= 0 && integer < SMALL) {
        found[at] = small[integer] ?? 0;
      } else {
        // A map considers NaN equal to itself.
        if (identity !== last) [last, lastPlace] = [identity, this.#others.get(identity) ?? 0];
        found[at] = lastPlace;
      }
    }
    return found.subarray(0, identities.length);
  }
}

type Compare = (a: number, b: number) => number;

const ascending: Compare = (a, b) => a - b;

/** As lists sort them: text by its folded form, by code point. */
function* valueOrder(column: Values): Generator<void, Compare> {
  if (column.storage !== 'text') return ascending;
  const keys: Buffer[] = [];
  for (let code = 0; code < column.texts.count; code += 1) {
    const text = String(columnValue(column, code));
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

/** About `number` ranges of equal width, with round edges. */
function* countRanges(column: Values, number: number): Generator<void, Counted | undefined> {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const numbers of column.blocks()) {
    for (let at = 0, { length } = numbers; at < length; at += 1) {
      const value = numbers[at] ?? Number.NaN;
      if (value < min) min = value;
      if (value > max) max = value;
    }
    yield;
  }
  // There is nothing but null.
  if (min > max) return yield* count(column, { kind: 'value' });
  const ranges = new Ranges(min, max, number, column.storage === 'integer' ? 1 : MIN_WIDTH);
  return yield* countBy(column, {
    identify: (numbers) => ranges.of(numbers),
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
  readonly #found = new Float64Array(BLOCK_ROWS);

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

  /** The ranges of many numbers. NaN has none. Valid until the next call. */
  of(numbers: Float64Array): Float64Array {
    const [first, edges, found] = [this.#first, this.#edges, this.#found];
    const perUnit = 1 / this.#width;
    for (let at = 0, { length } = numbers; at < length; at += 1) {
      const number = numbers[at] ?? Number.NaN;
      let range = Math.floor(number * perUnit) - first;
      // The product was rounded.
      if (!(number >= (edges[range] ?? Number.NaN) && number < (edges[range + 1] ?? Number.NaN)))
        range = this.#nearest(number);
      found[at] = range;
    }
    return found.subarray(0, numbers.length);
  }

  #nearest(number: number): number {
    let range = Math.floor(number / this.#width) - this.#first;
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
