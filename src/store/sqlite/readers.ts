/**
 * The threads for slow reads and streams. A read is a turn on a thread, and the accounts on a thread take turns, so a long
 * read that consists of many statements delays others by at most one of them. All reads of an account are on one thread at
 * a time: a statement that takes long, and cannot be interrupted, leaves the other threads to other accounts.
 */

import { FairQueue, type Job, type QueueStats } from '../../schedule/fair-queue.ts';
import { sumOf } from '../../schedule/histogram.ts';
import type { Chunk, Snapshot, SnapshotReads } from '../engine/engine.ts';
import { readAhead } from '../engine/read-ahead.ts';
import type { Statement } from '../sql/statement.ts';
import type { PoolStats } from '../stats.ts';
import type { FileHealth } from './file-health.ts';
import { type FileThread, startFileThread } from './file-thread.ts';
import { LinesAhead } from './lines-ahead.ts';
import type { ReadCommand, ReadResult } from './reader-thread.ts';
import { TemporarySpace } from './temporary-space.ts';
import { type WalOptions, WalWatch } from './wal-watch.ts';

const THREADS = 3;

/** The maximum number of snapshots for slow reads, and the maximum of one account. */
const MAX_SNAPSHOTS = 32;
const MAX_ACCOUNT_SNAPSHOTS = 4;

/** The maximum number of slow reads of one account that wait. */
const MAX_QUEUED = 100;

/** The estimated duration of a turn in milliseconds. */
const TURN = 2;

interface Reader {
  readonly thread: FileThread<ReadCommand, ReadResult>;
  readonly turns: FairQueue;
  snapshots: number;
}

interface Assignment {
  readonly reader: Reader;
  snapshots: number;
}

export class Readers {
  readonly #file: FileHealth;
  readonly #readers: readonly Reader[];
  readonly #jobs: FairQueue;
  /** The thread of each account that has snapshots. */
  readonly #assignments = new Map<number, Assignment>();
  readonly #walWatch: WalWatch;
  readonly #space: TemporarySpace;
  #opened = 0;

