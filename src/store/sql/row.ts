/** A row as a driver gives it, and its cells by the type that the statement promised. */

export type Row = Readonly<Record<string, unknown>>;

export function integerOf(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw new TypeError(`column ${column} holds no integer`);
  return value;
}

export function textOf(row: Row, column: string): string {
  return textOrNullOf(row, column) ?? fail(column);
}

export function textOrNullOf(row: Row, column: string): string | null {
  const value = row[column];
  return value === null || typeof value === 'string' ? value : fail(column);
}

export function bytesOf(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw new TypeError(`column ${column} holds no bytes`);
  return value;
}

function fail(column: string): never {
  throw new TypeError(`column ${column} holds no text`);
}
