/** SQLite as an engine: fast reads run on the serving thread; slow reads, streams and writes on threads of their own. */

import { deserialize } from 'node:v8';
import { type Clock, systemClock } from '../../schedule/clock.ts';
import { NO_DEADLINE } from '../../schedule/deadline.ts';
import { FairQueue, type Job } from '../../schedule/fair-queue.ts';
import { Histogram } from '../../schedule/histogram.ts';
import type { AccountId } from '../account-id.ts';
import type { CheckedEngine } from '../check/check.ts';
import { Batcher, type Outcome } from '../engine/batcher.ts';
import {
  type BulkRemoval,
  type Generation,
  MAX_TEXT_BYTES,
  type Snapshot,
  type SnapshotReads,
  type Staging,
  type Write,
  type WriteResult,
} from '../engine/engine.ts';
import { integerOf, type Row } from '../sql/row.ts';
import type { Statement } from '../sql/statement.ts';
import type { EngineStats } from '../stats.ts';
import { isLockTimeout } from '../store-error.ts';
import { bulkRemoval } from './bulk-removal.ts';
import { sqliteChecks } from './checks.ts';
import type { Connection, SentResult } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { DiskSpace } from './disk-space.ts';
import { errorOf } from './failures.ts';
import { FastReads } from './fast-reads.ts';
import { FileGuard, identify, type OpenedFile } from './file-guard.ts';
import { FileHealth, type OnReplaced } from './file-health.ts';
import { type FileThread, startFileThread } from './file-thread.ts';
import { Packer } from './packed-statements.ts';
import { Readers } from './readers.ts';
import { reclaimPages } from './reclaim.ts';
import { RevocationFile } from './revocation-file.ts';
import { SchemaGuard } from './schema-guard.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import type { WalOptions } from './wal-watch.ts';
import type { LargeWrite, WriteCommand, WriteOutcomes } from './writer-thread.ts';

/** A slice takes two to four milliseconds. */
const SLICE_ROWS = 20_000;

/** The number of attempts to empty the log, and the pause after each, in milliseconds. */
const LOG_ATTEMPTS = 50;
const LOG_PAUSE = 100;

/** How much of the temporary files a batch of a load takes, for each of its bytes: pages are not filled completely. */
const STAGING_FACTOR = 2;

/** Long reads do not wait for a transaction that has taken longer than this, in milliseconds. */
const LONG_WRITE = 2_000;

/** The maximum number of loads of one account that wait to be written. */
const MAX_QUEUED = 100;

export interface EngineOptions {
  readonly opened: OpenedFile;
  /** How long fast reads of an account may wait, in milliseconds; 0, the default, means unlimited. */
  readonly maxDelay?: number;
  readonly onFileReplaced?: OnReplaced;
  readonly onLongLog?: WalOptions['onLong'];
  /** How much of the disk has to stay free, in bytes. If less is, nothing is added; 0, the default, disables that. */
  readonly minFreeDisk?: number;
  /** How long a write waits for another process that is writing, in milliseconds. At least a few seconds, the default. */
  readonly lockTimeout?: number;
  readonly clock?: Clock | undefined;
}

export class SqliteEngine implements CheckedEngine {
  readonly dialect = sqliteDialect;
  readonly clock: Clock;
  readonly checks = sqliteChecks;
  readonly spansAccounts = true;
  readonly hasStatistics = false;
  readonly sliceRows = SLICE_ROWS;
  readonly revocations: RevocationFile;
  readonly #disk: DiskSpace;
  /** Where the rows of large loads are until they are written. */
  readonly #temporaryDisk: DiskSpace;
  readonly #file: FileHealth;
  /** Not mapped: version checks follow every write, and mapping the file again costs more than reading a few pages. */
  readonly #reserved: Connection;
  readonly #fast: Connection;
  readonly #reads: FastReads;
  readonly #readers: Readers;
  readonly #writer: FileThread<WriteCommand, WriteOutcomes>;
  readonly #loads: FairQueue;
  readonly #packer = new Packer();
  readonly #lockTimeout: number;
  /** Transactions that may take long, and are written or wait for it. */
  readonly #largeWrites = new Set<{ readonly since: number }>();
  readonly #writes: Batcher<Write, WriteResult>;
  readonly #writeTimes = new Histogram();
  readonly #schema: SchemaGuard;

