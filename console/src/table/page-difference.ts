/** What differs between a page of records and the same page a moment ago. */

import type { RecordValues } from '../data/records.ts';

/** The fields that have another value, or that the record was not on the page before: because it is new, or was on the page beside it. */
export type RowChange = ReadonlySet<string> | 'new' | 'moved';

/** Whether there are pages beside this one. */
export interface PagePlace {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** The place is that of the page before the change. */
export function pageDifference(
  before: readonly RecordValues[],
  after: readonly RecordValues[],
  { isFirst, isLast }: PagePlace,
): ReadonlyMap<number, RowChange> {
  const known = new Map(before.map((record) => [record.id, record]));
  const firstKnown = after.findIndex(({ id }) => known.has(id));
  const lastKnown = after.findLastIndex(({ id }) => known.has(id));
  // Records that are inserted or removed elsewhere push others across the edges of the page.
  const isFromBeside = (row: number) =>
    firstKnown === -1 ? !isFirst : (row < firstKnown && !isFirst) || (row > lastKnown && !isLast);
  return new Map(
    after.flatMap((record, row): readonly (readonly [number, RowChange])[] => {
      const old = known.get(record.id);
      if (old === record) return [];
      if (old === undefined) return [[record.id, isFromBeside(row) ? 'moved' : 'new']];
      const changed = Object.keys(record).filter((field) => record[field] !== old[field]);
      return changed.length === 0 ? [] : [[record.id, new Set(changed)]];
    }),
  );
}
