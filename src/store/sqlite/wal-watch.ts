/**
 * Keeps the write-ahead log short. SQLite starts it over at a moment in which nobody reads from it, and every write makes it longer until then.
 * So when it is due to be started over, new long reads wait for such a moment, and streams are read ahead of their clients. A stream that still holds
 * it back is ended.
 */

import { statSync } from 'node:fs';
import type { CancelTimer, Clock } from '../../schedule/clock.ts';
import { Cancelled } from '../../schedule/deadline.ts';
import { StoreUnavailable } from '../store-error.ts';

/** A longer log is due to be started over, in bytes. Without long reads, SQLite does so at 4 MiB; a file of 16 MiB may stay when it has. */
const DUE_BYTES = 32 * 1024 * 1024;

/** A longer log ends the streams that hold it back, in bytes. */
export const MAX_WAL_BYTES = 64 * 1024 * 1024;

/** How long a stream may wait until more of it is read, in milliseconds. One that is read steadily takes as long as it needs, */
const MAX_WAIT = 5_000;

/** but no longer than this. By default, the deadline of other requests is shorter; building an index in memory has none. */
const MAX_AGE = 60_000;

/** How long new reads wait at most, and how long they do not wait afterwards, in milliseconds: another process may read or write for as long as it likes. */
const MAX_PAUSE = 10_000;

/** A log that was longer than the maximum for this time is reported, in milliseconds. */
const REPORTED_AFTER = 60_000;

/** How often the length of the log is checked, in milliseconds. */
const INTERVAL = 100;

interface WatchedStream {
  readonly openedAt: number;
  /** How long the log was, in bytes. SQLite does not make it shorter at once when it starts it over. */
  readonly openedLength: number;
  /** Since when nobody reads; undefined while somebody does. */
  waitingSince: number | undefined;
  isEnded: boolean;
  isReadAhead: boolean;
  readonly options: StreamOptions;
}

export interface StreamOptions {
  /** Called if the stream has to be ended. */
  readonly end: () => void;
  /** Called if the rest of it should be read now, and kept somewhere else. False if it has not begun. */
  readonly readAhead: () => boolean;
}

export interface Watched {
  /** Reads from the stream. Rejects if it has been ended. */
  read<Result>(body: () => Promise<Result>): Promise<Result>;
  /** The stream is closed. */
  remove(): void;
}

export interface LongLog {
  readonly bytes: number;
  /** How many long reads of this process hold it back. */
  readonly reads: number;
}

export interface WalOptions {
  /** Starts the log over. False if somebody reads or writes. Undefined if this process must not. */
  readonly restart: (() => Promise<boolean>) | undefined;
  /** Whether a transaction is being written that takes long: the log cannot be started over before it ends. */
  readonly isWriting?: () => boolean;
  /** Called if the log is too long for a minute, and not again before it was short. */
  readonly onLong?: ((log: LongLog) => void) | undefined;
  readonly clock: Clock;
}

export class WalWatch {
  readonly #path: string;
  readonly #options: WalOptions;
  readonly #clock: Clock;
  readonly #streams = new Set<WatchedStream>();
  /** Long reads that are under way, streams included. */
  #reads = 0;
  readonly #waiting: (() => void)[] = [];
  #waitingSince = 0;
  /** No read waits before. */
  #nextPause = Number.NEGATIVE_INFINITY;
  #isRestarting = false;
  #longSince: number | undefined;
  #isReported = false;
  readonly #endChecks: CancelTimer;
  #isClosed = false;

  constructor(path: string, options: WalOptions) {
    this.#path = `${path}-wal`;
    this.#options = options;
    this.#clock = options.clock;
    this.#endChecks = this.#clock.every(INTERVAL, () => this.#check());
  }

  /** In bytes. */
  get length(): number {
    return statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Resolves when a long read may begin: at once, unless the log has to be started over first. */
  async enter(): Promise<void> {
    const now = this.#clock.monotonic();
    if (this.#isClosed || now < this.#nextPause || this.length <= DUE_BYTES || this.#isHopeless) return;
    if (this.#waiting.length === 0) this.#waitingSince = now;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    this.#restart();
    await promise;
  }

  /** A long read has begun. The function that is returned has to be called when it is over. */
  addRead(): () => void {
    this.#reads += 1;
    return () => {
      this.#reads -= 1;
      this.#restart();
    };
  }

  addStream(options: StreamOptions): Watched {
    const now = this.#clock.monotonic();
    const stream: WatchedStream = {
      openedAt: now,
      openedLength: this.length,
      waitingSince: now,
      isEnded: false,
      isReadAhead: false,
      options,
    };
    this.#streams.add(stream);
    const removeRead = this.addRead();
    return {
      read: async (body) => {
        if (stream.isEnded) throw endedError();
        stream.waitingSince = undefined;
        try {
          return await body();
        } catch (error) {
          // It may be what was being read when the stream was ended.
          throw stream.isEnded && !(error instanceof Cancelled) ? endedError(error) : error;
        } finally {
          stream.waitingSince = this.#clock.monotonic();
        }
      },
      remove: () => {
        if (this.#streams.delete(stream)) removeRead();
      },
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#endChecks();
    this.#letIn();
  }

  get #isHopeless(): boolean {
    const { restart, isWriting } = this.#options;
    return restart === undefined || isWriting?.() === true;
  }

  #letIn(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #check(): void {
    const { length } = this;
    if (length <= MAX_WAL_BYTES) {
      this.#longSince = undefined;
      this.#isReported = false;
    }
    if (length <= DUE_BYTES) {
      this.#letIn();
      return;
    }
    const now = this.#clock.monotonic();
    for (const stream of this.#streams) {
      // It may have been opened after the log was long.
      if (length <= stream.openedLength) continue;
      stream.isReadAhead ||= stream.options.readAhead();
      if (length > MAX_WAL_BYTES) this.#endIfTooLong(stream, now);
    }
    if (length > MAX_WAL_BYTES) this.#report(length, now);
    if (this.#isHopeless) this.#letIn();
    if (this.#waiting.length > 0 && now - this.#waitingSince >= MAX_PAUSE) {
      this.#nextPause = now + MAX_PAUSE;
      this.#letIn();
    }
    this.#restart();
  }

  #endIfTooLong(stream: WatchedStream, now: number): void {
    const { openedAt, waitingSince = now, isEnded, options } = stream;
    if (isEnded || (now - waitingSince < MAX_WAIT && now - openedAt < MAX_AGE)) return;
    stream.isEnded = true;
    options.end();
  }

  #report(bytes: number, now: number): void {
    this.#longSince ??= now;
    if (this.#isReported || now - this.#longSince < REPORTED_AFTER) return;
    this.#isReported = true;
    this.#options.onLong?.({ bytes, reads: this.#reads });
  }

  /** Others may write all the time, so that SQLite does not find the moment by itself. */
  #restart(): void {
    const { restart } = this.#options;
    if (restart === undefined || this.#waiting.length === 0 || this.#reads > 0 || this.#isRestarting) return;
    this.#isRestarting = true;
    restart()
      .catch(() => false)
      .then((isRestarted) => {
        this.#isRestarting = false;
        if (isRestarted) this.#letIn();
      });
  }
}

function endedError(cause?: unknown): StoreUnavailable {
  return new StoreUnavailable(
    'too slow',
    `the stream was ended because it held back the write-ahead log, which is longer than ${MAX_WAL_BYTES / 1024 / 1024} MiB`,
    { cause },
  );
}