  constructor(path: string, connection: Connection, options: EngineOptions) {
    const {
      opened,
      maxDelay = 0,
      onFileReplaced,
      onLongLog,
      minFreeDisk = 0,
      lockTimeout = 0,
      clock = systemClock,
    } = options;
    this.clock = clock;
    this.#loads = new FairQueue({ slots: 1, maxRunning: 1, maxQueued: MAX_QUEUED }, clock);
    const guard = new FileGuard(identify(path, connection, opened));
    this.#reserved = connection;
    this.revocations = new RevocationFile(path, clock);
    this.#disk = new DiskSpace(path, minFreeDisk, clock);
    this.#temporaryDisk = new DiskSpace(temporaryDirectory(), minFreeDisk, clock, true);
    this.#schema = new SchemaGuard(connection, path);
    this.#fast = guard.open({ isMapped: true, maxTextBytes: MAX_TEXT_BYTES });
    this.#file = new FileHealth(guard, this.#fast, onFileReplaced);
    this.#reads = new FastReads({
      read: (statement, account) => this.#readFast(statement, account),
      clock,
      maxDelay,
      inSnapshot: (reads) => this.#verified(() => this.#fast.snapshot(reads)),
    });
    this.#writer = startFileThread('writer-thread', this.#file);
    this.#readers = new Readers(this.#file, minFreeDisk, {
      restart: opened.access === 'read-write' ? () => this.#emptyLog() : undefined,
      isWriting: () => [...this.#largeWrites].some(({ since }) => clock.monotonic() - since >= LONG_WRITE),
      onLong: onLongLog,
      clock,
    });
    this.#lockTimeout = lockTimeout;
    this.#writes = new Batcher({ run: (writes) => this.#writeAll(writes), isShared: isLockTimeout });
  }

  async reserved(statement: Statement): Promise<readonly Row[]> {
    return this.#verified(() => {
      this.#schema.verify();
      return this.#reserved.read(statement);
    });
  }

  fast({ account }: Job, statement: Statement): Promise<readonly Row[]> {
    return this.#reads.add(account, statement);
  }

  #readFast(statement: Statement, account: number): readonly Row[] {
    try {
      return this.#fast.read(statement, account);
    } catch (error) {
      throw this.#file.explain(error);
    }
  }

  slow<Result>(job: Job, body: (snapshot: SnapshotReads) => Promise<Result>): Promise<Result> {
    return this.#readers.slow(job, body);
  }

  stream(job: Job): Promise<Snapshot> {
    return this.#readers.stream(job);
  }

  write(statements: readonly Statement[]): Promise<WriteResult> {
    return this.#write({ statements });
  }

  writeEach(writes: readonly Write[]): Promise<readonly Outcome<WriteResult>[]> {
    return Promise.all(
      writes.map((write) =>
        this.#write(write).then(
          (result) => ({ result }),
          (error: unknown) => ({ error }),
        ),
      ),
    );
  }

  async writeLarge(statements: readonly Statement[]): Promise<WriteResult> {
    const [outcome] = await this.#writeAll([{ statements }], {});
    return resultOf(outcome);
  }

  async #write(write: Write): Promise<WriteResult> {
    const started = this.clock.monotonic();
    try {
      return await this.#writes.add(write);
    } finally {
      this.#writeTimes.add(this.clock.monotonic() - started);
    }
  }

  /** While it waits for a lock, its thread cannot be ended, so it doesn't wait all the time at once. */
  async #writeAll(writes: readonly Write[], large?: LargeWrite): Promise<readonly Outcome<WriteResult>[]> {
    const started = this.clock.monotonic();
    const write = { since: started };
    if (large !== undefined) this.#largeWrites.add(write);
    try {
      for (;;) {
        const outcomes = await this.#tryAll(writes, large);
        const isLocked = outcomes.every((outcome) => 'error' in outcome && isLockTimeout(outcome.error));
        if (!isLocked || this.clock.monotonic() - started >= this.#lockTimeout) return outcomes;
      }
    } finally {
      this.#largeWrites.delete(write);
    }
  }

  async #tryAll(writes: readonly Write[], large?: LargeWrite): Promise<readonly Outcome<WriteResult>[]> {
    this.#file.verify();
    const packed = writes.map((write) => this.#packer.pack(write));
    const outcomes = await this.#writer.call({ kind: 'write', writes: packed, large }).catch((error: unknown) => {
      this.#packer.reset();
      throw error;
    });
    // Writes that were made are only acknowledged if the file is still there.
    this.#file.verify();
    return outcomes.map((outcome) =>
      outcome.kind === 'done' ? { result: unpacked(outcome.result) } : { error: this.#file.explain(errorOf(outcome)) },
    );
  }

  async load(
    { table, columns, order, batches }: Staging,
    statements: () => Promise<readonly Statement[]>,
    account: AccountId,
    finished?: Int32Array,
  ): Promise<WriteResult> {
    try {
      await this.#writer.call({ kind: 'create table', staging: { table, columns, order } });
      // The thread inserts one batch while the next is being read.
      let inserted: Promise<unknown> = Promise.resolve();
      for await (const packed of batches) {
        await inserted;
        this.#temporaryDisk.take(STAGING_FACTOR * packed.byteLength);
        inserted = this.#writer.call({ kind: 'insert', table, packed });
        // An error is reported when the insert is awaited, which may be much later.
        inserted.catch(() => undefined);
      }
      await inserted;
      // In a transaction of its own: no other write should have to wait for it, or be rolled back with it. Between two of them, other writes
      // have their turn, and accounts take turns.
      const [outcome] = await this.#loads.run({ account, cost: 1, deadline: NO_DEADLINE }, async () =>
        this.#writeAll([{ statements: await statements() }], { table, finished }),
      );
      return resultOf(outcome);
    } finally {
      // Whether rows were loaded does not depend on it.
      await this.#writer.call({ kind: 'drop table', table }).catch(() => undefined);
    }
  }

  async lastWrite(): Promise<string> {
    return String(this.changeCounter());
  }

  changeCounter(): number {
    return this.#verified(() => this.#schema.verify());
  }

  requireRoom(bytes = 0): void {
    this.#disk.require(bytes);
  }

  bulkRemoval(table: string, account: AccountId): Promise<BulkRemoval> {
    return bulkRemoval(
      table,
      account,
      (statement) => this.reserved(statement),
      (statements) => this.write(statements),
      this.clock,
    );
  }

  async reclaim(): Promise<void> {
    await reclaimPages((statements) => this.write(statements), this.clock);
    // It has pages as they were before. While somebody reads them, it stays; if somebody always does, it is overwritten later.
    for (let attempt = 0; attempt < LOG_ATTEMPTS; attempt += 1) {
      if (await this.#emptyLog()) return;
      await this.clock.pause(LOG_PAUSE);
    }
  }

  async #emptyLog(): Promise<boolean> {
    const [outcome] = await this.#writer.call({ kind: 'empty log' });
    return outcome?.kind === 'done' && outcome.result.isCommitted;
  }

  async unreachableParts(): Promise<readonly string[]> {
    return [];
  }

  verify(): void {
    this.#file.verifyAll();
  }

  async beginGeneration(): Promise<Generation> {
    const [outcome] = await this.#writer.call({ kind: 'begin generation' });
    if (outcome?.kind !== 'done') throw outcome === undefined ? new Error('nothing was written') : errorOf(outcome);
    const [[row = {}] = []] = outcome.result.rows;
    return { number: integerOf(row, 'number'), id: integerOf(row, 'id') };
  }

  /** All writes share one connection, and those that wait share its next transaction. */
  get stats(): EngineStats {
    const { isRunning, waiting } = this.#writes;
    return {
      queues: this.#readers.queues,
      pools: { slow: this.#readers.pool, write: { max: 1, used: isRunning ? 1 : 0, idle: isRunning ? 0 : 1, waiting } },
      writes: this.#writeTimes.stats,
      connects: 1,
      disk: { free: this.#disk.free, temporaryFree: this.#temporaryDisk.free, reserve: this.#disk.reserve },
      logBytes: this.#readers.logLength,
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.#reads.close(), this.#writes.close()]);
    await Promise.all([this.#readers.close(), this.#writer.close()]);
    this.#fast.close();
    this.#reserved.close();
  }

  /** Returns what was read only if the file is still the one that was opened. */
  #verified<Result>(read: () => Result): Result {
    try {
      const result = read();
      this.#file.verify();
      return result;
    } catch (error) {
      throw this.#file.explain(error);
    }
  }
}

function resultOf(outcome: Outcome<WriteResult> | undefined): WriteResult {
  if (outcome === undefined || 'error' in outcome) throw outcome?.error;
  return outcome.result;
}

function unpacked({ many, ...result }: SentResult): WriteResult {
  return { ...result, ...(many && { many: many.map((slice) => () => deserialize(slice)) }) };
}
