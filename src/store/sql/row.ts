/** A row as a driver returns it, and its cells by the type that the statement promises. Integers may arrive as digits. */

import { ResultTooLarge } from '../store-error.ts';

export type Row = Readonly<Record<string, unknown>>;

export function integerOf(row: Row, column: string): number {
  const value = row[column];
  const integer = typeof value === 'string' ? Number(value) : value;
  if (typeof integer !== 'number' || !Number.isInteger(integer)) return fail(column, 'an integer');
  if (!Number.isSafeInteger(integer)) throw new RangeError(`column ${column} holds ${integer}, which is out of range`);
  return integer;
}

export function integerOrNullOf(row: Row, column: string): number | null {
  return row[column] === null ? null : integerOf(row, column);
}

export function textOf(row: Row, column: string): string {
  return textOrNullOf(row, column) ?? fail(column, 'text');
}

export function textOrNullOf(row: Row, column: string): string | null {
  const value = row[column];
  return value === null || typeof value === 'string' ? value : fail(column, 'text');
}

/** A database may omit a text that is too large, instead of failing. */
export function boundedTextOf(row: Row, column: string, isEmpty: boolean): string {
  const text = textOrNullOf(row, column);
  if (text === null && !isEmpty) throw new ResultTooLarge('the database omitted a text that is too large');
  return text ?? '';
}

/**
 * Whether an error says that a row holds something else than the statement promises, or an integer that JavaScript cannot
 * represent. For the latter, SQLite's driver throws a range error as well.
 */
export function isUnreadable(error: unknown): boolean {
  return error instanceof RangeError || error instanceof UnexpectedCell;
}

/** A cell that does not have the type that the statement promises. */
class UnexpectedCell extends TypeError {}

function fail(column: string, expected: string): never {
  throw new UnexpectedCell(`column ${column} does not hold ${expected}`);
}