  /** `reserve` is how much of the disk has to stay free, in bytes. */
  constructor(file: FileHealth, reserve: number, wal: WalOptions) {
    const { clock } = wal;
    this.#file = file;
    this.#jobs = new FairQueue(
      { slots: MAX_SNAPSHOTS, maxRunning: MAX_ACCOUNT_SNAPSHOTS, maxQueued: MAX_QUEUED },
      clock,
    );
    this.#walWatch = new WalWatch(file.identity.path, wal);
    this.#space = new TemporarySpace(reserve, clock);
    this.#readers = Array.from({ length: THREADS }, () => ({
      thread: startFileThread('reader-thread', file),
      turns: new FairQueue({ slots: 1, maxRunning: 1, maxQueued: Number.POSITIVE_INFINITY }, clock),
      snapshots: 0,
    }));
  }

  /** The slow reads that wait, and the turns of their statements on the threads. */
  get queues(): { readonly slow_reads: QueueStats; readonly reader_turns: QueueStats } {
    const turns = this.#readers.map((reader) => reader.turns.stats);
    return {
      slow_reads: this.#jobs.stats,
      reader_turns: {
        waiting: turns.reduce((sum, { waiting }) => sum + waiting, 0),
        running: turns.reduce((sum, { running }) => sum + running, 0),
        waits: sumOf(turns.map(({ waits }) => waits)),
      },
    };
  }

  /** A snapshot is a connection that is in use. */
  get pool(): PoolStats {
    const { running, waiting } = this.#jobs.stats;
    return { max: MAX_SNAPSHOTS, used: running, idle: 0, waiting };
  }

  /** Of the write-ahead log, in bytes. */
  get logLength(): number {
    return this.#walWatch.length;
  }

  slow<Result>(job: Job, body: (snapshot: SnapshotReads) => Promise<Result>): Promise<Result> {
    return this.#jobs.run(job, async () => {
      await this.#walWatch.enter();
      const end = this.#walWatch.addRead();
      let snapshot: Snapshot | undefined;
      try {
        snapshot = this.#open(job, false);
        return await body(snapshot);
      } finally {
        // Nothing else depends on when it is closed.
        Promise.resolve(snapshot?.close()).then(end, end);
      }
    });
  }

  async stream(job: Job): Promise<Snapshot> {
    await this.#walWatch.enter();
    const snapshot = this.#open(job, true);
    let lines: LinesAhead | undefined;
    const release = async () => {
      try {
        await snapshot.close();
      } finally {
        watched.remove();
      }
    };
    const watched = this.#walWatch.addStream({
      end: () => void snapshot.close().catch(() => undefined),
      readAhead: () => {
        if (lines === undefined) return false;
        const isComplete = lines.readAhead();
        isComplete.then((is) => (is ? release() : undefined)).catch(() => undefined);
        return true;
      },
    });
    return {
      read: (statement) => watched.read(() => snapshot.read(statement)),
      // Nothing is read after them.
      lines: (statement) => {
        const ahead = new LinesAhead(readAhead(snapshot.lines(statement)), this.#space);
        lines = ahead;
        return () => watched.read(() => ahead.next());
      },
      async close() {
        await lines?.close();
        await release();
      },
    };
  }

  /** Commands that were sent before are executed first. */
  async close(): Promise<void> {
    this.#walWatch.close();
    await Promise.all(this.#readers.map(({ thread }) => thread.close()));
  }

  #open(job: Job, isStream: boolean): Snapshot {
    this.#file.verify();
    const { reader, release } = this.#assign(job.account);
    const call = (command: ReadCommand) =>
      reader.turns.run({ ...job, cost: TURN }, async () => {
        // It may have been closed while it waited, and must not be opened again.
        if (!isOpen) throw new Error('the snapshot is closed');
        return reader.thread.call(command);
      });
    this.#opened += 1;
    const number = this.#opened;
    let isFirst = true;
    let isOpen = true;
    const close = async () => {
      if (!isOpen) return;
      isOpen = false;
      try {
        // Not a turn: it takes no time, and a job that is cancelled gets no more turns.
        await reader.thread.call({ kind: 'close', snapshot: number, isStream });
      } finally {
        // Only now: a statement that was cancelled keeps the thread busy until it is done.
        release();
      }
    };
    return {
      async read(statement) {
        const command = { kind: 'read', snapshot: number, isFirst, account: job.account, statement } as const;
        isFirst = false;
        const result = await call(command);
        if (result.kind !== 'rows') throw new Error('the statement was not read');
        return result.rows;
      },
      lines(statement) {
        return chunksOf(number, statement, call);
      },
      close,
    };
  }

  /** The thread on which the account has snapshots, or the one with the fewest. */
  #assign(account: number): { readonly reader: Reader; readonly release: () => void } {
    const assignment = this.#assignments.get(account) ?? { reader: this.#leastUsed(), snapshots: 0 };
    this.#assignments.set(account, assignment);
    assignment.snapshots += 1;
    assignment.reader.snapshots += 1;
    return {
      reader: assignment.reader,
      release: () => {
        assignment.snapshots -= 1;
        assignment.reader.snapshots -= 1;
        if (assignment.snapshots === 0) this.#assignments.delete(account);
      },
    };
  }

  #leastUsed(): Reader {
    const [least] = this.#readers.toSorted((a, b) => a.snapshots - b.snapshots);
    if (least === undefined) throw new Error('there are no threads');
    return least;
  }
}

type Call = (command: ReadCommand) => Promise<ReadResult>;

function chunksOf(snapshot: number, statement: Statement, call: Call): () => Promise<Chunk | undefined> {
  let first: Statement | undefined = statement;
  return async () => {
    const result = await call({ kind: 'next', snapshot, ...(first !== undefined && { statement: first }) });
    first = undefined;
    return result.kind === 'chunk' ? result.chunk : undefined;
  };
}
