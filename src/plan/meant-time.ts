/** Times as people write them that a filter does not accept: `yesterday`, `7 days ago`, `2025`. */

import type { ValueSymbol } from '../filter/operators.ts';

const DAY = 86_400_000;

const WORDS: ReadonlyMap<string, number> = new Map([
  ['yesterday', -1],
  ['today', 0],
  ['tomorrow', 1],
]);

const UNITS: ReadonlyMap<string, number> = new Map([
  ['h', DAY / 24],
  ['d', DAY],
  ['w', 7 * DAY],
]);

/** In the form that a filter takes: a day, unless it is about hours. With `=` and `!=`, a year or a month stays what it is: it is a range. */
// biome-ignore lint/plugin: A plan runs in browsers as well, and only suggests the time.
export function meantTime(text: string, operator: ValueSymbol, now = Date.now()): string | undefined {
  const word = text.trim().toLowerCase();
  const days = WORDS.get(word);
  if (days !== undefined) return dayAt(now + days * DAY);
  if (/^now(?:\(\))?$/.test(word)) return timeAt(now);
  const [, count, unit = ''] =
    /^(?:now(?:\(\))?|today)? *- *(\d{1,5}) *(h|d|w)[a-z]*$/.exec(word) ??
    /^(?:last *)?(\d{1,5}) *(h|d|w)[a-z]*(?: ago)?$/.exec(word) ??
    [];
  const length = UNITS.get(unit);
  if (length !== undefined) return (length < DAY ? timeAt : dayAt)(now - Number(count) * length);
  if (operator === '=' || operator === '!=') return undefined;
  return periodOf(word)?.from;
}

export interface Period {
  readonly from: string;
  readonly until: string;
}

/** The first day of a year, a month or a day, and the first one after it. */
export function periodOf(text: string): Period | undefined {
  const [, year, month, day] = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(text) ?? [];
  if (year === undefined || Number(year) < 100 || Number(year) === 9999) return undefined;
  const from = Date.UTC(Number(year), month === undefined ? 0 : Number(month) - 1, day === undefined ? 1 : Number(day));
  const start = new Date(from);
  // A day that the month does not have is in another one.
  if (month !== undefined && start.getUTCMonth() !== Number(month) - 1) return undefined;
  if (day !== undefined) return { from: dayAt(from), until: dayAt(from + DAY) };
  const [nextYear, nextMonth] = month === undefined ? [Number(year) + 1, 0] : [Number(year), Number(month)];
  return { from: dayAt(from), until: dayAt(Date.UTC(nextYear, nextMonth, 1)) };
}

function timeAt(time: number): string {
  return new Date(time).toISOString();
}

function dayAt(time: number): string {
  return timeAt(time).slice(0, 'yyyy-mm-dd'.length);
}
