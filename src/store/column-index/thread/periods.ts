/**
 * Days, weeks, months and years, in UTC or in a time zone. Weeks begin on Monday. A period begins with the first moment of its first
 * day, which may have 23 or 25 hours.
 */

import type { Period } from '../../../plan/plan.ts';
import { BLOCK_ROWS } from './column.ts';
import { NO_CODE, quotientCodes } from './wasm/codes.ts';

/** When periods begin and end. Times are in milliseconds. */
export interface Periods {
  /** See `codes.ts`: times with the same code are in the same period. Valid until the next call. */
  codesOf(times: Float64Array): Uint32Array;
  /** When the period of a time begins, and that of the times with a code. */
  startOf(time: number): number;
  startOfCode(code: number): number;
  /** When the period that begins at `start` ends. */
  endOf(start: number): number;
}

export function periodsOf(period: Period, zone: string | undefined): Periods {
  return zone === undefined ? new UtcPeriods(period) : new ZonePeriods(period, zone);
}

const DAY = 86_400_000;

/** Days from here on, for 179 years, have codes. */
const FIRST_CODED_DAY = Date.UTC(1900, 0, 1) / DAY;

class UtcPeriods implements Periods {
  readonly #period: Period;

  constructor(period: Period) {
    this.#period = period;
  }

  codesOf(times: Float64Array): Uint32Array {
    return quotientCodes(times, DAY, FIRST_CODED_DAY);
  }

  startOf(time: number): number {
    return periodStart(time, this.#period);
  }

  startOfCode(code: number): number {
    return this.startOf((FIRST_CODED_DAY + code) * DAY);
  }

  endOf(start: number): number {
    return periodEnd(start, this.#period);
  }
}

/** A part of a day in UTC that is in one period. */
interface Stretch {
  readonly end: number;
  readonly start: number;
}

const NO_CODES = new Uint32Array(BLOCK_ROWS).fill(NO_CODE);

/** What clocks show is computed as if it were UTC, and then found in time. */
class ZonePeriods implements Periods {
  readonly #period: Period;
  readonly #zone: TimeZone;
  /** By day in UTC, which has parts of two days or three. */
  readonly #stretches = new Map<number, readonly Stretch[]>();
  #last: { readonly day: number; readonly stretches: readonly Stretch[] } = { day: Number.NaN, stretches: [] };

  constructor(period: Period, zone: string) {
    this.#period = period;
    this.#zone = new TimeZone(zone);
  }

  codesOf(times: Float64Array): Uint32Array {
    return NO_CODES.subarray(0, times.length);
  }

  startOf(time: number): number {
    const day = Math.floor(time / DAY);
    if (day !== this.#last.day) this.#last = { day, stretches: this.#stretchesOf(day) };
    return this.#last.stretches.find(({ end }) => time < end)?.start ?? Number.NaN;
  }

  startOfCode(): number {
    throw new Error('times have no codes');
  }

  endOf(start: number): number {
    return this.#zone.instantOf(periodEnd(midnightOf(this.#zone.wallClock(start)), this.#period));
  }

  #stretchesOf(day: number): readonly Stretch[] {
    const known = this.#stretches.get(day);
    if (known !== undefined) return known;
    const found: Stretch[] = [];
    for (let time = day * DAY; time < (day + 1) * DAY; time = found.at(-1)?.end ?? Number.NaN) {
      let midnight = midnightOf(this.#zone.wallClock(time));
      let end = this.#zone.instantOf(midnight + DAY);
      // A few zones have turned clocks back to the day before, just after midnight.
      while (end <= time) {
        midnight += DAY;
        end = this.#zone.instantOf(midnight + DAY);
      }
      found.push({ end, start: this.#zone.instantOf(periodStart(midnight, this.#period)) });
    }
    this.#stretches.set(day, found);
    return found;
  }
}

/** No zone has changed its offset twice within a week. So if it is equal at both ends of a cell, it is the same in between. */
const CELL = 4 * DAY;

/** Before the first change of any zone. */
const EARLIEST = Date.UTC(1800, 0, 1);

/** From some time on, changes follow rules, which repeat with the calendar: after 400 years. */
const REPEATED_FROM = Date.UTC(2100, 0, 1);
const REPEATED_AFTER = 146_097 * DAY;

/** How far clocks are from UTC. Formatting a time takes microseconds, so it is done once for many of them. */
class TimeZone {
  readonly #format: Intl.DateTimeFormat;
  /** At the start of a cell. At most 64,000 of them, which take a tenth of a second. */
  readonly #offsets = new Map<number, number>();

  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, hour: 'numeric', timeZoneName: 'longOffset' });
  }

  wallClock(time: number): number {
    return time + this.#offsetAt(time);
  }

  /** The first time at which clocks show this. If they skip it, the time at which they do. */
  instantOf(wallClock: number): number {
    const [before, after] = [this.#offsetAt(wallClock - DAY), this.#offsetAt(wallClock + DAY)];
    if (before === after) return wallClock - before;
    const times = [wallClock - before, wallClock - after].filter((time) => this.wallClock(time) === wallClock);
    return times.length === 0 ? wallClock - before : Math.min(...times);
  }

  #offsetAt(time: number): number {
    const similar =
      time < REPEATED_FROM ? Math.max(time, EARLIEST) : REPEATED_FROM + ((time - REPEATED_FROM) % REPEATED_AFTER);
    const cell = Math.floor(similar / CELL);
    const offset = this.#offsetOf(cell);
    return offset === this.#offsetOf(cell + 1) ? offset : this.#read(similar);
  }

  #offsetOf(cell: number): number {
    const known = this.#offsets.get(cell);
    if (known !== undefined) return known;
    const offset = this.#read(cell * CELL);
    this.#offsets.set(cell, offset);
    return offset;
  }

  /** `GMT`, `GMT-07:00`, and for times before clocks were standardized `GMT-07:52:58`. */
  #read(time: number): number {
    const text = this.#format.format(time);
    const [, sign, hours = '0', minutes = '0', seconds = '0'] = /([+-])(\d+):(\d+)(?::(\d+))?$/.exec(text) ?? [];
    const offset = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
    return sign === '-' ? -offset : offset;
  }
}

function midnightOf(wallClock: number): number {
  return Math.floor(wallClock / DAY) * DAY;
}

function periodStart(time: number, period: Period): number {
  const midnight = midnightOf(time);
  switch (period) {
    case 'day':
      return midnight;
    case 'week':
      return midnight - ((new Date(time).getUTCDay() + 6) % 7) * DAY;
    case 'month':
    case 'year': {
      const start = new Date(midnight);
      return start.setUTCMonth(period === 'year' ? 0 : start.getUTCMonth(), 1);
    }
  }
}

function periodEnd(start: number, period: Period): number {
  switch (period) {
    case 'day':
      return start + DAY;
    case 'week':
      return start + 7 * DAY;
    case 'month':
    case 'year': {
      const end = new Date(start);
      return end.setUTCMonth(end.getUTCMonth() + (period === 'year' ? 12 : 1));
    }
  }
}
