/**
 * Whether the database is unavailable: an event when an outage begins, one for each further reason, and one when it is over,
 * however many requests fail in between. During an outage the database is checked every second, so its end is noticed even if nobody sends requests.
 */

import { type CancelTimer, type Clock, systemClock } from '../schedule/clock.ts';
import { type StoreUnavailable, UnusableDatabase } from '../store/store-error.ts';
import type { Emit } from './events.ts';

/** How often the database is checked during an outage, in milliseconds. */
const CHECK_INTERVAL = 1_000;

/**
 * An outage is over if the check succeeds and no request has failed for this long, in milliseconds. The check only reads:
 * if a disk is full or read-only, it succeeds, and only writes fail. Other reasons are no outage: that a request took too
 * long, or waited for another write.
 */
const QUIET_TIME: Partial<Record<StoreUnavailable['reason'], number>> = {
  unreachable: 0,
  'partly unreachable': 30_000,
  'not writable': 30_000,
  exhausted: 30_000,
  'no temporary space': 30_000,
};

interface State {
  readonly since: number;
  /** Those that were reported. */
  readonly reasons: Set<string>;
  /** The longest of its reasons. */
  quietTime: number;
  lastFailure: number;
  failedRequests: number;
}

export class Outage {
  /** Returns the parts that cannot be reached. Throws if the whole database is unavailable. */
  readonly #check: () => Promise<readonly string[]>;
  readonly #emit: Emit;
  readonly #clock: Clock;
  #state: State | undefined;
  #cancelTimer: CancelTimer | undefined;
  #isClosed = false;

  constructor(check: () => Promise<readonly string[]>, emit: Emit, clock: Clock = systemClock) {
    this.#check = check;
    this.#emit = emit;
    this.#clock = clock;
  }

  /** A request has failed. */
  add(error: StoreUnavailable | UnusableDatabase): void {
    const reason = error instanceof UnusableDatabase ? 'unreachable' : error.reason;
    const quietTime = QUIET_TIME[reason];
    if (quietTime === undefined) return;
    const now = this.#clock.monotonic();
    if (this.#state === undefined) {
      this.#state = { since: now, reasons: new Set(), quietTime, lastFailure: now, failedRequests: 0 };
      this.#checkLater();
    }
    const state = this.#state;
    state.quietTime = Math.max(state.quietTime, quietTime);
    state.lastFailure = now;
    state.failedRequests += 1;
    if (state.reasons.has(reason)) return;
    state.reasons.add(reason);
    this.#emit({ kind: 'database unavailable', reason, error });
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
  }

  #checkLater(): void {
    if (this.#isClosed) return;
    this.#cancelTimer = this.#clock.after(CHECK_INTERVAL, () => {
      const started = this.#clock.monotonic();
      this.#check().then(
        (unreachable) => (unreachable.length === 0 ? this.#passed(started) : this.#checkLater()),
        () => this.#checkLater(),
      );
    });
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
    const milliseconds = Math.round(this.#clock.monotonic() - since);
    this.#emit({ kind: 'database available again', milliseconds, failedRequests });
  }
}
