/** The values of one field for the rows of one group. */

import type { Predicate } from '../../../plan/plan.ts';
import type { Bitmap } from './bitmap.ts';
import type { TextCodes } from './column.ts';
import type { IndexedRow, RowValue } from './indexed-row.ts';

/** A condition on one field. */
export type Condition = Extract<Predicate, { field: unknown }>;

export type ConditionOf<Kind extends Condition['kind']> = Extract<Condition, { kind: Kind }>;

export interface Segment {
  /** How much memory it takes. */
  readonly bytes: number;
  push(value: RowValue): void;
  /** Appends what some rows have in the field with this number. */
  append(rows: readonly IndexedRow[], field: number, from: number, to: number): void;
  /** Replaces the values in some places. */
  setAll(places: Uint16Array, rows: readonly IndexedRow[], field: number): void;
  /** An empty one, for the next group: it is likely to get similar values. */
  successor(): Segment;
  /** A segment with these rows. */
  rebuilt(sources: RowSources): Segment;
  /** Finds the rows that meet a condition, regardless of whether it is negated. */
  find(condition: Condition, into: Bitmap): void;
  /** Numbers by which rows are sorted; NaN for null. Where they are the same, `compare` decides. */
  sortKeys(): Float64Array;
  compare(row: number, other: Segment, otherRow: number): number;
  /** Reads some rows as the numbers of a column. */
  read(rows: Bitmap, into: Float64Array, texts: TextCodes): void;
  /** Returns the memory. The segment must not be used any more. */
  release(): void;
}

/** Where the rows of a new group come from: rows of the old one, and new values. */
export interface RowSources {
  /** For each new row, a row of the old group, or, if negative, -1 minus the index of a new value. */
  readonly rows: Int32Array;
  readonly values: readonly RowValue[];
}

/** Appends all rows to a new segment, whose values are copied from the old one. */
export function pushAll<New extends Segment>(
  segment: New,
  { rows, values }: RowSources,
  copy: (row: number) => void,
): New {
  for (const row of rows) {
    if (row >= 0) copy(row);
    else segment.push(values[-1 - row] ?? null);
  }
  return segment;
}
