/** Records as the database sends them to an index: arrays of values, without names. */

/** Booleans are 0 and 1, timestamps milliseconds or text. */
export type RowValue = string | number | null;

/** The values of a record in the order of its fields, of which the first is the id; of one that was removed, the id alone. */
export type IndexedRow = readonly [id: number, ...values: RowValue[]];

const decoder = new TextDecoder();

/** Rows as JSON, separated by commas. In bytes, a comma also follows the last one. */
export function rowsIn(json: Uint8Array | string): readonly IndexedRow[] {
  return JSON.parse(`[${typeof json === 'string' ? json : decoder.decode(json.subarray(0, -1))}]`);
}

export function isRemoved(row: IndexedRow): boolean {
  return row.length === 1;
}
