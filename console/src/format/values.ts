/** Values as people read them, in the reader's locale. */

import type { Field } from '../../../src/catalog/resource.ts';
import { type ValueType, valueTypes } from '../../../src/catalog/value-types.ts';
import type { Value } from '../data/records.ts';
import { localPartsOf } from './local-time.ts';
import { wordFor } from './word-for.ts';

const integers = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
/** More are noise. */
const MAX_DECIMALS = 6;
const SCIENTIFIC_DECIMALS = 4;
/** By the number of decimals that a number has at least, and the currency. */
const numbers = new Map<string, Intl.NumberFormat>();
const scientific = new Intl.NumberFormat(undefined, {
  notation: 'scientific',
  maximumFractionDigits: SCIENTIFIC_DECIMALS,
});
const percents = new Intl.NumberFormat(undefined, { style: 'percent' });
const until = new Intl.RelativeTimeFormat();
const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** A value of a field. The currency is that of the account, or null. */
export function formatField(value: Value, { type, kind, decimals }: Field, currency: string | null): string {
  return formatValue(value, type, decimals, kind === 'money' ? currency : null);
}

/** `decimals` is the minimum number of decimals of a number. Amounts in a currency have those of the currency. */
export function formatValue(value: Value, type: ValueType, decimals = 0, currency: string | null = null): string {
  const word = wordFor(value);
  if (word !== undefined) return word;
  const { storage } = valueTypes[type];
  if (storage === 'timestamp') return formatTime(String(value));
  // Identifiers are not amounts: 1,234 is not how anybody would write one.
  if (storage === 'integer') return String(value);
  if (typeof value !== 'number') return String(value);
  return (isReadable(value) ? numbersWith(decimals, currency) : scientific).format(value);
}

function numbersWith(decimals: number, currency: string | null): Intl.NumberFormat {
  const key = currency ?? String(decimals);
  const known = numbers.get(key);
  if (known !== undefined) return known;
  const options: Intl.NumberFormatOptions =
    currency === null
      ? { minimumFractionDigits: decimals }
      : { style: 'currency', currency, currencyDisplay: 'narrowSymbol' };
  const created = new Intl.NumberFormat(undefined, { ...options, maximumFractionDigits: MAX_DECIMALS });
  numbers.set(key, created);
  return created;
}

/** The number as the API has it, if it is shown with fewer digits. Undefined for everything else. */
export function roundedFrom(value: Value | undefined, type: ValueType): string | undefined {
  if (typeof value !== 'number' || valueTypes[type].storage !== 'real') return undefined;
  const shown = isReadable(value) ? value.toFixed(MAX_DECIMALS) : value.toExponential(SCIENTIFIC_DECIMALS);
  return Number(shown) === value ? undefined : String(value);
}

/** Others would have hundreds of digits, or none that matter. */
function isReadable(number: number): boolean {
  const size = Math.abs(number);
  return size === 0 || (size >= 1e-6 && size < 1e15);
}

/** In days, hours or minutes, such as `in 9 days`. */
export function formatTimeUntil(time: string): string {
  const minutes = Math.max(0, Math.floor((Date.parse(time) - Date.now()) / 60_000));
  if (minutes >= 24 * 60) return until.format(Math.floor(minutes / (24 * 60)), 'day');
  return minutes >= 60 ? until.format(Math.floor(minutes / 60), 'hour') : until.format(minutes, 'minute');
}

export function formatCount(count: number): string {
  return integers.format(count);
}

function formatTime(timestamp: string): string {
  return times.format(new Date(timestamp));
}

const ago = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** What is longer ago, in days, has a date. */
const RECENT = 7;

/** `5 minutes ago`, and the date if it is longer ago. `now` is in milliseconds. */
export function formatMoment(timestamp: string, now: number): string {
  return recentWords(timestamp, now) ?? dates.format(new Date(timestamp));
}

/** `5 minutes ago`, `yesterday`. Undefined if it is not recent. */
export function recentWords(timestamp: string, now: number): string | undefined {
  const time = Date.parse(timestamp);
  const passed = now - time;
  // A clock may be a little ahead of another.
  if (Math.abs(passed) < MINUTE) return ago.format(0, 'second');
  if (Math.abs(passed) < HOUR) return ago.format(-Math.trunc(passed / MINUTE), 'minute');
  const days = Math.round((startOfDate(now) - startOfDate(time)) / DAY);
  if (days === 0) return ago.format(-Math.trunc(passed / HOUR), 'hour');
  return Math.abs(days) < RECENT ? ago.format(-days, 'day') : undefined;
}

/** Of the reader's calendar, as if all days had 24 hours. */
function startOfDate(time: number): number {
  const date = new Date(time);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
}

const day = { year: 'numeric', month: 'short', day: 'numeric', timeZoneName: 'short' } as const;
const minutes = { ...day, hour: 'numeric', minute: '2-digit' } as const;
const seconds = { ...minutes, second: '2-digit' } as const;
const timesWithZone = new Intl.DateTimeFormat(undefined, minutes);
const secondsWithZone = new Intl.DateTimeFormat(undefined, seconds);
const millisecondsWithZone = new Intl.DateTimeFormat(undefined, { ...seconds, fractionalSecondDigits: 3 });

const calendarDays = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** A day of the calendar: `2026-06-23`. */
export function formatDay(date: string): string {
  return calendarDays.format(new Date(`${date}T00:00Z`));
}

/** For a time that has nothing around it to tell in which time zone it is. */
export function formatTimeWithZone(timestamp: string): string {
  return timesWithZone.format(new Date(timestamp));
}

/** With seconds and milliseconds, unless they are zero. */
export function formatExactTime(timestamp: string): string {
  const date = new Date(timestamp);
  if (date.getMilliseconds() !== 0) return millisecondsWithZone.format(date);
  return (date.getSeconds() === 0 ? timesWithZone : secondsWithZone).format(date);
}

/** The same, but the start of a day is the day alone, which needs no time zone: it is the reader's. */
export function formatDayOrTime(timestamp: string): string {
  const isDay = localPartsOf(timestamp)?.isStartOfDay === true;
  return isDay ? dates.format(new Date(timestamp)) : formatExactTime(timestamp);
}

/** A sentence of the service, with its times as the reader writes them. */
export function withLocalTimes(sentence: string): string {
  return sentence.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, formatTimeWithZone);
}

const bytes = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'byte', unitDisplay: 'long' });
const megabytes = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 });
const kilobytes = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'kilobyte', maximumFractionDigits: 1 });

export function formatBytes(count: number): string {
  if (count >= 1_000_000) return megabytes.format(count / 1_000_000);
  return count < 1_000 ? bytes.format(count) : kilobytes.format(count / 1_000);
}

const milliseconds = new Intl.NumberFormat(undefined, {
  style: 'unit',
  unit: 'millisecond',
  maximumSignificantDigits: 3,
});

export function formatMilliseconds(duration: number): string {
  return milliseconds.format(duration);
}

export function countOf(count: number, singular: string, plural: string): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

export function formatPercent(share: number): string {
  return percents.format(share);
}
