/** How fields appear in a sheet of Excel: what their columns are called, and the formats of their cells. */

import type { Field } from './resource.ts';
import { storageOf } from './value-types.ts';

/** The most rows that a sheet of Excel has. The first one has the names of the columns. */
export const MAX_SHEET_ROWS = 1_048_576;
export const MAX_SHEET_RECORDS = MAX_SHEET_ROWS - 1;

/** Dates before this one are text: Excel knows none before 1900, and one too many in February of that year. */
export const FIRST_SHEET_DATE = '1900-03-01T00:00:00.000Z';

/** Larger integers are text: Excel shows 15 digits of a number, and zeros instead of the rest. */
export const MAX_SHEET_INTEGER = 999_999_999_999_999;

/** A sheet has no time zones, so that the column has to say which one it is. An import recognises these names. */
export function columnHeading(field: Field): string {
  return storageOf(field) === 'timestamp' ? `${field.label} (UTC)` : field.label;
}

/** The most decimals that numbers of a field can be shown with at least. */
const MAX_DECIMALS = 6;

/** Number formats by the style of a cell, which is the number that the cell refers to it by. */
export const sheetFormats: readonly string[] = [
  'General',
  // Text stays text when somebody edits it: an article number with zeros in front, or what looks like a formula.
  '@',
  'yyyy\\-mm\\-dd\\ hh:mm:ss',
  ...Array.from({ length: MAX_DECIMALS + 1 }, (_, decimals) => decimalFormat(decimals)),
];
const [GENERAL, TEXT, TIMESTAMP, DECIMALS] = [0, 1, 2, 3];

export const TEXT_STYLE = TEXT;

export function sheetStyle(field: Field): number {
  const storage = storageOf(field);
  if (storage === 'text') return TEXT;
  if (storage === 'timestamp') return TIMESTAMP;
  return field.decimals === undefined ? GENERAL : DECIMALS + Math.min(field.decimals, MAX_DECIMALS);
}

/** `#,##0.00####`: two decimals at least, and six if there are more. Without any, a number would end with its point. */
function decimalFormat(decimals: number): string {
  if (decimals === 0) return 'General';
  return `#,##0.${'0'.repeat(decimals)}${'#'.repeat(MAX_DECIMALS - decimals)}`;
}
