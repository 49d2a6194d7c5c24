/** The bins of a histogram in words. */

import type { Value } from '../data/records.ts';
import { formatValue } from '../format/values.ts';
import type { Bin } from './bins.ts';
import { formatPeriod, type Period } from './period.ts';
import { positionOf } from './selection.ts';

export interface BinWords {
  /** Where the chart begins if this is its first bin, and where it ends if it is the last. */
  readonly first: (bin: Bin) => string;
  readonly last: (bin: Bin) => string;
  /** From the start of one bin to the end of another. */
  readonly between: (first: Bin, last: Bin) => string;
}

/** With a period, bins are named after their first and last day, month or year. */
export function binWords(period: Period | undefined): BinWords {
  const at = (value: Value) =>
    period === undefined ? formatValue(value, 'number') : formatPeriod(String(value), period);
  // A period ends before the next one starts.
  const upTo = (value: Value) => at(period === undefined ? value : new Date(positionOf(value) - 1).toISOString());
  return {
    // What is beyond the other bins has no end that is worth mentioning.
    first: ({ from, to, isTail }) => (from === null || isTail ? `< ${at(to)}` : at(from)),
    last: ({ from, to, isTail }) => (to === null || isTail ? `≥ ${at(from)}` : upTo(to)),
    between: ({ from }, { to }) => {
      if (from === null) return `< ${at(to)}`;
      if (to === null) return `≥ ${at(from)}`;
      return at(from) === upTo(to) ? at(from) : `${at(from)} – ${upTo(to)}`;
    },
  };
}
