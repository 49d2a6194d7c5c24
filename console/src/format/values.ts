/** Values as people read them, in the reader's locale. */

import type { ValueType } from '../../../src/catalog/value-types.ts';
import type { Value } from '../data/records.ts';
import { wordFor } from './word-for.ts';

const integers = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const numbers = new Intl.NumberFormat(undefined, { maximumFractionDigits: 6 });
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const scientific = new Intl.NumberFormat(undefined, { notation: 'scientific', maximumFractionDigits: 4 });
const percents = new Intl.NumberFormat(undefined, { style: 'percent' });
const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

export function formatValue(value: Value, type: ValueType): string {
  const word = wordFor(value);
  if (word !== undefined) return word;
  if (type === 'timestamp') return formatTime(String(value));
  // Identifiers are not amounts: 1,234 is not how anybody would write one.
  if (type === 'integer') return String(value);
  return typeof value === 'number' ? (isReadable(value) ? numbers : scientific).format(value) : String(value);
}

/** Others would have hundreds of digits, or none that matter. */
function isReadable(number: number): boolean {
  const size = Math.abs(number);
  return size === 0 || (size >= 1e-6 && size < 1e15);
}

export function formatCount(count: number): string {
  return integers.format(count);
}

/** A word or two, where there is little room: 1.2M. */
export function formatCompact(number: number): string {
  return (isReadable(number) ? compact : scientific).format(number);
}

export function formatTime(timestamp: string): string {
  return times.format(new Date(timestamp));
}

export function formatDate(timestamp: string): string {
  return dates.format(new Date(timestamp));
}

const bytes = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'byte', unitDisplay: 'long' });
const kilobytes = new Intl.NumberFormat(undefined, { style: 'unit', unit: 'kilobyte', maximumFractionDigits: 1 });

export function formatBytes(count: number): string {
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
