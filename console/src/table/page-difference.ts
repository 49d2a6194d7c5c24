/** What differs between a page of records and the same page a moment ago. */

import type { RecordValues } from '../data/records.ts';

/** The fields that have another value, or that the record was not on the page before. */
export type RowChange = ReadonlySet<string> | 'new';

export function pageDifference(
  before: readonly RecordValues[],
  after: readonly RecordValues[],
): ReadonlyMap<number, RowChange> {
  const known = new Map(before.map((record) => [record.id, record]));
  return new Map(
    after.flatMap((record): readonly (readonly [number, RowChange])[] => {
      const old = known.get(record.id);
      if (old === record) return [];
      if (old === undefined) return [[record.id, 'new']];
      const changed = Object.keys(record).filter((field) => record[field] !== old[field]);
      return changed.length === 0 ? [] : [[record.id, new Set(changed)]];
    }),
  );
}
