/** What an engine does for the store: it runs statements. It knows its driver, and nothing of records. */

import type { ValueType } from '../../filter/operators.ts';
import type { Dialect, Parameter } from './dialect.ts';
import type { Effort } from './effort.ts';
import type { Row } from './row.ts';
import type { Statement } from './statement.ts';

export interface Engine {
  readonly dialect: Dialect;
  /** Whether every statement is a round trip to a server. */
  readonly isRemote: boolean;
  /** One statement, one snapshot. What takes long must not hold up what does not. */
  read(statement: Statement, effort?: Effort): Promise<readonly Row[]>;
  /** Both in one snapshot: what the first returns, and then the column `line` of each row of the second. */
  stream(head: Statement, lines: Statement): Promise<LineStream>;
  /** Another number where what was read before may have been undone, since another server took over. */
  readonly epoch: number;
  /** Another number where anything may have been written; nothing where the engine cannot tell without asking. */
  state(): number | undefined;
  /** Throws where it cannot answer now. */
  check(): Promise<void>;
  /** All of the statements in one transaction, durable once it is answered. Nothing where it is another epoch than is given. */
  write(statements: readonly Statement[], epoch?: number): Promise<WriteResult>;
  /** Fills a temporary table, without a lock on anything else, and then writes with it at hand. */
  writeFrom(staging: Staging, statements: readonly Statement[]): Promise<WriteResult>;
  close(): Promise<void>;
}

/** The database has refused a statement for what is in it. Nothing was changed. */
export class StatementRefused extends Error {
  override readonly name = 'StatementRefused';
}

export interface LineStream {
  readonly head: readonly Row[];
  /** Nothing at the end. */
  next(): Promise<Piece | undefined>;
  /** To be called in any case, at the end or before it. */
  close(): Promise<void>;
}

/** Whole lines in UTF-8, many at once. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly lines: number;
}

export interface WriteResult {
  /** False where a statement did not return what it was expected to: then nothing was changed. */
  readonly written: boolean;
  /** The rows that each statement returned, up to the one that gave up. */
  readonly rows: readonly (readonly Row[])[];
}

export const NOTHING_WRITTEN: WriteResult = { written: false, rows: [] };

export interface Staging {
  readonly table: string;
  readonly columns: readonly { readonly name: string; readonly type: ValueType }[];
  /** Rows in batches, each row with a parameter for every column. Where it throws, nothing is written. */
  readonly batches: AsyncIterable<readonly StagedRow[]>;
}

export type StagedRow = readonly Parameter[];
