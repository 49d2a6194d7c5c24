/** Dates as people and spreadsheets write them: `01.03.2024`, `2024-03-01 10:20:30`, `20240301`. Times that name no zone are those of one that is chosen. */

import { readTimestamp } from '../catalog/timestamp.ts';

/** Where day, month and year are: `DD.MM.YYYY`. */
export interface DatePattern {
  readonly text: string;
  readonly form: RegExp;
}

const PARTS = { DD: '(?<day>\\d{1,2})', MM: '(?<month>\\d{1,2})', YYYY: '(?<year>\\d{4})' } as const;
const TIME = '(?:[T ]+(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2})(?:[.,]\\d+)?)?)?';

/** Undefined unless it names day, month and year once each, with something between them. */
export function datePattern(text: string): DatePattern | undefined {
  const match = /^(DD|MM|YYYY)([./ -]+)(DD|MM|YYYY)([./ -]+)(DD|MM|YYYY)$/.exec(text);
  if (match === null) return undefined;
  const parts = match.filter((_, index) => index % 2 === 1);
  if (new Set(parts).size !== 3) return undefined;
  const source = text.replaceAll(/[./ -]/g, '\\$&').replaceAll(/DD|MM|YYYY/g, (part) => PARTS[partNamed(part)]);
  return { text, form: new RegExp(`^${source}${TIME}$`) };
}

function partNamed(part: string): keyof typeof PARTS {
  return part === 'DD' || part === 'MM' ? part : 'YYYY';
}

/** What people use. A point is only used with the day first, and a year only comes first with the month after it. */
const COMMON: readonly DatePattern[] = [
  'YYYY-MM-DD',
  'YYYY/MM/DD',
  'YYYY.MM.DD',
  'DD.MM.YYYY',
  'DD/MM/YYYY',
  'MM/DD/YYYY',
  'DD-MM-YYYY',
  'MM-DD-YYYY',
].flatMap((text) => datePattern(text) ?? []);

/** The patterns by which a text is a date that exists. */
export function patternsOf(text: string): readonly DatePattern[] {
  return COMMON.filter((pattern) => byPattern(text.trim(), pattern) !== undefined);
}

const BASIC = /^(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})?(Z|[+-]\d{2}:?\d{2})?)?$/;
const SPACED = /^(\d{4}-\d{2}-\d{2}) +(?=\d)/;
const ZONED = /(?:Z|[+-]\d{2}(?::?\d{2})?)$/;

/** The canonical form of a timestamp; undefined if it is none, or has none in the zone. */
export function readDate(
  text: string,
  pattern: DatePattern | undefined,
  timezone: string | undefined,
): string | undefined {
  // Most are in canonical form already.
  const exact = timezone === undefined || text.endsWith('Z') ? readTimestamp(text) : undefined;
  if (exact !== undefined) return exact;
  const trimmed = text.trim();
  const iso =
    (pattern && byPattern(trimmed, pattern)) ??
    trimmed
      .replace(BASIC, (_, year, month, day, hour, minute = '00', second = '00', zone = '') =>
        hour === undefined ? `${year}-${month}-${day}` : `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`,
      )
      .replace(SPACED, '$1T')
      .replace(/ (?=[+-]\d{2}:?\d{2}$)/, '');
  const canonical = readTimestamp(iso);
  if (canonical === undefined || timezone === undefined || (iso.includes('T') && ZONED.test(iso))) return canonical;
  return inZone(canonical, timezone);
}

function byPattern(text: string, { form }: DatePattern): string | undefined {
  const { year, month = '', day = '', hour = '0', minute = '00', second = '00' } = form.exec(text)?.groups ?? {};
  if (year === undefined) return undefined;
  const [mm, dd, hh] = [month, day, hour].map((part) => part.padStart(2, '0'));
  const iso = `${year}-${mm}-${dd}T${hh}:${minute}:${second}`;
  return readTimestamp(iso) === undefined ? undefined : iso;
}

export function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** `local` is what a clock in the zone shows, written as if it were UTC. In the hour that comes twice, the first; undefined in the hour that doesn't come. */
function inZone(local: string, timezone: string): string | undefined {
  const shown = Date.parse(local);
  const dayBefore = offsetAt(shown - DAY, timezone);
  const dayAfter = offsetAt(shown + DAY, timezone);
  const time = [shown - Math.max(dayBefore, dayAfter), shown - Math.min(dayBefore, dayAfter)].find(
    (candidate) => candidate + offsetAt(candidate, timezone) === shown,
  );
  return time === undefined ? undefined : readTimestamp(new Date(time).toISOString());
}

const DAY = 86_400_000;

/** How far the clocks of a zone are ahead of UTC, in milliseconds. */
function offsetAt(time: number, timezone: string): number {
  const parts = formatterOf(timezone).formatToParts(time);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  const shown = new Date(0);
  shown.setUTCFullYear(part('year'), part('month') - 1, part('day'));
  shown.setUTCHours(part('hour'), part('minute'), part('second'), new Date(time).getUTCMilliseconds());
  return shown.getTime() - time;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** One takes a tenth of a millisecond to make, and there are few zones. */
function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (formatter === undefined) {
    const numeric = 'numeric' as const;
    const date = { year: numeric, month: numeric, day: numeric } as const;
    const time = { hour: numeric, minute: numeric, second: numeric, hourCycle: 'h23' } as const;
    formatter = new Intl.DateTimeFormat('en-US', { ...date, ...time, timeZone, calendar: 'iso8601' });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}
