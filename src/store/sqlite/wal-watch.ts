/**
 * Ends streams that hold back the write-ahead log. While a snapshot is open, SQLite cannot start the log over, and every
 * write makes it longer.
 */

import { statSync } from 'node:fs';
import { StoreUnavailable } from '../store-error.ts';

/** A longer log ends the streams that hold it back, in bytes. */
const MAX_WAL_BYTES = 64 * 1024 * 1024;

/** A stream is not ended before it is this old, in milliseconds: a newer one may have started after the log was long. */
const MIN_AGE = 5_000;

/** How often the length of the log is checked, in milliseconds. */
const INTERVAL = 1_000;

interface WatchedStream {
  readonly openedAt: number;
  /** How long the log was, in bytes. SQLite does not make it shorter at once when it starts it over. */
  readonly openedLength: number;
  isEnded: boolean;
  end(): void;
}

export class WalWatch {
  readonly #path: string;
  readonly #streams = new Set<WatchedStream>();
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string) {
    this.#path = `${path}-wal`;
  }

  /** `end` is called if the stream has to be ended; `check` throws from then on. */
  add(end: () => void): { check(): void; remove(): void } {
    const stream = { openedAt: performance.now(), openedLength: this.#length(), isEnded: false, end };
    this.#streams.add(stream);
    this.#timer ??= setInterval(() => this.#check(), INTERVAL).unref();
    return {
      check() {
        if (stream.isEnded) throw endedError();
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
    const now = performance.now();
    for (const stream of this.#streams) {
      if (stream.isEnded || now - stream.openedAt < MIN_AGE || length <= stream.openedLength) continue;
      stream.isEnded = true;
      stream.end();
    }
  }
}

function endedError(): StoreUnavailable {
  return new StoreUnavailable(
    'busy',
    `the export was ended because it held back the write-ahead log, which is longer than ${MAX_WAL_BYTES / 1024 / 1024} MiB`,
  );
}
