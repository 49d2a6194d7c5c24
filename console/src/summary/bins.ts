/** The bars of a histogram: the ranges that the service has counted, and the empty ones between them. */

import type { Value } from '../data/records.ts';
import type { RangeGroup } from './facet.ts';
import { nextPeriod, type Period } from './period.ts';
import { positionOf, type Range } from './selection.ts';

export interface Bin {
  /** Null if the range is open on that side. */
  readonly from: Value;
  readonly to: Value;
  readonly count: number;
  /** All that is beyond the other bins. It is not to scale. */
  readonly isTail?: true;
}

/** A gap of more empty bins than this is drawn as one. */
const MAX_BINS = 200;

/** From left to right, without gaps. `period` is that of timestamps. */
export function binsOf(groups: readonly RangeGroup[], period: Period | undefined): readonly Bin[] {
  const sorted = groups.toSorted((a, b) => startOf(a) - startOf(b));
  const bins: Bin[] = [];
  for (const { from, to, count } of sorted) {
    const end = bins.at(-1)?.to ?? null;
    if (end !== null && from !== null) bins.push(...emptyBins(end, from, period ?? widthOf(sorted), MAX_BINS));
    bins.push({ from, to, count });
  }
  return bins;
}

function emptyBins(from: Value, to: Value, step: Period | number, most: number): readonly Bin[] {
  const bins: Bin[] = [];
  for (let start = from; positionOf(start) < positionOf(to); ) {
    if (bins.length === most) return [{ from, to, count: 0 }];
    const end = typeof step === 'number' ? nextEdge(Number(start), step, Number(to)) : nextPeriod(String(start), step);
    bins.push({ from: start, to: end, count: 0 });
    start = end;
  }
  return bins;
}

/** The edges of ranges are multiples of their width. Sums of binary fractions are only nearly so. */
function nextEdge(start: number, width: number, last: number): number {
  const end = Number((Math.round(start / width + 1) * width).toPrecision(12));
  return end <= start || Math.abs(end - last) < width / 2 ? last : end;
}

function widthOf(groups: readonly RangeGroup[]): number {
  const closed = groups.find(({ from, to }) => from !== null && to !== null);
  return closed === undefined ? Number.POSITIVE_INFINITY : positionOf(closed.to) - positionOf(closed.from);
}

function startOf({ from }: RangeGroup): number {
  return from === null ? Number.NEGATIVE_INFINITY : positionOf(from);
}

/** A stretch of the axis, in bins: 0 is where the first one starts, and 1 where it ends. */
export type Stretch = readonly [from: number, to: number];

/** What a range covers of the axis. Undefined if that is nothing. */
export function stretchOf(bins: readonly Bin[], { from, to }: Range): Stretch | undefined {
  const stretch = [from === undefined ? 0 : placeOf(bins, from), to === undefined ? bins.length : placeOf(bins, to)];
  const [start = 0, end = 0] = stretch;
  return end > start ? [start, end] : undefined;
}

function placeOf(bins: readonly Bin[], position: number): number {
  const index = bins.findIndex(({ to }) => to === null || position < positionOf(to));
  const bin = bins[index];
  if (bin === undefined) return bins.length;
  const from = bin.from === null ? Number.NEGATIVE_INFINITY : positionOf(bin.from);
  const to = bin.to === null ? Number.POSITIVE_INFINITY : positionOf(bin.to);
  const share = Math.max(0, (position - from) / (to - from));
  return index + (Number.isFinite(share) ? share : 0);
}

/** The bins that a stretch touches, at least one. */
export function wholeBins(bins: readonly Bin[], [from, to]: Stretch): Stretch {
  const first = Math.max(0, Math.min(Math.floor(from), bins.length - 1));
  return [first, Math.max(first + 1, Math.min(Math.ceil(to), bins.length))];
}

export function countIn(bins: readonly Bin[], [from, to]: Stretch): number {
  return bins.slice(from, to).reduce((sum, { count }) => sum + count, 0);
}

/** Nearly all records have to be in a small part of the chart: then it is worth a chart of its own. */
const BODY_SHARE = 0.95;
const LARGEST_BODY = 1 / 6;

/** Where nearly all records are, if that is only a small part of the chart: the rest would be empty, and the body one bar. */
export function bodyOf(bins: readonly Bin[]): Stretch | undefined {
  const needed = countIn(bins, [0, bins.length]) * BODY_SHARE;
  const longest = Math.floor(bins.length * LARGEST_BODY);
  for (let length = 1; length <= longest; length += 1)
    for (let start = 0; start + length <= bins.length; start += 1)
      if (countIn(bins, [start, start + length]) >= needed) return extended(bins, [start, start + length], longest);
  return undefined;
}

/** Over bins beside it that are not empty, so that fewer records are beyond it. */
function extended(bins: readonly Bin[], [from, to]: Stretch, longest: number): Stretch {
  const isFilled = (index: number) => (bins[index]?.count ?? 0) > 0;
  if (to - from < longest && isFilled(to)) return extended(bins, [from, to + 1], longest);
  if (to - from < longest && isFilled(from - 1)) return extended(bins, [from - 1, to], longest);
  return [from, to];
}

/** Bins, and one more at either end that has all records below or above them. There are none in between. */
export function withTails(bins: readonly Bin[], below: readonly Bin[], above: readonly Bin[]): readonly Bin[] {
  const tail = (parts: readonly Bin[], from: Value, to: Value): readonly Bin[] => {
    const count = countIn(parts, [0, parts.length]);
    return count === 0 ? [] : [{ from, to, count, isTail: true }];
  };
  return [
    ...tail(below, below.at(0)?.from ?? null, bins.at(0)?.from ?? null),
    ...bins,
    ...tail(above, bins.at(-1)?.to ?? null, above.at(-1)?.to ?? null),
  ];
}
