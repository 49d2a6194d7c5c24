/** What an engine does for the store: it runs statements on executors. It knows its driver, and nothing of records. */

import type { Storage } from '../../catalog/value-types.ts';
import type { Clock } from '../../schedule/clock.ts';
import type { Job } from '../../schedule/fair-queue.ts';
import type { AccountId } from '../account-id.ts';
import type { Dialect, StagedRow } from '../sql/dialect.ts';
import type { Row } from '../sql/row.ts';
import type { Statement } from '../sql/statement.ts';
import type { EngineStats } from '../stats.ts';
import type { Outcome } from './batcher.ts';
import type { PendingRevocations } from './revocations.ts';

export interface Engine {
  readonly dialect: Dialect;
  /** By which everything above the engine decides as well. */
  readonly clock: Clock;
  /**
   * For authentication, version checks and administration: small reads, on capacity that nothing else uses. `about` is the account whose
   * rows the statement reads, if it reads any.
   */
  reserved(statement: Statement, about?: AccountId | 'several'): Promise<readonly Row[]>;
  /** For reads that take about a millisecond. One that takes longer is run again as a slow one. */
  fast(job: Job, statement: Statement): Promise<readonly Row[]>;
  /** For reads that may take long: several in one snapshot. They wait for the account's turn, and never delay a fast one. */
  slow<Result>(job: Job, body: (snapshot: SnapshotReads) => Promise<Result>): Promise<Result>;
  /** A snapshot that stays open until it is closed, for reading line by line. */
  stream(job: Job): Promise<Snapshot>;
  /** Runs all statements in one transaction. Durable once it resolves. `account` is the one that they are about, if it is one. */
  write(statements: readonly Statement[], account?: AccountId): Promise<WriteResult>;
  /** Like `write`, for statements that change or sort so many rows that they should not be in memory. */
  writeLarge(statements: readonly Statement[]): Promise<WriteResult>;
  /** Runs several writes about an account, in one transaction if possible. One that fails, or does not meet an expectation, is undone on its own. */
  writeEach(writes: readonly Write[], account: AccountId): Promise<readonly Outcome<WriteResult>[]>;
  /**
   * Fills a temporary table, which locks nothing, and then runs the statements like `write`, and counts those that are finished. It asks for them when
   * all rows are in the table.
   */
  load(
    staging: Staging,
    statements: () => Promise<readonly Statement[]>,
    account: AccountId,
    finished?: Int32Array,
  ): Promise<WriteResult>;
  /** Changes when another connection commits. Undefined if the engine cannot tell without running a statement. */
  changeCounter(): number | undefined;
  /** Something that changes whenever anything was written. */
  lastWrite(): Promise<string>;
  /** Whether the planner estimates how many rows an index finds, so that probing it first is not worthwhile. */
  readonly hasStatistics: boolean;
  /**
   * How many records a statement of a slow read should scan. An engine that cannot interrupt a statement lets others take
   * their turn between two of them.
   */
  readonly sliceRows: number;
  /** Whether one statement may read the ledgers of several accounts. Otherwise the loss of one would affect the others. */
  readonly spansAccounts: boolean;
  /** Parts of the database that cannot be reached, while others can. Throws if none can. */
  unreachableParts(): Promise<readonly string[]>;
  /** Throws if the database is known to be damaged, replaced or removed. */
  verify(): void;
  /** Begins a generation of the database, even if this process has begun one. */
  beginGeneration(): Promise<Generation>;
  readonly revocations: PendingRevocations;
  /** Throws if the disk has no room for N further bytes. What removes something is always tried. */
  requireRoom(bytes?: number): void;
  /** Removing many rows of an account from a table, in many transactions. */
  bulkRemoval(table: string, account: AccountId): Promise<BulkRemoval>;
  /** Gives back the space of what was removed, and leaves nothing of it in the files, as far as that is up to this program. */
  reclaim(): Promise<void>;
  readonly stats: EngineStats;
  close(): Promise<void>;
}

export interface BulkRemoval {
  /** What is executed before and after the statements of a transaction that remove rows: it postpones what would take long. */
  readonly before: readonly Statement[];
  readonly after: readonly Statement[];
  /** Makes up for that in short transactions, before it becomes too much. `removed` rows have been removed since the last call. */
  catchUp(removed: number): Promise<void>;
}

export const PLAIN_REMOVAL: BulkRemoval = { before: [], after: [], catchUp: async () => {} };

export interface Generation {
  /** Generations are numbered from 1. */
  readonly number: number;
  readonly id: number;
}

export type Read = (statement: Statement) => Promise<readonly Row[]>;

/** Everything is read from one snapshot. */
export interface SnapshotReads {
  readonly read: Read;
  /** The column `line` of every row, in chunks; undefined at the end. */
  lines(statement: Statement): () => Promise<Chunk | undefined>;
}

export interface Snapshot extends SnapshotReads {
  /** Must always be called, at the end or earlier. */
  close(): Promise<void>;
}

/** Complete lines in UTF-8. */
export interface Chunk {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly lines: number;
}

/** The maximum number of bytes of a text in a row: the serving thread would be busy with more for too long. Lines may have any length. */
export const MAX_TEXT_BYTES = 512 * 1024;

/** The approximate size of a chunk in bytes. */
export const CHUNK_BYTES = 128 * 1024;

export interface Write {
  readonly statements: readonly Statement[];
  /** A few rows that the statements find in a temporary table. */
  readonly staged?: StagedRows | undefined;
}

export interface WriteResult {
  /** False if a statement did not meet its expectation. Then nothing was changed. */
  readonly isCommitted: boolean;
  /** The rows each statement returned, up to the one that failed its expectation. */
  readonly rows: readonly (readonly Row[])[];
  /** Instead, for the statement that returns many: each call makes a slice of them. All at once would keep the serving thread busy. */
  readonly many?: readonly (() => readonly Row[])[];
}

/** How many rows are in a slice. */
export const SLICE_LENGTH = 500;

export interface Staging {
  readonly table: string;
  readonly columns: readonly { readonly name: string; readonly storage: Storage }[];
  /** The column, an integer, that is different in every row, and increases from each to the next. */
  readonly order: string;
  /** Rows with a parameter for every column, as the dialect packs them. If it throws, nothing is written. */
  readonly batches: AsyncIterable<Uint8Array>;
}

export interface StagedRows extends Omit<Staging, 'batches'> {
  readonly rows: readonly StagedRow[];
}
