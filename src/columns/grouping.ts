/** Assigns every record to a group by its value in one column. */

import { fold } from '../catalog/fold.ts';
import type { Value } from '../catalog/value.ts';
import type { GroupBy, Period } from '../plan/plan.ts';
import type { Column } from './column.ts';
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
  /** The group of each record. */
  readonly groupOf: Uint32Array;
}

/** The most groups of a facet. */
export const MAX_GROUPS = 100_000;

/** Undefined if there are too many groups. */
export function* group(column: Column, by: GroupBy): Generator<void, Grouping | undefined> {
  switch (by.kind) {
    case 'value':
      return yield* assign(
        column,
        (number) => number,
        valueOrder(column),
        (number) => ({
          kind: 'value',
          value: column.valueOf(number),
        }),
      );
    case 'ranges':
      return yield* groupByRanges(column, by.count);
    case 'period':
      return yield* assign(
        column,
        (time) => periodStart(time, by.period),
        ascending,
        (start) => ({
          kind: 'range',
          from: new Date(start).toISOString(),
          to: timestampOrNone(periodEnd(start, by.period)),
        }),
      );
  }
}

/** `identify` returns what all numbers of a group have in common. */
function* assign(
  column: Column,
  identify: (number: number) => number,
  compare: Compare,
  keyOf: (identity: number) => GroupKey,
): Generator<void, Grouping | undefined> {
  const { numbers } = column;
  const found = new Map<number, number>();
  const groupOf = new Uint32Array(numbers.length);
  yield* inChunks(numbers.length, (from, to) => {
    for (let row = from; row < to && found.size <= MAX_GROUPS; row += 1) {
      const number = numbers[row] ?? Number.NaN;
      // A map considers NaN equal to itself.
      const identity = Number.isNaN(number) ? number : identify(number);
      const known = found.get(identity);
      if (known === undefined) found.set(identity, found.size);
      groupOf[row] = known ?? found.size - 1;
    }
  });
  if (found.size > MAX_GROUPS) return undefined;
  const identities = [...found.keys()].toSorted((a, b) => (Number.isNaN(a) ? 1 : Number.isNaN(b) ? -1 : compare(a, b)));
  yield;
  const position = new Uint32Array(identities.length);
  for (const [place, identity] of identities.entries()) position[found.get(identity) ?? 0] = place;
  yield* inChunks(groupOf.length, (from, to) => {
    for (let row = from; row < to; row += 1) groupOf[row] = position[groupOf[row] ?? 0] ?? 0;
  });
  const keys = identities.map(
    (identity): GroupKey => (Number.isNaN(identity) ? { kind: 'value', value: null } : keyOf(identity)),
  );
  return { keys, groupOf };
}

type Compare = (a: number, b: number) => number;

const ascending: Compare = (a, b) => a - b;

/** As lists sort them: text by its folded form, by code point. */
function valueOrder(column: Column): Compare {
  if (column.storage !== 'text') return ascending;
  // Texts with the same folded form are in the order of their own.
  const keys = Array.from({ length: column.texts.count }, (_, code) => {
    const text = String(column.valueOf(code));
    return Buffer.from(`${fold(text)}\0${text}`);
  });
  return (a, b) => Buffer.compare(keys[a] ?? Buffer.of(), keys[b] ?? Buffer.of());
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
  return yield* assign(
    column,
    (number) => ranges.of(number),
    ascending,
    (range) => ({
      kind: 'range',
      from: finiteOrNone(ranges.edge(range)),
      to: finiteOrNone(ranges.edge(range + 1)),
    }),
  );
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

const DAY = 86_400_000;

/** In UTC. Weeks begin on Monday. */
function periodStart(time: number, period: Period): number {
  const midnight = Math.floor(time / DAY) * DAY;
  switch (period) {
    case 'day':
      return midnight;
    case 'week':
      return midnight - ((new Date(time).getUTCDay() + 6) % 7) * DAY;
    case 'month':
    case 'year': {
      const start = new Date(midnight);
      return start.setUTCMonth(period === 'year' ? 0 : start.getUTCMonth(), 1);
    }
  }
}

function periodEnd(start: number, period: Period): number {
  switch (period) {
    case 'day':
      return start + DAY;
    case 'week':
      return start + 7 * DAY;
    case 'month':
    case 'year': {
      const end = new Date(start);
      return end.setUTCMonth(end.getUTCMonth() + (period === 'year' ? 12 : 1));
    }
  }
}

/** After the last period there is no timestamp. */
function timestampOrNone(time: number): string | undefined {
  const text = new Date(time).toISOString();
  return text.startsWith('+') ? undefined : text;
}
