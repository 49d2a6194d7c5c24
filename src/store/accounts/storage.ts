/** Reads what accounts store, and may store, from rows. */

import { integerOf, type Row } from '../sql/row.ts';
import type { StorageExceeded, StorageUse } from '../store.ts';

export function storageOf(row: Row): StorageUse {
  return {
    records: integerOf(row, 'records'),
    bytes: integerOf(row, 'bytes'),
    limits: { records: integerOf(row, 'max_records'), bytes: integerOf(row, 'max_bytes') },
  };
}

/** Undefined if there is room for more. */
export function exceededBy(
  { limits, ...used }: StorageUse,
  records: number,
  bytes: number,
): StorageExceeded | undefined {
  const use = { records: used.records + records, bytes: used.bytes + bytes, limits };
  const isExceeded =
    (limits.records > 0 && use.records > limits.records) || (limits.bytes > 0 && use.bytes > limits.bytes);
  return isExceeded ? { kind: 'storage exceeded', use } : undefined;
}
