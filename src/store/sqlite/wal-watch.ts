/**
 * Ends streams that hold back the write-ahead log. While a snapshot is open, SQLite cannot start the log over, and every
 * write makes it longer.
 */

import { statSync } from 'node:fs';
import { Cancelled } from '../../schedule/deadline.ts';
import { StoreUnavailable } from '../store-error.ts';

/** A longer log ends the streams that hold it back, in bytes. */
const MAX_WAL_BYTES = 64 * 1024 * 1024;

/** How long a stream may wait until more of it is read, in milliseconds. One that is read steadily takes as long as it needs, */
const MAX_WAIT = 5_000;

/** but no longer than this. By default, the deadline of other requests is shorter; building an index in memory has none. */
const MAX_AGE = 60_000;

/** How often the length of the log is checked, in milliseconds. */
const INTERVAL = 1_000;

interface WatchedStream {
  readonly openedAt: number;
  /** How long the log was, in bytes. SQLite does not make it shorter at once when it starts it over. */
  readonly openedLength: number;
  /** Since when nobody reads; undefined while somebody does. */
  waitingSince: number | undefined;
  isEnded: boolean;
  end(): void;
}

export interface Watched {
  /** Reads from the stream. Rejects if it has been ended. */
  read<Result>(body: () => Promise<Result>): Promise<Result>;
  /** The stream is closed. */
  remove(): void;
}

export class WalWatch {
  readonly #path: string;
  readonly #now: () => number;
  readonly #streams = new Set<WatchedStream>();
  #timer: NodeJS.Timeout | undefined;

  /** `now` is a clock, in milliseconds. */
  constructor(path: string, now: () => number = () => performance.now()) {
    this.#path = `${path}-wal`;
    this.#now = now;
  }

  /** `end` is called if the stream has to be ended. */
  add(end: () => void): Watched {
    const now = this.#now();
    const stream: WatchedStream = {
      openedAt: now,
      openedLength: this.#length(),
      waitingSince: now,
      isEnded: false,
      end,
    };
    this.#streams.add(stream);
    this.#timer ??= setInterval(() => this.#check(), INTERVAL).unref();
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
          stream.waitingSince = this.#now();
        }
      },
      remove: () => {
        this.#streams.delete(stream);
        if (this.#streams.size === 0) this.close();
      },
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #length(): number {
    return statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
  }

  #check(): void {
    const length = this.#length();
    if (length <= MAX_WAL_BYTES) return;
    const now = this.#now();
    for (const stream of this.#streams) {
      const { openedAt, openedLength, waitingSince = now, isEnded } = stream;
      const isTooLong = now - waitingSince >= MAX_WAIT || now - openedAt >= MAX_AGE;
      // It may have been opened after the log was long.
      if (isEnded || !isTooLong || length <= openedLength) continue;
      stream.isEnded = true;
      stream.end();
    }
  }
}

function endedError(cause?: unknown): StoreUnavailable {
  return new StoreUnavailable(
    'too slow',
    `the stream was ended because it held back the write-ahead log, which is longer than ${MAX_WAL_BYTES / 1024 / 1024} MiB`,
    { cause },
  );
}
