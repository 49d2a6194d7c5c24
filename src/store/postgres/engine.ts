/** PostgreSQL as an engine: small reads share pipelined connections; slow reads, writes and streams have their own. */

import { AccountLimit } from '../../schedule/account-limit.ts';
import { type Clock, systemClock } from '../../schedule/clock.ts';
import { NO_DEADLINE } from '../../schedule/deadline.ts';
import { FairQueue, type Job } from '../../schedule/fair-queue.ts';
import { Histogram } from '../../schedule/histogram.ts';
import { MarkedAccounts } from '../../schedule/marked-accounts.ts';
import { partsOf } from '../../schedule/one-by-one.ts';
import type { AccountId } from '../account-id.ts';
import type { CheckedEngine } from '../check/check.ts';
import type { Outcome } from '../engine/batcher.ts';
import { countFinished } from '../engine/count-finished.ts';
import {
  type BulkRemoval,
  CHUNK_BYTES,
  type Chunk,
  type Generation,
  PLAIN_REMOVAL,
  SLICE_LENGTH,
  type Snapshot,
  type SnapshotReads,
  type StagedRows,
  type Staging,
  type Write,
  type WriteResult,
} from '../engine/engine.ts';
import { readAhead } from '../engine/read-ahead.ts';
import { NO_PENDING_REVOCATIONS } from '../engine/revocations.ts';
import { spool } from '../spool.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { Row } from '../sql/row.ts';
import { textOf } from '../sql/row.ts';
import { meetsExpectation, type Statement } from '../sql/statement.ts';
import type { EngineStats } from '../stats.ts';
import { StatementRejected, StoreUnavailable } from '../store-error.ts';
import { postgresChecks } from './checks.ts';
import type { Connection } from './connection.ts';
import { CHECK_INTERVAL, FAST_TIMEOUT } from './connection-profiles.ts';
import { MAX_WRITERS, type Server } from './server.ts';
import type { ServerSource } from './server-source.ts';
import type { Topology } from './topology.ts';

/** How many lines the first chunk of a stream has, while their size is unknown. */
const FIRST_LINES = 30;

/** The share of the connections for slow reads that one account may use. */
const MAX_SHARE = 1 / 4;

/** The maximum number of slow reads of one account that wait. */
const MAX_QUEUED = 100;

/** The maximum number of fast reads of one account in progress. They share a connection, so a slow one delays all behind it. */
const MAX_FAST_READS = 16;

/** The maximum number of loads of many rows in progress, each on a connection of its own. An account has one at a time. */
const MAX_LOADS = 4;

export interface EngineOptions {
  /** The number of connections for slow reads. */
  readonly poolSize: number;
  /** How long fast reads of an account may wait before further ones are refused, in milliseconds; 0, the default, means unlimited. */
  readonly maxDelay?: number;
  readonly clock?: Clock | undefined;
}

const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

export class PostgresEngine implements CheckedEngine {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly checks = postgresChecks;
  readonly hasStatistics = true;
  readonly revocations = NO_PENDING_REVOCATIONS;
  /** The server can interrupt a statement. */
  readonly sliceRows = Number.POSITIVE_INFINITY;
  readonly spansAccounts = true;
  readonly #primary: ServerSource;
  readonly #slowReads: FairQueue;
  readonly #slowAccounts: MarkedAccounts;
  readonly #fastReads: AccountLimit;
  readonly #writeTimes = new Histogram();
  /** Writes to one ledger wait for each other, with a connection each. Those of one account must not have all of them. */
  readonly #writers: FairQueue;
  readonly #loads: FairQueue;
  /** The names of those that a connection has. */
  readonly #stagingTables = new WeakMap<Connection, Set<string>>();

  constructor(primary: ServerSource, { poolSize, maxDelay = 0, clock = systemClock }: EngineOptions) {
    this.#primary = primary;
    this.dialect = primary.topology.dialect;
    this.clock = clock;
    this.#slowAccounts = new MarkedAccounts(clock);
    this.#fastReads = new AccountLimit(MAX_FAST_READS, { maxDelay, clock });
    this.#writers = new FairQueue({ slots: MAX_WRITERS, maxRunning: MAX_WRITERS / 2, maxQueued: MAX_QUEUED }, clock);
    this.#loads = new FairQueue({ slots: MAX_LOADS, maxRunning: 1, maxQueued: MAX_QUEUED }, clock);
    const maxRunning = Math.max(1, Math.floor(poolSize * MAX_SHARE));
    this.#slowReads = new FairQueue({ slots: poolSize, maxRunning, maxQueued: MAX_QUEUED }, clock);
  }

