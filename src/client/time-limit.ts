/** Ends a request when its time is up, or when the caller's signal does. */

import type { Clock } from './clock.ts';
import { StockbookError } from './stockbook-error.ts';

/** In milliseconds, 25 days. A timer that is set to more fires at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

export class TimeLimit {
  readonly #controller = new AbortController();
  readonly #milliseconds: number;
  readonly #outer: AbortSignal | undefined;
  readonly #clock: Clock;
  readonly #abort = () => this.#controller.abort(this.#outer?.reason);
  #cancelTimer: (() => void) | undefined;
  #hasEnded = false;

  constructor(milliseconds: number, outer: AbortSignal | undefined, clock: Clock) {
    this.#milliseconds = Math.min(milliseconds, LONGEST_TIMER);
    this.#outer = outer;
    this.#clock = clock;
    // Not AbortSignal.any: a signal that outlives many requests would collect what they leave behind.
    outer?.addEventListener('abort', this.#abort);
    this.start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the request was ended; undefined if it was not. */
  get reason(): unknown {
    return this.signal.aborted ? this.signal.reason : undefined;
  }

  /** Ends the request for a reason of the caller's. */
  fail(reason: unknown): void {
    this.#controller.abort(reason);
  }

  start(): void {
    this.stop();
    if (this.#hasEnded) return;
    this.#cancelTimer = this.#clock.after(this.#milliseconds, () => {
      const detail = `There was no response within ${this.#milliseconds} ms.`;
      this.#controller.abort(new StockbookError('timeout', { detail }));
    });
  }

  stop(): void {
    this.#cancelTimer?.();
  }

  end(): void {
    this.#hasEnded = true;
    this.stop();
    this.#outer?.removeEventListener('abort', this.#abort);
  }
}
