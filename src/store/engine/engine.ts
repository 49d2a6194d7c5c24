/** What an engine does for the store: it runs statements on four executors. It knows its driver, and nothing of records. */

import type { Storage } from '../../catalog/value-types.ts';
import type { Dialect, Parameter } from '../sql/dialect.ts';
import type { Row } from '../sql/row.ts';
import type { Statement } from '../sql/statement.ts';

export interface Engine {
  readonly dialect: Dialect;
  /** For authentication and version checks only: small reads, on capacity that nothing else uses. */
  reserved(statement: Statement): Promise<readonly Row[]>;
  /** For reads that take about a millisecond. */
  fast(statement: Statement): Promise<readonly Row[]>;
  /** For reads that may take long. They never delay a fast one. */
  slow(statement: Statement): Promise<readonly Row[]>;
  /** Runs all statements in one transaction. Durable once it resolves. */
  write(statements: readonly Statement[]): Promise<WriteResult>;
  /** Fills a temporary table, which locks nothing, and then runs the statements like `write`. */
  load(staging: Staging, statements: readonly Statement[]): Promise<WriteResult>;
  /** Reads both statements in one snapshot: the rows of the first, then the column `line` of every row of the second. */
  stream(head: Statement, lines: Statement): Promise<LineStream>;
  /** Changes when another connection commits. Undefined if the engine cannot tell without running a statement. */
  changeCounter(): number | undefined;
  /** Whether the planner estimates how many rows an index finds, so that probing it first is not worthwhile. */
  readonly hasStatistics: boolean;
  /** Throws if the database is unavailable. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface LineStream {
  readonly head: readonly Row[];
  /** Undefined at the end. */
  next(): Promise<Chunk | undefined>;
  /** Must be called in any case, at the end or before. */
  close(): Promise<void>;
}

/** Complete lines in UTF-8. */
export interface Chunk {
  readonly bytes: Uint8Array;
  readonly lines: number;
}

/** The approximate size of a chunk in bytes. */
export const CHUNK_BYTES = 128 * 1024;

export interface WriteResult {
  /** False if a statement did not meet its expectation. Then nothing was changed. */
  readonly isCommitted: boolean;
  /** The rows each statement returned, up to the one that failed its expectation. */
  readonly rows: readonly (readonly Row[])[];
}

export interface Staging {
  readonly table: string;
  readonly columns: readonly { readonly name: string; readonly storage: Storage }[];
  /** Batches of rows, each with a parameter for every column. If it throws, nothing is written. */
  readonly batches: AsyncIterable<readonly StagedRow[]>;
}

export type StagedRow = readonly Parameter[];
