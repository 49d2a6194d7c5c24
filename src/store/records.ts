/** The records of an account: what can be read and written, and what that returns. */

import type { Resource } from '../catalog/resource.ts';
import type { ChangesPlan, CreatePlan, Cursor, ExportPlan, ListPlan, RecordPlan } from '../plan/plan.ts';
import type { StorageExceeded } from './account.ts';
import type { Caller, NoAccess } from './caller.ts';
import type { AggregateBody } from './column-index/thread/aggregate-body.ts';
import type { Aggregated, AggregateRequest, LineAggregate } from './column-index/thread/commands.ts';
import type { KeyReused } from './key-reused.ts';
import type { IncomingRow, LoadOptions, LoadPlan, LoadResult, StagedBatch, StagingOrder } from './loading.ts';
import type { Pieces } from './pieces.ts';
import type { ValueTaken } from './value-taken.ts';
import type { LedgerVersion, RecordVersion } from './version.ts';

/** Every method is limited to the records of its caller. */
export interface Records {
  /** The page, the exact total and the version, read in one snapshot. What is known at the current version speeds it up. */
  list(caller: Caller, plan: ListPlan, current: LedgerVersion): Promise<Page | NoAccess>;
  /** The same page, with what was probably meant by the words of a search that no record has, if it is explained. */
  withSearchHints(caller: Caller, plan: ListPlan, page: Page): Promise<Page | NoAccess>;
  /** The same as lines, all from one snapshot. */
  export(caller: Caller, plan: ExportPlan): Promise<Export | NoAccess>;
  /** The body of an aggregate, at this version of the ledger or a later one; undefined unless the values are in memory. */
  aggregate(
    caller: Caller,
    resource: Resource,
    request: AggregateRequest,
    ledger: LedgerVersion,
  ): Promise<Aggregated | undefined>;
  /** The same from lines. Need not read them to their end. */
  aggregateLines(caller: Caller, lines: Export, request: LineAggregate): Promise<AggregateBody>;
  /** The SHA-256 of the lines, in hexadecimal. */
  hashLines(caller: Caller, lines: Export): Promise<string>;
  /** What was written after the plan's cursor. */
  changes(caller: Caller, plan: ChangesPlan, separator?: Separator): Promise<Changes | CursorExpired | NoAccess>;
  find(caller: Caller, plan: RecordPlan): Promise<Found | NotFound | NoAccess>;
  /** Durable once it resolves, together with its idempotency key. */
  create(caller: Caller, plan: CreatePlan): Promise<Created | NotCreated | NoAccess>;
  /** Whether a request has used an idempotency key. */
  hasUsedKey(caller: Caller, resource: Resource, key: string): Promise<boolean>;
  /** Forgets what was removed before a time. Cursors from before then expire. */
  prune(before: string): Promise<void>;
  /** Completes search indexes that lag behind, after an import that was interrupted. */
  completeSearch(): Promise<void>;
  /** All of the rows or none. */
  load(
    caller: Caller,
    plan: LoadPlan,
    batches: AsyncIterable<readonly IncomingRow[]>,
    options?: LoadOptions,
  ): Promise<LoadResult>;
  /** Rows that were staged where they were read, as `stagingOrder` says. */
  loadStaged(
    caller: Caller,
    plan: LoadPlan,
    batches: AsyncIterable<StagedBatch>,
    options?: LoadOptions,
  ): Promise<LoadResult>;
  stagingOrder(caller: Caller, plan: LoadPlan): StagingOrder;
}

export interface Page {
  /** The records as JSON, without the brackets around them. */
  readonly records: string | Pieces;
  readonly total: number;
  readonly source: TotalSource;
  readonly version: LedgerVersion;
  /** For each of the conditions that the plan wants explained. */
  readonly explained?: readonly ConditionCounts[] | undefined;
}

export interface ConditionCounts {
  /** How many records meet the condition. */
  readonly alone: number;
  /** How many records meet all others. */
  readonly others: number;
  /** If it is a word that no record has: those that are most like it. */
  readonly nearest?: readonly string[];
}

/** Where a total came from: the ledger, the cache, an index in memory, or a count. */
export type TotalSource = 'ledger' | 'cached' | 'index' | 'counted';

export interface Export {
  /** How many lines there are. */
  readonly rows: number;
  /** How many records match. */
  readonly total: number;
  readonly source: TotalSource;
  readonly version: LedgerVersion;
  /** Complete lines in UTF-8, many at a time; undefined at the end. */
  next(): Promise<Uint8Array | undefined>;
  /** Must always be called, at the end or earlier. */
  close(): Promise<void>;
}

export interface Changes {
  /** As JSON, one after another. */
  readonly changes: string;
  readonly count: number;
  /** Where to continue. */
  readonly cursor: Cursor;
  /** Whether there are more changes now. */
  readonly more: boolean;
  /** The oldest cursor that is still valid. */
  readonly oldest: Cursor;
  readonly version: LedgerVersion;
}

/** Changes after the cursor are no longer known, or the cursor is from a history that was abandoned. */
export type CursorExpired = 'cursor expired';

/** What is between two changes. */
export type Separator = 'comma' | 'line break';

export interface Found {
  readonly kind: 'found';
  /** As JSON. */
  readonly record: string;
  readonly written: RecordVersion;
  readonly version: LedgerVersion;
}

export interface NotFound {
  readonly kind: 'not found';
}

/** The new record, or why an idempotency key cannot create one. */
export type Created = CreatedRecord | KeyRefusal;

/** The resource has no identifiers left, or the account stores as much as it may, or another record has a value that is unique. */
export type NotCreated = 'ids exhausted' | StorageExceeded | ValueTaken;

export interface CreatedRecord {
  readonly id: number;
  /** If present, an earlier request with the same idempotency key created it. */
  readonly isReplayed?: true;
}

/** Another request with the key is in progress, or has used it. */
export type KeyRefusal = 'key in progress' | KeyReused;

/** How long an idempotency key is remembered, in hours. */
export const KEY_LIFETIME = 24;
