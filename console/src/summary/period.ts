/** The periods by which timestamps are grouped, in the reader's time zone. */

import type { Period } from '../../../src/plan/plan.ts';
import { localPartsOf, startOfDay, timeZone } from '../format/local-time.ts';

export type { Period };

const DAY = 86_400_000;

/** As many bars as fit side by side. */
const MAX_PERIODS = 62;

/** Lower bounds, so that there are never more bars than that. */
const LENGTHS: readonly (readonly [Period, number])[] = [
  ['day', DAY],
  ['week', 7 * DAY],
  ['month', 28 * DAY],
];

/** The shortest period that does not make too many bars. */
export function periodFor(from: number, to: number): Period {
  return LENGTHS.find(([, length]) => (to - from) / length <= MAX_PERIODS)?.[0] ?? 'year';
}

/** As it is written in a request. */
export function periodFacet(field: string, period: Period): string {
  return timeZone() === 'UTC' ? `${field}:${period}` : `${field}:${period}@${timeZone()}`;
}

/** The end of the period that starts at `start`. */
export function nextPeriod(start: string, period: Period): string {
  // The calendar is the same everywhere.
  const date = new Date(localPartsOf(start)?.day ?? start);
  if (period === 'day') date.setUTCDate(date.getUTCDate() + 1);
  else if (period === 'week') date.setUTCDate(date.getUTCDate() + 7);
  else if (period === 'month') date.setUTCMonth(date.getUTCMonth() + 1);
  else date.setUTCFullYear(date.getUTCFullYear() + 1);
  return new Date(startOfDay(date.toISOString().slice(0, 'yyyy-mm-dd'.length))).toISOString();
}

const FORMATS: Readonly<Record<Period, Intl.DateTimeFormatOptions>> = {
  day: { year: 'numeric', month: 'short', day: 'numeric' },
  week: { year: 'numeric', month: 'short', day: 'numeric' },
  month: { year: 'numeric', month: 'short' },
  year: { year: 'numeric' },
};

export function formatPeriod(start: string, period: Period): string {
  return new Intl.DateTimeFormat(undefined, FORMATS[period]).format(new Date(start));
}
