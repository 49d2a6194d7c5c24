/** Loading rows, from one to millions: how it is done, and what became of them. */

import { type Field, id, type Resource } from '../catalog/resource.ts';
import type { Value } from '../catalog/value.ts';
import type { Idempotency } from '../plan/plan.ts';
import type { StorageExceeded } from './account.ts';
import type { AccountId } from './account-id.ts';
import type { Actor } from './audit.ts';
import type { Caller, NoAccess } from './caller.ts';
import type { Source } from './imports.ts';
import type { KeyReused } from './key-reused.ts';
import type { LoadProgress } from './load-progress.ts';
import type { DialectName, StagedRow } from './sql/dialect.ts';
import type { ValueTaken } from './value-taken.ts';
import type { RecordVersion } from './version.ts';

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
  /** Whether rows without an id are added even if records have their codes, or if the same content was imported before. */
  readonly adds?: boolean;
  /** Whether to report what the load would do without changing anything. */
  readonly dryRun: boolean;
  readonly now: string;
  /** The record of the only row must exist, and have one of these versions if they are given. */
  readonly existing?: { readonly versions?: readonly RecordVersion[] | undefined };
  readonly idempotency?: Idempotency | undefined;
  /** Undefined for a single record, which is neither listed among the imports nor in the audit trail. */
  readonly import?: ImportEntry;
}

/** What the list of imports and the audit trail say about a load. */
export interface ImportEntry {
  /** If present, the import is listed as running, and the load fails if it was cancelled. */
  readonly id?: string;
  /** By default, the user who runs this process. */
  readonly by?: Actor;
  /** The name of the file. */
  readonly file?: string | undefined;
  /** Saved in the same transaction. */
  readonly source?: NewPosition | undefined;
  /** What was imported. */
  readonly content?: ImportContent;
  /** The rows that were skipped before they reached the store. It grows while rows are read. */
  readonly rejected?: { readonly rows: number; readonly errors: RowErrors };
}

export interface ImportContent {
  /** Of all bytes, once these have been read. Undefined if they were not. */
  readonly hash: string | undefined;
}

/** How far a connector has read its source. */
export interface NewPosition {
  readonly name: string;
  readonly position: string;
  /** What the position must be before; null if there must be none. Anything if undefined. */
  readonly expected?: string | null;
}

/** A load by id, all or nothing. */
export function plainLoad(resource: Resource, now: string): LoadPlan {
  return { resource, key: id, replace: false, onRowError: 'stop', dryRun: false, now };
}

export interface LoadOptions {
  readonly progress?: LoadProgress | undefined;
  /** Called once all rows are there: the session under which they began to arrive may have ended. */
  readonly renew?: () => Promise<Caller | NoAccess>;
}

export interface IncomingRow {
  /** Its position in the file. */
  readonly line: number;
  /** A field that is not given keeps its value, or its initial value in a new record. */
  readonly values: ReadonlyMap<Field, Value | null>;
  /** The record is removed, if there is one. */
  readonly isRemoved?: true;
  /** The row as the file has it, needed if it may be skipped. */
  readonly text?: string;
}

/** For whom rows are staged, and how. It consists of data, so that a thread can be told. */
export interface StagingOrder {
  readonly dialect: DialectName;
  readonly account: AccountId;
  readonly resource: Resource;
  readonly now: string;
}

/** Rows as they are staged, and what is known about them and all before them. */
export interface StagedBatch {
  /** Packed once there are more than a few. */
  readonly rows: readonly StagedRow[] | Uint8Array<ArrayBuffer>;
  readonly facts: RowFacts;
}

export interface RowFacts {
  readonly rows: number;
  /** The size of their records. */
  readonly bytes: number;
  readonly lastLine: number;
  readonly hasRemovals: boolean;
  /** Whether a row may need a new id. */
  readonly lacksIds: boolean;
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
      /** Of the ledger, afterwards. */
      readonly version: RecordVersion;
      /** What the import is listed as. */
      readonly importId?: string;
      /** The only row's, if it had to exist and was not removed, as the load has left it. */
      readonly record?: LoadedRecord;
      /** If present, this was a dry run, and the load itself would be refused. */
      readonly tooManyRemoved?: TooManyRemoved;
      readonly storageExceeded?: StorageExceeded;
    }
  | { readonly kind: 'refused'; readonly errors: RowErrors }
  /** Instead, if the plan requires that the record exists. */
  | ValueTaken
  | TooManyRemoved
  | StorageExceeded
  | PositionChanged
  | AddedAgain
  | { readonly kind: 'no such record' }
  /** It has another version than expected. */
  | { readonly kind: 'record changed' }
  /** Somebody has cancelled the import, or it was taken for dead. */
  | { readonly kind: 'cancelled' }
  /** An earlier load had the same idempotency key. */
  | ReplayedLoad
  | { readonly kind: 'key in progress' }
  | KeyReused
  | { readonly kind: NoAccess };

export interface LoadedRecord {
  /** As JSON. */
  readonly text: string;
  readonly written: RecordVersion;
}

export interface ReplayedLoad {
  readonly kind: 'replayed';
  /** As it was stored: JSON. Null if the load was of a single record. */
  readonly result: string | null;
}

/** The position of the source is not the expected one. */
export interface PositionChanged {
  readonly kind: 'position changed';
  readonly current: Source | undefined;
}

/** The load would add records that are there already. Nobody has said that it should. */
export interface AddedAgain {
  readonly kind: 'added again';
  /** How many rows would be added. */
  readonly rows: number;
  /** How many other rows have an id. */
  readonly identified: number;
  /** The fields by which records can be told. */
  readonly codes: readonly AddedCode[];
  /** When the same content was imported, if it was. */
  readonly importedAt: string | undefined;
}

/** How many of the rows that would be added have a value of a field. */
export interface AddedCode {
  readonly field: Field;
  readonly given: number;
  /** One that a record has already. */
  readonly taken: number;
  /** One that several rows have. */
  readonly repeated: number;
  /** One that several records have. */
  readonly shared: number;
}

/** The load would remove more records than its limit allows. */
export interface TooManyRemoved {
  readonly kind: 'too many removed';
  readonly removed: number;
  /** How many records there are. */
  readonly rows: number;
}

export interface SkippedRow {
  /** Undefined if the row came without. */
  readonly text: string | undefined;
  readonly error: RowError;
}

/** The first errors, and how many there are. */
export interface RowErrors {
  readonly first: readonly RowError[];
  readonly count: number;
  /** The same errors of many rows, once, in the order in which they were found. */
  readonly groups?: readonly ErrorGroup[];
}

export interface ErrorGroup {
  readonly error: RowError;
  readonly rows: number;
  /** The first lines that have it. */
  readonly lines: readonly number[];
}

/** The maximum number of rows a load skips, since they are held in memory; more of them stop it. */
export const MAX_SKIPPED_ROWS = 100_000;

/** How many errors are reported one by one. */
export const MAX_REPORTED_ERRORS = 20;

export interface RowError {
  readonly line: number;
  readonly column: string | undefined;
  /** As the file has it. */
  readonly value?: string;
  readonly reason: string;
  /** The reason without the value: the same for all rows that have to be fixed alike. */
  readonly requirement?: string;
  readonly suggestion?: string;
  /** For a duplicate: the line of the first occurrence. */
  readonly first?: number;
}
