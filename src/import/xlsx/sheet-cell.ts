/** A cell of a sheet by its value, and a row of them. */

import type { SerialDate } from './serial-date.ts';

export type SheetCell =
  /** Nothing, or a text without characters, which looks the same. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'text'; readonly text: string }
  /** The text is the number as a cell without a format shows it: a fraction has at most 15 digits. */
  | { readonly kind: 'number'; readonly value: number; readonly text: string }
  | SerialDate
  | { readonly kind: 'boolean'; readonly value: boolean }
  /** The text is `#N/A`, `#DIV/0!`, … */
  | { readonly kind: 'error'; readonly text: string }
  /** A formula without a result: the program that wrote the file did not calculate it. */
  | { readonly kind: 'uncalculated' };

export interface SheetRow {
  /** As Excel counts: the first row of a sheet is 1. */
  readonly number: number;
  /** From column A on, until the last cell that is not empty. */
  readonly cells: readonly SheetCell[];
}

export const EMPTY: SheetCell = { kind: 'empty' };
export const UNCALCULATED: SheetCell = { kind: 'uncalculated' };

export function textCell(text: string): SheetCell {
  return text === '' ? EMPTY : { kind: 'text', text };
}

/** How many digits Excel shows of a number. */
const DIGITS = 15;

export function numberCell(value: number): SheetCell {
  const text = String(value);
  // Excel shows 0.1 + 0.2 as 0.3.
  const isLong = text.length > DIGITS && !Number.isInteger(value);
  return { kind: 'number', value, text: isLong ? String(Number(value.toPrecision(DIGITS))) : text };
}

/** A, B, …, Z, AA, … for 0, 1, … */
export function columnName(index: number): string {
  const last = String.fromCharCode(0x41 + (index % 26));
  return index < 26 ? last : columnName(Math.floor(index / 26) - 1) + last;
}
