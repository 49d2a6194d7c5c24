/** Loading rows of a file: how it is done, and what became of them. */

import { type Field, id, type Resource } from '../catalog/resource.ts';
import type { Value } from '../catalog/value.ts';
import type { StorageExceeded } from './account.ts';

export interface LoadPlan {
  readonly resource: Resource;
  /** The field that identifies a row's record: `id`, or another that holds text or integers. */
  readonly key: Field;
  /** Whether to remove records that no row names. */
  readonly replace: boolean;
  /** The load is refused if it would remove more than one in N of the existing records. */
  readonly removalLimit?: number;
  /** What a row that cannot be loaded does: it stops the load, or it is skipped and reported. */
  readonly onRowError: 'stop' | 'skip';
  /** Whether to report what the load would do without changing anything. */
  readonly dryRun: boolean;
  /** The name of the file, for the audit trail. */
  readonly file?: string;
  readonly now: string;
}

/** A load by id, all or nothing. */
export function plainLoad(resource: Resource, now: string): LoadPlan {
  return { resource, key: id, replace: false, onRowError: 'stop', dryRun: false, now };
}

export interface IncomingRow {
  /** Its position in the file. */
  readonly line: number;
  /** A field that is not given keeps its value, or its initial value in a new record. */
  readonly values: ReadonlyMap<Field, Value | null>;
  /** The row as the file has it, needed if it may be skipped. */
  readonly text?: string;
}

export type LoadResult =
  | {
      readonly kind: 'loaded';
      readonly created: number;
      readonly updated: number;
      readonly unchanged: number;
      readonly removed: number;
      /** In file order. */
      readonly skipped: readonly SkippedRow[];
      /** If present, this was a dry run, and the load itself would be refused. */
      readonly tooManyRemoved?: TooManyRemoved;
      readonly storageExceeded?: StorageExceeded;
    }
  | { readonly kind: 'refused'; readonly errors: RowErrors }
  | TooManyRemoved
  | StorageExceeded
  | { readonly kind: 'no such account' };

/** The load would remove more records than its limit allows. */
export interface TooManyRemoved {
  readonly kind: 'too many removed';
  readonly removed: number;
  /** How many records there are. */
  readonly rows: number;
}

export interface SkippedRow {
  readonly text: string;
  readonly error: RowError;
}

/** The first errors, and how many there are. */
export interface RowErrors {
  readonly first: readonly RowError[];
  readonly count: number;
}

/** The maximum number of rows a load skips, since they are held in memory; more of them stop it. */
export const MAX_SKIPPED_ROWS = 100_000;

/** How many errors are reported one by one. */
export const MAX_REPORTED_ERRORS = 20;

export interface RowError {
  readonly line: number;
  readonly column: string | undefined;
  readonly reason: string;
  /** For a duplicate: the line of the first occurrence. */
  readonly first?: number;
}
