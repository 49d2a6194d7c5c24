/**
 * What an entry of a map says: `Sales Price=list_price`, as on the command line, or `Sales Price:list_price`, as in requests. Both are taken
 * everywhere: the name of a field has neither sign, that of a column may.
 */

export interface MapEntry {
  readonly column: string;
  /** Empty if the column is ignored. */
  readonly field: string;
}

/** Undefined if it has no column, or neither sign. */
export function readMapEntry(entry: string): MapEntry | undefined {
  const split = Math.max(entry.lastIndexOf('='), entry.lastIndexOf(':'));
  if (split < 1) return undefined;
  return { column: entry.slice(0, split).trim(), field: entry.slice(split + 1).trim() };
}
