/** The values of one field for the rows of one group. */

import type { Value } from '../../../catalog/value.ts';
import type { Predicate } from '../../../plan/plan.ts';
import type { Bitmap, RowNumbers } from './bitmap.ts';
import type { Column } from './column.ts';

/** A condition on one field. */
export type Condition = Extract<Predicate, { field: unknown }>;

export type ConditionOf<Kind extends Condition['kind']> = Extract<Condition, { kind: Kind }>;

export interface Segment {
  /** How much memory it takes. */
  readonly bytes: number;
  /** Appends a value in its JSON form. */
  push(value: Value | null): void;
  set(row: number, value: Value | null): void;
  /** A segment with these rows. */
  rebuilt(sources: RowSources): Segment;
  /** Finds the rows that meet a condition, regardless of whether it is negated. */
  find(condition: Condition, into: Bitmap): void;
  /** Numbers by which rows are sorted; NaN for null. Where they are the same, `compare` decides. */
  sortKeys(): Float64Array;
  compare(row: number, other: Segment, otherRow: number): number;
  /** Adds the values of some rows to a column. */
  copyTo(column: Column, rows: RowNumbers): void;
  /** Returns the memory. The segment must not be used any more. */
  release(): void;
}

/** Where the rows of a new group come from: rows of the old one, and new values. */
export interface RowSources {
  /** For each new row, a row of the old group, or, if negative, -1 minus the index of a new value. */
  readonly rows: Int32Array;
  readonly values: readonly (Value | null)[];
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
