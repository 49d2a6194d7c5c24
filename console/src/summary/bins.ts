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
