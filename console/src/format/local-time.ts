/**
 * Days and times in the reader's time zone, and the points in time that they are. A day begins when its first second does: it
 * may have 23 or 25 hours, and need not begin at midnight.
 *
 *     in Los Angeles    startOfDay('2026-06-23') = '2026-06-23T07:00Z'    instantsOf('2026-11-01T01:30') has two
 */

import { meantTimestamp, readTimestamp } from '../../../src/catalog/timestamp.ts';

/** A day, or a day and a time, without a time zone. */
export type LocalTime =
  | { readonly kind: 'day'; readonly day: string }
  /** Several if clocks are turned back over it. One that clocks skip is as much later as they are turned forward. */
  | { readonly kind: 'time'; readonly instants: readonly string[] };

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const ZONE = /(?:Z|[+-]\d{2}(?::?\d{2})?)$/;

/** What somebody has typed or chosen: `2026-01-31`, `31.1.2026 9:30`. It may name its time zone. Undefined if it is neither. */
export function readLocalTime(text: string): LocalTime | undefined {
  const full = withFullHour(text.trim());
  const written = readTimestamp(full) === undefined ? meantTimestamp(full) : full;
  if (written === undefined) return undefined;
  if (DAY.test(written)) return { kind: 'day', day: written };
  if (ZONE.test(written)) return { kind: 'time', instants: [printInstant(Date.parse(readTimestamp(written) ?? ''))] };
  return { kind: 'time', instants: instantsOf(written.replace(',', '.')) };
}

/** The API requires two digits. */
function withFullHour(text: string): string {
  return text.replace(/([ T])(\d:\d{2})/, '$10$2');
}

/** The first moment of a day, as the API writes it. */
export function startOfDay(day: string): string {
  return printInstant(startOf(day, 0));
}

/** The first moment of the day after. */
export function endOfDay(day: string): string {
  return printInstant(startOf(day, 1));
}

/** The day so many days later, or earlier. */
export function dayAfter(day: string, days: number): string {
  const date = new Date(`${day}T00:00Z`);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 'yyyy-mm-dd'.length);
}

/** A point in time as the reader's clock and calendar show it. */
export interface LocalParts {
  readonly day: string;
  /** `09:30:00.000`. */
  readonly time: string;
  readonly isStartOfDay: boolean;
}

/** Undefined if the API does not read the text as a point in time. */
export function localPartsOf(instant: string): LocalParts | undefined {
  const timestamp = readTimestamp(instant);
  if (timestamp === undefined) return undefined;
  const date = new Date(timestamp);
  const [day = '', time = ''] = localText(date).split('T');
  return { day, time, isStartOfDay: startOf(day, 0) === date.getTime() };
}

export function today(now = new Date()): string {
  return localText(now).slice(0, 'yyyy-mm-dd'.length);
}

/** Such as `Europe/Berlin`. */
export function timeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The shortest form in which the API reads the same point in time. A date alone is its first moment in UTC. */
export function printInstant(time: number): string {
  const text = Number.isNaN(new Date(time).getTime()) ? '' : new Date(time).toISOString();
  return text.replace(/T00:00:00\.000Z$/, '').replace(/(?<=T\d{2}:\d{2}):00\.000Z$|\.000Z$/, 'Z');
}

function instantsOf(local: string): readonly string[] {
  const asUtc = Date.parse(`${local}Z`);
  // No zone changes its clocks twice within two days.
  const offsets = [-1, 1].map((days) => offsetAt(asUtc + days * 86_400_000));
  const found = offsets
    .map((offset) => asUtc + offset)
    .filter((time) => Date.parse(`${localText(new Date(time))}Z`) === asUtc);
  const times = found.length === 0 ? [Date.parse(local)] : [...new Set(found)].sort((a, b) => a - b);
  return times.map(printInstant);
}

/** How much later UTC is, in milliseconds. Not in minutes: before they were standardized, times differed by seconds as well. */
function offsetAt(time: number): number {
  return time - Date.parse(`${localText(new Date(time))}Z`);
}

function startOf(day: string, daysLater: number): number {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const start = new Date(2000, 0, 1);
  // The constructor takes years before 100 for those of the last century.
  start.setFullYear(year, month - 1, date + daysLater);
  return start.getTime();
}

/** `2026-06-23T00:00:00.000`, in the reader's time zone. */
function localText(date: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const day = [String(date.getFullYear()).padStart(4, '0'), two(date.getMonth() + 1), two(date.getDate())].join('-');
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
  return `${day}T${time}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}
