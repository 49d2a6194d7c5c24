/**
 * Whether the database is unavailable: an event when an outage begins, and one when it is over, however many requests fail
 * in between. During an outage the database is checked every second, so its end is noticed even if nobody sends requests.
 */

import { type StoreUnavailable, UnusableDatabase } from '../store/store-error.ts';
import type { Emit } from './events.ts';

/** How often the database is checked during an outage, in milliseconds. */
const CHECK_INTERVAL = 1_000;

/**
 * An outage is over if the check succeeds and no request has failed for this long, in milliseconds. The check only reads:
 * if a disk is full, it succeeds, and only writes fail.
 */
const QUIET_TIME = { unreachable: 0, exhausted: 30_000 } as const;

interface State {
  readonly since: number;
  readonly quietTime: number;
  lastFailure: number;
  failedRequests: number;
}

export class Outage {
  /** Throws if the database is unavailable. */
  readonly #check: () => Promise<void>;
  readonly #emit: Emit;
  /** A monotonic clock in milliseconds. */
  readonly #now: () => number;
  #state: State | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(check: () => Promise<void>, emit: Emit, now: () => number = () => performance.now()) {
    this.#check = check;
    this.#emit = emit;
    this.#now = now;
  }

  /** A request has failed. That it took too long, or waited for another write, is not an outage. */
  add(error: StoreUnavailable | UnusableDatabase): void {
    const reason = error instanceof UnusableDatabase ? 'unreachable' : error.reason;
    if (reason !== 'unreachable' && reason !== 'exhausted') return;
    const now = this.#now();
    if (this.#state === undefined) {
      this.#state = { since: now, quietTime: QUIET_TIME[reason], lastFailure: now, failedRequests: 0 };
      this.#emit({ kind: 'database unavailable', reason, error });
      this.#checkLater();
    }
    this.#state.lastFailure = now;
    this.#state.failedRequests += 1;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #checkLater(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      const started = this.#now();
      this.#check().then(
        () => this.#passed(started),
        () => this.#checkLater(),
      );
    }, CHECK_INTERVAL).unref();
  }

  #passed(started: number): void {
    const state = this.#state;
    if (state === undefined) return;
    // Likewise if a request has failed since the check began.
    if (started - state.lastFailure < state.quietTime) {
      this.#checkLater();
      return;
    }
    this.#state = undefined;
    const { since, failedRequests } = state;
    const milliseconds = Math.round(this.#now() - since);
    this.#emit({ kind: 'database available again', milliseconds, failedRequests });
  }
}
