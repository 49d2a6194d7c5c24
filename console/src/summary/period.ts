/** The periods by which timestamps are grouped, in UTC. */

import type { Period } from '../../../src/plan/plan.ts';

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
  return `${field}:${period}`;
}

/** The end of the period that starts at `start`. */
export function nextPeriod(start: string, period: Period): string {
  const date = new Date(start);
  if (period === 'day') date.setUTCDate(date.getUTCDate() + 1);
  else if (period === 'week') date.setUTCDate(date.getUTCDate() + 7);
  else if (period === 'month') date.setUTCMonth(date.getUTCMonth() + 1);
  else date.setUTCFullYear(date.getUTCFullYear() + 1);
  return date.toISOString();
}

const FORMATS: Readonly<Record<Period, Intl.DateTimeFormatOptions>> = {
  day: { year: 'numeric', month: 'short', day: 'numeric' },
  week: { year: 'numeric', month: 'short', day: 'numeric' },
  month: { year: 'numeric', month: 'short' },
  year: { year: 'numeric' },
};

export function formatPeriod(start: string, period: Period): string {
  return new Intl.DateTimeFormat(undefined, { ...FORMATS[period], timeZone: 'UTC' }).format(new Date(start));
}
