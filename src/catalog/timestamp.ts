/**
 * Points in time, to the millisecond, in UTC, from the year 1 to 9999.
 *
 *     readTimestamp('2026-01-31')                = '2026-01-31T00:00:00.000Z'
 *     readTimestamp('2026-01-31T09:30')          = '2026-01-31T09:30:00.000Z'
 *     readTimestamp('2026-01-31T09:30:00+02:00') = '2026-01-31T07:30:00.000Z'
 *
 * The written form sorts as the time does, so it is also the form in which times are compared.
 */

const FORM =
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})T(?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d+))?)?(?<offset>Z|[+-]\d{2}(?::?\d{2})?)?$/;

const DAY_LENGTH = 'yyyy-mm-dd'.length;

const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/** The written form of a date or timestamp in ISO 8601, or nothing where the text is none. It is cut to the millisecond. */
export function readTimestamp(text: string): string | undefined {
  // Most are written so already, or are days, and an import reads millions of them.
  const written = text.length === DAY_LENGTH ? `${text}T00:00:00.000Z` : text;
  if (isWritten(written)) return written;
  const parts = FORM.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const { year = '', month = '', day = '', hour = '', minute = '', second = '00', fraction = '', offset = 'Z' } = parts;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const time = Date.parse(local);
  // Date.parse takes 24:00 and, on some days, the 30th and 31st of shorter months for the day after.
  if (Number.isNaN(time) || new Date(time).toISOString() !== local) return undefined;
  const shift = offsetInMinutes(offset);
  if (shift === undefined) return undefined;
  const utc = time - shift * 60_000;
  return utc >= EARLIEST && utc <= LATEST ? new Date(utc).toISOString() : undefined;
}

/** Whether something was lost when it was cut. */
export function isFinerThanStored(text: string): boolean {
  return /[.,]\d{3}\d*[1-9]/.test(text);
}

function offsetInMinutes(offset: string): number | undefined {
  if (offset === 'Z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(3).replace(':', '') || '0');
  if (hours > 23 || minutes > 59) return undefined;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

const WRITTEN = /^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether the text is a time in the written form, on a day that there was. */
function isWritten(text: string): boolean {
  if (!WRITTEN.test(text)) return false;
  const [year, month, day, hour] = [number(text, 0, 4), number(text, 5, 2), number(text, 8, 2), number(text, 11, 2)];
  const days = month === 2 && isLeap(year) ? 29 : (DAYS[month - 1] ?? 0);
  return year >= 1 && day >= 1 && day <= days && hour <= 23;
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** The number that so many digits from a place on write. */
function number(text: string, at: number, digits: number): number {
  let value = 0;
  for (let place = at; place < at + digits; place += 1) value = value * 10 + text.charCodeAt(place) - 48;
  return value;
}