  reserved(statement: Statement): Promise<readonly Row[]> {
    return this.#primary.run(async (server) => send(await server.reserved.next(), statement));
  }

  /** A statement that takes too long is cancelled by the server, so it delays those behind it only briefly. */
  async fast(job: Job, statement: Statement): Promise<readonly Row[]> {
    const { account } = job;
    const rows = await this.#fastReads.run(job, () => this.#tryFast(account, statement));
    if (rows !== undefined) return rows;
    return this.slow(job, async ({ read }) => {
      const started = this.clock.monotonic();
      const found = await read(statement);
      if (this.clock.monotonic() - started > FAST_TIMEOUT) this.#slowAccounts.add(account);
      return found;
    });
  }

  /** Undefined if it is slow. */
  async #tryFast(account: number, statement: Statement): Promise<readonly Row[] | undefined> {
    if (this.#slowAccounts.has(account)) return undefined;
    try {
      return await this.#primary.run(async (server) => send(await server.fast.next(), statement, account));
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || error.reason !== 'too slow') throw error;
      this.#slowAccounts.add(account);
      return undefined;
    }
  }

  slow<Result>(job: Job, body: (snapshot: SnapshotReads) => Promise<Result>): Promise<Result> {
    return this.#slowReads.run(job, () =>
      this.#primary.run((server) =>
        server.slow.use((connection) =>
          abandonIfCancelled(job, connection, this.clock, () => inSnapshot(connection, job.account, body)),
        ),
      ),
    );
  }

  /** From the call of `onBegin` on, an error does not tell whether something was written. */
  write(statements: readonly Statement[], account?: AccountId, onBegin?: () => void): Promise<WriteResult> {
    return this.#withWriter(account, (connection) => {
      onBegin?.();
      return transaction(connection, statements, this.#primary.topology.begin);
    });
  }

  writeLarge(statements: readonly Statement[]): Promise<WriteResult> {
    return this.write(statements);
  }

  async writeEach(writes: readonly Write[], account: AccountId): Promise<readonly Outcome<WriteResult>[]> {
    return this.#withWriter(account, async (connection) => {
      for (const { staged } of writes) if (staged !== undefined) await this.#requireTable(connection, staged);
      return transactionOfEach(connection, writes, this.#primary.topology, this.dialect);
    });
  }

  async #withWriter<Result>(
    account: AccountId | undefined,
    task: (connection: Connection) => Promise<Result>,
  ): Promise<Result> {
    const started = this.clock.monotonic();
    const use = () => this.#primary.run((server) => server.write.use(task));
    try {
      if (account === undefined) return await use();
      return await this.#writers.run({ account, cost: 1, deadline: NO_DEADLINE }, use);
    } finally {
      this.#writeTimes.add(this.clock.monotonic() - started);
    }
  }

  /** A temporary table that every transaction finds empty. It stays as long as the connection. */
  async #requireTable(connection: Connection, { table, columns }: StagedRows): Promise<void> {
    const tables = this.#stagingTables.get(connection) ?? new Set();
    this.#stagingTables.set(connection, tables);
    if (tables.has(table)) return;
    const definitions = this.#definitionsOf(columns).join(', ');
    await connection.query(`CREATE TEMPORARY TABLE IF NOT EXISTS ${table} (${definitions}) ON COMMIT DELETE ROWS`);
    tables.add(table);
  }

  #definitionsOf(columns: Staging['columns']): readonly string[] {
    return columns.map(({ name, storage }) => `${name} ${this.dialect.columnTypes[storage]}`);
  }

  async load(
    { table, columns, batches }: Staging,
    statements: () => Promise<readonly Statement[]>,
    account: AccountId,
    finished?: Int32Array,
  ): Promise<WriteResult> {
    const { topology } = this.#primary;
    const rows = await spool(batches);
    const load = async (server: Server) => {
      const connection = await server.openWriter('load');
      try {
        const drop = await topology.createStaging(connection, table, this.#definitionsOf(columns));
        try {
          await connection.copyInto(table, rows.createReadStream({ start: 0, autoClose: false }));
          await connection.query(`ANALYZE ${table}`);
          return await transaction(connection, await statements(), topology.begin, finished);
        } finally {
          // Whether rows were imported does not depend on it.
          if (!connection.isLost) await drop?.().catch(() => undefined);
        }
      } finally {
        await connection.close();
      }
    };
    try {
      return await this.#loads.run({ account, cost: 1, deadline: NO_DEADLINE }, () => this.#primary.run(load));
    } finally {
      await rows.close();
    }
  }

  /** A cursor on a connection of its own, so that a slow reader takes no connection from others. */
  async stream(job: Job): Promise<Snapshot> {
    const connection = await this.#primary.run((server) => server.open('stream'));
    const query = (text: string, parameters?: Statement['parameters']) =>
      abandonIfCancelled(job, connection, this.clock, () => connection.query(text, parameters)).catch(
        (error: unknown) => {
          throw this.#primary.topology.translateError(error);
        },
      );
    try {
      await query(BEGIN);
    } catch (error) {
      connection.abandon();
      throw error;
    }
    return {
      read: ({ text, parameters }) => query(text, parameters),
      lines: (statement) => readAhead(linesOf(statement, query)),
      async close() {
        connection.abandon();
      },
    };
  }

  /** Which transactions are visible. The end of the write-ahead log would change before a transaction is. */
  async lastWrite(): Promise<string> {
    const [row = {}] = await this.reserved({ text: 'SELECT pg_current_snapshot()::text AS snapshot', parameters: [] });
    return textOf(row, 'snapshot');
  }

  changeCounter(): undefined {
    return undefined;
  }

  get stats(): EngineStats {
    const { pools, connects } = this.#primary;
    return { queues: { slow_reads: this.#slowReads.stats }, pools, writes: this.#writeTimes.stats, connects };
  }

  /** Only the server knows its disk. */
  requireRoom(): void {}

  async bulkRemoval(): Promise<BulkRemoval> {
    return PLAIN_REMOVAL;
  }

  /** That is what autovacuum is for. */
  async reclaim(): Promise<void> {}

  async unreachableParts(): Promise<readonly string[]> {
    return [];
  }

  /** Nothing is known about a server that its next response would not show. */
  verify(): void {}

  beginGeneration(): Promise<Generation> {
    return this.#primary.run((server) => server.beginGeneration());
  }

  close(): Promise<void> {
    return this.#primary.close();
  }
}

/** `account` is the one that the statement is prepared for, unless all share it. */
function send(connection: Connection, { text, parameters }: Statement, account?: number): Promise<readonly Row[]> {
  return connection.query(text, parameters, { preparedFor: account ?? 'all' });
}

/** Reads lines through a cursor, in the transaction that is open. */
function linesOf(
  { text, parameters }: Statement,
  query: (text: string, parameters?: Statement['parameters']) => Promise<readonly Row[]>,
): () => Promise<Chunk | undefined> {
  const declared = query(`DECLARE lines NO SCROLL CURSOR FOR ${text}`, parameters);
  // An error is reported with the first chunk.
  declared.catch(() => undefined);
  let count = FIRST_LINES;
  return async () => {
    await declared;
    const fetched = await query(`FETCH ${count} FROM lines`);
    if (fetched.length === 0) return undefined;
    const bytes = Buffer.from(fetched.map((row) => textOf(row, 'line')).join(''));
    count = Math.max(1, Math.round((CHUNK_BYTES * fetched.length) / bytes.length));
    return { bytes, lines: fetched.length };
  };
}

async function inSnapshot<Result>(
  connection: Connection,
  account: number,
  body: (snapshot: SnapshotReads) => Promise<Result>,
): Promise<Result> {
  // Not awaited: the first statement is sent along with it, and fails if it does.
  connection.query(BEGIN).catch(() => undefined);
  try {
    return await body({
      read: (statement) => send(connection, statement, account),
      lines: (statement) => linesOf(statement, (text, parameters) => connection.query(text, parameters)),
    });
  } finally {
    connection.query('COMMIT').catch(() => undefined);
  }
}

/** The server stops a statement whose connection is gone. */
async function abandonIfCancelled<Result>(
  { deadline: { signal } }: Job,
  connection: Connection,
  clock: Clock,
  body: () => Promise<Result>,
): Promise<Result> {
  const abandon = () => connection.abandon();
  if (signal.aborted) throw signal.reason;
  signal.addEventListener('abort', abandon, { once: true });
  try {
    return await body();
  } catch (error) {
    if (!signal.aborted) throw error;
    // Until the server has noticed, the statement is still running, and its slot is taken.
    await clock.pause(CHECK_INTERVAL);
    throw signal.reason;
  } finally {
    signal.removeEventListener('abort', abandon);
  }
}

/** A single statement is a transaction by itself. */
async function transaction(
  connection: Connection,
  statements: readonly Statement[],
  begin: Topology['begin'],
  finished?: Int32Array,
): Promise<WriteResult> {
  const [only, ...others] = statements;
  if (!begin.isAlwaysNeeded && only !== undefined && others.length === 0 && only.expect === undefined)
    return { isCommitted: true, rows: [await send(connection, only)] };
  const rows: (readonly Row[])[] = [];
  let many: WriteResult['many'];
  try {
    for (const text of begin.texts) await connection.query(text);
    for (const statement of statements) {
      const returned = await send(connection, statement);
      if (statement.returnsMany) many = slicesOf(returned);
      rows.push(statement.returnsMany ? [] : returned);
      countFinished(finished);
      if (meetsExpectation(returned, statement.expect)) continue;
      await connection.query('ROLLBACK');
      return { isCommitted: false, rows, ...(many && { many }) };
    }
    await connection.query('COMMIT');
    return { isCommitted: true, rows, ...(many && { many }) };
  } catch (error) {
    if (!connection.isLost) await connection.query('ROLLBACK');
    throw error;
  }
}

function slicesOf(rows: readonly Row[]): WriteResult['many'] {
  return [...partsOf(rows, SLICE_LENGTH)].map((slice) => () => slice);
}

/** All of them in one transaction; one that is rejected, or does not meet an expectation, is undone on its own. */
async function transactionOfEach(
  connection: Connection,
  writes: readonly Write[],
  { begin, translateError }: Topology,
  dialect: Dialect,
): Promise<readonly Outcome<WriteResult>[]> {
  const outcomes: Outcome<WriteResult>[] = [];
  try {
    // Not awaited: the first statements are sent along with it, and fail if it does.
    for (const text of begin.texts) connection.query(text).catch(() => undefined);
    for (const write of writes) {
      connection.query(SAVEPOINT).catch(() => undefined);
      const outcome = await runAtOnce(connection, write, dialect);
      const isDone = 'result' in outcome && outcome.result.isCommitted;
      if ('error' in outcome) {
        const error = translateError(outcome.error);
        if (connection.isLost || !(error instanceof StatementRejected)) throw outcome.error;
        outcomes.push({ error });
      } else outcomes.push(outcome);
      if (!isDone) await connection.query(`ROLLBACK TO ${SAVEPOINT}`);
    }
    await connection.query('COMMIT');
    return outcomes;
  } catch (error) {
    if (!connection.isLost) await connection.query('ROLLBACK');
    throw error;
  }
}

const SAVEPOINT = 'SAVEPOINT one_write';

/** Sends all statements without waiting for each: whatever follows a failure is undone as well. */
async function runAtOnce(
  connection: Connection,
  { statements, staged }: Write,
  dialect: Dialect,
): Promise<Outcome<WriteResult>> {
  const staging = staged === undefined ? [] : [insertStatement(staged, dialect)];
  const clearing = staged === undefined ? [] : [{ text: `DELETE FROM ${staged.table}`, parameters: [] }];
  const all: readonly Statement[] = [...staging, ...statements, ...clearing];
  const settled = await Promise.allSettled(all.map((statement) => send(connection, statement)));
  const rows: (readonly Row[])[] = [];
  let many: WriteResult['many'];
  for (const [index, one] of settled.entries()) {
    if (one.status === 'rejected') return { error: one.reason };
    if (index < staging.length) continue;
    const { expect, returnsMany } = all[index] ?? {};
    if (returnsMany) many = slicesOf(one.value);
    rows.push(returnsMany ? [] : one.value);
    if (!meetsExpectation(one.value, expect)) return { result: { isCommitted: false, rows, ...(many && { many }) } };
  }
  return { result: { isCommitted: true, rows, ...(many && { many }) } };
}

/** JSON has the cells as they are encoded for parameters. */
function insertStatement({ table, columns, rows }: StagedRows, dialect: Dialect): Statement {
  const json = rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? null])));
  const definitions = columns.map(({ name, storage }) => `${name} ${dialect.columnTypes[storage]}`).join(', ');
  return {
    text: `INSERT INTO ${table} SELECT * FROM json_to_recordset($1::json) AS incoming (${definitions})`,
    parameters: [JSON.stringify(json)],
  };
}
