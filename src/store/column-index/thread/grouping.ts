/** Groups of records by their values in one column. */

import { fold } from '../../../catalog/fold.ts';
import type { Value } from '../../../catalog/value.ts';
import { MAX_GROUPS } from '../../../plan/aggregate.ts';
import type { GroupBy } from '../../../plan/plan.ts';
import { BLOCK_ROWS, columnValue, type Values } from './column.ts';
import { periodsOf } from './periods.ts';
import { codesOf, NO_CODE, NULL_CODE, rangeCodes } from './wasm/codes.ts';
import { extentOf } from './wasm/extent.ts';

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
  /** Returns what finds the places of the records in a block of the column, given those of all groups. Valid until the next call. */
  placesBy(places: Uint32Array): (numbers: Float64Array) => Uint32Array;
}

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
        codesOf,
        identityOfCode: (code) => code,
        identityOf: (number) => number,
        keyOf: (number) => ({ kind: 'value', value: columnValue(column, number) }),
      });
    case 'ranges':
      return yield* countRanges(column, by.count);
    case 'period': {
      const periods = periodsOf(by.period, by.zone);
      return yield* countBy(column, {
        codesOf: (times) => periods.codesOf(times),
        identityOfCode: (code) => periods.startOfCode(code),
        identityOf: (time) => periods.startOf(time),
        keyOf: (start) => ({ kind: 'range', from: timestampOrNone(start), to: timestampOrNone(periods.endOf(start)) }),
      });
    }
  }
}

/** What the numbers of a group have in common is its identity. */
interface Grouper {
  /** See `codes.ts`: numbers with the same code are in the same group. */
  codesOf(numbers: Float64Array): Uint32Array;
  /** Of the numbers with this code. */
  identityOfCode(code: number): number;
  /** Of a number that is not NaN. */
  identityOf(number: number): number;
  keyOf(identity: number): GroupKey;
}

function* countBy(column: Values, grouper: Grouper): Generator<void, Counted | undefined> {
  const records = new RecordCounts(grouper);
  for (const counts of column.counts?.() ?? []) {
    for (const [number, count] of counts) records.add(number, count);
    yield;
  }
  if (column.counts === undefined)
    for (const numbers of column.blocks()) {
      records.count(numbers);
      if (records.others > MAX_GROUPS) return undefined;
      yield;
    }
  const { sizes, codes } = records.byIdentity();
  if (sizes.size > MAX_GROUPS) return undefined;
  return {
    *sorted() {
      const compare = yield* valueOrder(column);
      const identities = yield* sortInSteps([...sizes.keys()], (a, b) =>
        Number.isNaN(a) ? 1 : Number.isNaN(b) ? -1 : compare(a, b),
      );
      return {
        keys: identities.map(
          (identity): GroupKey => (Number.isNaN(identity) ? { kind: 'value', value: null } : grouper.keyOf(identity)),
        ),
        sizes: Uint32Array.from(identities, (identity) => sizes.get(identity) ?? 0),
        placesBy: (places) =>
          placesBy(grouper, codes, new Map(identities.map((identity, at) => [identity, places[at] ?? 0]))),
      };
    },
  };
}

/** Counts records by the codes of their numbers, and those without a code by their identities. */
class RecordCounts {
  readonly #grouper: Grouper;
  /** By code, of every other record: adding to the same count again and again takes several times as long. */
  readonly #even = new Uint32Array(NO_CODE + 1);
  readonly #odd = new Uint32Array(NO_CODE + 1);
  readonly #byIdentity = new Map<number, number>();

  constructor(grouper: Grouper) {
    this.#grouper = grouper;
  }

  /** How many groups have numbers without a code. */
  get others(): number {
    return this.#byIdentity.size;
  }

  add(number: number, records: number): void {
    const [code = NO_CODE] = this.#grouper.codesOf(Float64Array.of(number));
    if (code !== NO_CODE) this.#even[code] = (this.#even[code] ?? 0) + records;
    else this.#addTo(identityOf(this.#grouper, number), records);
  }

  count(numbers: Float64Array): void {
    const codes = this.#grouper.codesOf(numbers);
    countEveryOther(codes, 0, this.#even);
    countEveryOther(codes, 1, this.#odd);
    if ((this.#even[NO_CODE] ?? 0) + (this.#odd[NO_CODE] ?? 0) === 0) return;
    for (const [at, number] of numbers.entries())
      if (codes[at] === NO_CODE) this.#addTo(identityOf(this.#grouper, number), 1);
    this.#even[NO_CODE] = 0;
    this.#odd[NO_CODE] = 0;
  }

  /** When all records have been counted: how many each identity has, and the codes that were found. */
  byIdentity(): { readonly sizes: ReadonlyMap<number, number>; readonly codes: readonly number[] } {
    const codes: number[] = [];
    for (let code = 0; code < NO_CODE; code += 1) {
      const records = (this.#even[code] ?? 0) + (this.#odd[code] ?? 0);
      if (records === 0) continue;
      codes.push(code);
      this.#addTo(identityOfCode(this.#grouper, code), records);
    }
    return { sizes: this.#byIdentity, codes };
  }

  #addTo(identity: number, records: number): void {
    if (records > 0) this.#byIdentity.set(identity, (this.#byIdentity.get(identity) ?? 0) + records);
  }
}

function countEveryOther(codes: Uint32Array, first: number, counts: Uint32Array): void {
  for (let at = first, { length } = codes; at < length; at += 2) {
    const code = codes[at] ?? NO_CODE;
    counts[code] = (counts[code] ?? 0) + 1;
  }
}

/** NaN for null: a map considers it equal to itself. */
function identityOf(grouper: Grouper, number: number): number {
  return Number.isNaN(number) ? number : grouper.identityOf(number);
}

function identityOfCode(grouper: Grouper, code: number): number {
  return code === NULL_CODE ? Number.NaN : grouper.identityOfCode(code);
}

/** Returns what finds the place of each number, given that of its identity, and all codes that there are. */
function placesBy(
  grouper: Grouper,
  usedCodes: readonly number[],
  places: ReadonlyMap<number, number>,
): (numbers: Float64Array) => Uint32Array {
  const byCode = new Uint32Array(NO_CODE);
  for (const code of usedCodes) byCode[code] = places.get(identityOfCode(grouper, code)) ?? 0;
  const found = new Uint32Array(BLOCK_ROWS);
  return (numbers) => {
    const codes = grouper.codesOf(numbers);
    for (let at = 0, { length } = codes; at < length; at += 1) {
      const code = codes[at] ?? NO_CODE;
      found[at] = (code === NO_CODE ? places.get(identityOf(grouper, numbers[at] ?? Number.NaN)) : byCode[code]) ?? 0;
    }
    return found.subarray(0, numbers.length);
  };
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
    const [least, greatest] = extentOf(numbers);
    [min, max] = [Math.min(min, least), Math.max(max, greatest)];
    yield;
  }
  // There is nothing but null.
  if (min > max) return yield* count(column, { kind: 'value' });
  const ranges = new Ranges(min, max, number, column.storage === 'integer' ? 1 : MIN_WIDTH);
  return yield* countBy(column, {
    codesOf: (numbers) => ranges.codesOf(numbers),
    identityOfCode: (range) => range,
    identityOf: (number) => ranges.rangeOf(number),
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

  /** See `codes.ts`: numbers with the same code are in the same range. Valid until the next call. */
  codesOf(numbers: Float64Array): Uint32Array {
    return rangeCodes(numbers, this.#edges, this.#width, this.#first);
  }

  rangeOf(number: number): number {
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
