/** The interface of the store. It is the same for every engine, and no caller knows which one is in use. */

import { type Field, id, type Resource } from '../catalog/resource.ts';
import type { Scope } from '../catalog/scopes.ts';
import type { Value } from '../catalog/value.ts';
import type { ChangesPlan, CreatePlan, Cursor, ExportPlan, ListPlan, RecordPlan } from '../plan/plan.ts';
import type { Deadline } from '../schedule/deadline.ts';
import type { AccountId } from './account-id.ts';
import type { Actor, AuditTrail } from './audit.ts';
import type { CheckOptions, CheckResult } from './check/findings.ts';
import type { AggregateBody } from './column-index/thread/aggregate-body.ts';
import type { Aggregated, AggregateRequest, LineAggregate } from './column-index/thread/commands.ts';
import type { Generation } from './engine/engine.ts';
import type { LoadProgress } from './load-progress.ts';
import type { Pieces } from './pieces.ts';
import type { StoreStats } from './stats.ts';
import type { AccountVersion, LedgerVersion, RecordVersion } from './version.ts';

export interface Store {
  readonly records: Records;
  readonly accounts: Accounts;
  readonly keys: Keys;
  readonly audit: AuditTrail;
  /**
   * The account's current version, read from the database. Undefined if the account doesn't exist. Throws `DamagedLedger` if it
   * cannot be read.
   */
  version(account: AccountId): Promise<AccountVersion | undefined>;
  /** Resolves when the ledger no longer has this version, when the signal aborts, or when nobody may wait any more. */
  changed(account: AccountId, resource: Resource, version: LedgerVersion, signal: AbortSignal): Promise<void>;
  /** From now on nobody waits for changes: the service stops. */
  stopWaiting(): void;
  /** Throws if the store is unavailable. Returns the parts that are, if others can be used. */
  checkReadiness(): Promise<readonly string[]>;
  /** What it does, in numbers. Costs next to nothing. */
  stats(): StoreStats;
  /** Verifies that everything stored agrees, and repairs what can be derived if asked to. */
  check(options: CheckOptions): Promise<readonly CheckResult[]>;
  /** Begins a generation: whatever is written from now on differs in version from what was written before. */
  beginGeneration(): Promise<Generation>;
  close(): Promise<void>;
}

export type { AccountId, Actor };

/** On whose behalf the store is used. */
export interface Caller {
  readonly account: AccountId;
  /** The access version under which the session was granted. Every statement verifies it; undefined skips the check. */
  readonly access?: number;
  /** When the caller stops waiting; never if undefined. */
  readonly deadline?: Deadline;
}

/**
 * The account doesn't exist (any more), or the caller's session was granted under another access version. Also if the ledger
 * is missing: the version of the account tells these apart.
 */
export type NoAccess = 'no access';

/** Every method is limited to the records of its caller. */
export interface Records {
  /** The page, the exact total and the version, read in one snapshot. What is known at the current version speeds it up. */
  list(caller: Caller, plan: ListPlan, current: LedgerVersion): Promise<Page | NoAccess>;
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
  /** Forgets what was removed before a time. Cursors from before then expire. */
  prune(before: string): Promise<void>;
  /** Completes search indexes that lag behind, after an import that was interrupted. */
  completeSearch(): Promise<void>;
  /** All of the rows or none. */
  load(
    account: AccountId,
    plan: LoadPlan,
    batches: AsyncIterable<readonly IncomingRow[]>,
    progress?: LoadProgress,
  ): Promise<LoadResult>;
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
}

/** Where a total came from: the ledger, the cache, the columns in memory, or a count. */
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

/** The resource has no identifiers left, or the account stores as much as it may. */
export type NotCreated = 'ids exhausted' | StorageExceeded;

/** The account would store more than it may. */
export interface StorageExceeded {
  readonly kind: 'storage exceeded';
  /** What it would store. */
  readonly use: StorageUse;
}

export interface CreatedRecord {
  readonly id: number;
  /** If present, an earlier request with the same idempotency key created it. */
  readonly isReplayed?: true;
}

/** Another request with the key is in progress, or one with another body has used it. */
export type KeyRefusal = 'key in progress' | 'key reused';

/** How long an idempotency key is remembered, in hours. */
export const KEY_LIFETIME = 24;

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

