/** Dates as sheets have them, a number of days, as ISO 8601 without a time zone. */

const DAY = 86_400_000;

export interface DateSystem {
  /** Whether days are counted from 1904-01-01, as Excel on the Macintosh did, and not from 1900. */
  readonly is1904: boolean;
}

export type SerialDate =
  /** `2024-03-01`, or `2024-03-01T10:20:30` if it is not midnight. */
  | { readonly kind: 'date'; readonly text: string }
  /** `10:20:30`. */
  | { readonly kind: 'time'; readonly text: string };

/** 9999-12-31, the last day that Excel shows. */
const LAST = Date.UTC(9999, 11, 31) + DAY - 1;

/** Undefined if it is not a date, although it is formatted as one: before the first day, or after the last. */
export function dateOf(serial: number, format: SerialDate['kind'], { is1904 }: DateSystem): SerialDate | undefined {
  const time = rounded(serial * DAY);
  if (serial < 0 || !Number.isFinite(serial)) return undefined;
  if (time < DAY && (format === 'time' || (!is1904 && time > 0))) {
    return { kind: 'time', text: timeIn(new Date(time).toISOString()) };
  }
  const date = is1904 ? Date.UTC(1904, 0, 1) + time : from1900(time);
  if (date === undefined || date > LAST) return undefined;
  return { kind: 'date', text: isoDate(new Date(date)) };
}

/** 1 is 1900-01-01. To be compatible with Lotus 1-2-3, Excel counts a day that did not exist, 1900-02-29, which is 60. */
function from1900(time: number): number | undefined {
  const day = Math.floor(time / DAY);
  if (day < 1 || day === 60) return undefined;
  return Date.UTC(1899, 11, day < 60 ? 31 : 30) + time;
}

/** A fraction of a day with ten digits, as our exports have it, is a whole millisecond but for this part of one. */
const EXACT = 0.01;

/** To milliseconds; to a second if it is about one millisecond off, since programs write the fraction of a day with few digits. */
function rounded(time: number): number {
  const milliseconds = Math.round(time);
  const seconds = Math.round(time / 1000) * 1000;
  const isExact = Math.abs(time - milliseconds) < EXACT;
  return !isExact && Math.abs(milliseconds - seconds) <= 1 ? seconds : milliseconds;
}

const ISO = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d)?(?:\.(\d{1,9}))?)?Z?$/;

/** A cell may also have the date as text, with a type of its own. Undefined if it is not one. */
export function dateOfText(text: string): SerialDate | undefined {
  const [, day, minutes = '00:00', seconds = ':00', fraction = '0'] = ISO.exec(text) ?? [];
  if (day === undefined) return undefined;
  const iso = `${day}T${minutes}${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const date = new Date(iso);
  // February 30 would become March 1.
  if (Number.isNaN(date.getTime()) || date.toISOString() !== iso) return undefined;
  return { kind: 'date', text: isoDate(date) };
}

function isoDate(date: Date): string {
  const iso = date.toISOString();
  return date.getTime() % DAY === 0 ? iso.slice(0, 10) : `${iso.slice(0, 11)}${timeIn(iso)}`;
}

/** `10:20:30` for `2024-03-01T10:20:30.000Z`. */
function timeIn(iso: string): string {
  return iso.endsWith('.000Z') ? iso.slice(11, 19) : iso.slice(11, -1);
}