export interface Accounts {
  /** Undefined if the name is taken. */
  add(name: string, now: string): Promise<Account | undefined>;
  /** Adds all of them, with their limits and keys, or none. Their names must differ. */
  addAll(accounts: readonly NewAccount[], now: string): Promise<AddedAccounts>;
  find(name: string): Promise<Account | undefined>;
  isEmpty(): Promise<boolean>;
  list(): Promise<readonly AccountSummary[]>;
  /** By the account's name. Names that no account has are left out. */
  overview(names: readonly string[]): Promise<ReadonlyMap<string, AccountOverview>>;
  /**
   * Removes the account with all its records, keys and idempotency keys, in short transactions. From the first one on, nobody has access. If the
   * process ends before the last one, or the database cannot be written, `finishRemovals` does the rest.
   */
  remove(account: AccountId, onRemoved?: OnRemoved): Promise<'removed' | 'being removed'>;
  finishRemovals(): Promise<void>;
  /** Takes effect at once. Does nothing if the limits are the same. */
  setLimits(account: AccountId, limits: Partial<AccountLimits>): Promise<void>;
  /** Undefined if the account doesn't exist. */
  storage(account: AccountId): Promise<StorageUse | undefined>;
  storedTotal(): Promise<StoredTotal>;
}

/** Called with the number of rows that have been removed so far. */
export type OnRemoved = (rows: number) => void;

export interface NewAccount extends AccountLimits {
  readonly name: string;
  readonly keys: readonly Omit<NewKey, 'account' | 'createdAt'>[];
}

export type AddedAccounts =
  /** In the order in which they were given. */
  | { readonly kind: 'added'; readonly accounts: readonly Account[] }
  | { readonly kind: 'names taken'; readonly names: readonly string[] };

export interface Account extends AccountLimits {
  readonly id: AccountId;
  readonly name: string;
  readonly createdAt: string;
}

/** The limits of an account. Null means that the setting applies, and 0 that there is none. */
export interface AccountLimits {
  /** Requests per second for all keys together. There is no setting for it. */
  readonly rateLimit: number | null;
  readonly recordLimit: number | null;
  readonly byteLimit: number | null;
}

/** How much an account may store unless it has limits of its own; 0 means unlimited. */
export interface StorageLimits {
  readonly records: number;
  readonly bytes: number;
}

/** What an account stores, and what it may store; 0 means unlimited. */
export interface StorageUse {
  readonly records: number;
  /** The size of the values of all records. */
  readonly bytes: number;
  readonly limits: StorageLimits;
}

export interface AccountOverview {
  /** By the resource's name. */
  readonly revisions: ReadonlyMap<string, number>;
  readonly storage: StorageUse;
}

/** What all accounts store. */
export interface StoredTotal {
  readonly records: number;
  readonly bytes: number;
  /** The accounts that use most of what they may store, each with the share, the fullest first. */
  readonly fullest: readonly (readonly [account: string, share: number])[];
}

export interface AccountSummary extends Account {
  /** The number of records by the resource's name. */
  readonly rows: ReadonlyMap<string, number>;
  /** The size of the values of all records. */
  readonly bytes: number;
}

export interface Keys {
  add(key: NewKey): Promise<void>;
  /** By its public id, with the account it belongs to. */
  find(id: string): Promise<FoundKey | undefined>;
  /** Of all accounts if none is given. */
  list(account?: AccountId): Promise<readonly StoredKey[]>;
  /**
   * Takes effect in every process within a second, whatever the time is. If the database cannot be written to, the revocation is only in effect:
   * its entry in the audit trail is written later.
   */
  revoke(id: string, at: string): Promise<'in the database' | 'in effect'>;
  /** Whether a key was revoked in a way that has not changed the access version yet. Costs next to nothing. */
  isRevoked(id: string): boolean;
  /** Writes the revocations that are in effect, but not in the database. */
  settleRevocations(): Promise<void>;
  /**
   * Adds a key that replaces another, which expires at the end of the overlap, unless it expires before; without an overlap
   * it is revoked. Resolves to false, and changes nothing, if the old key has been revoked or replaced meanwhile.
   */
  replace(id: string, by: NewKey, overlapEnds: string | null): Promise<boolean>;
  /** Adds a key in exchange for the code of a sign-in link. Resolves to false if the code has been used or revoked meanwhile. */
  exchange(code: string, key: NewKey, actor: Actor): Promise<boolean>;
  /** Takes effect at once. Does nothing if the limit is the same. */
  setRateLimit(id: string, rateLimit: number | null): Promise<void>;
  /** Records when keys were last used, by their public ids. */
  recordUse(lastUsed: ReadonlyMap<string, string>): Promise<void>;
}

export interface FoundKey {
  readonly key: StoredKey;
  readonly account: Account;
  /** The account's access version. */
  readonly access: number;
}

export interface NewKey {
  readonly id: string;
  readonly account: AccountId;
  readonly name: string;
  readonly secretHash: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
  /** Requests per second; 0 means unlimited, and null that the setting applies. */
  readonly rateLimit: number | null;
}

export interface StoredKey extends NewKey {
  readonly lastUsedAt: string | null;
  /** A key with this time is revoked, even if the time is in the future: clocks differ. */
  readonly revokedAt: string | null;
  /** The id of the key that replaces this one. */
  readonly replacedBy: string | null;
}
