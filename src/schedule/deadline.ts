/**
 * The deadline of a request. It covers queueing, execution and sending: work for the request is cancelled when the deadline
 * passes or the client disconnects, whichever comes first.
 */

import { type CancelTimer, type Clock, systemClock } from './clock.ts';

export class Deadline {
  readonly #clock: Clock;
  #at: number;
  #controller: AbortController | undefined;
  #cancelTimer: CancelTimer | undefined;
  #cancelled: Cancelled['reason'] | undefined;
  #hasEnded = false;

  /** `timeout` is in milliseconds. */
  constructor(timeout: number, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#at = clock.monotonic() + timeout;
  }

  /** The monotonic time at which it passes. */
  get at(): number {
    return this.#at;
  }

  /** In milliseconds; 0 once it has passed. */
  get remaining(): number {
    if (this.#hasEnded) return Number.POSITIVE_INFINITY;
    return Math.max(0, this.at - this.#clock.monotonic());
  }

  /** Aborts with a `Cancelled`. Created on demand: most requests are answered without waiting for anything. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#cancelled !== undefined) this.#controller.abort(new Cancelled(this.#cancelled));
      else if (!this.#hasEnded && Number.isFinite(this.at)) this.#startTimer();
    }
    return this.#controller.signal;
  }

  /** Gives the request more time, in milliseconds. */
  extend(time: number): void {
    if (this.#hasEnded) return;
    this.#at += time;
    if (this.#cancelTimer === undefined) return;
    this.#cancelTimer();
    this.#startTimer();
  }

  /** Later calls have no effect. */
  cancel(reason: Cancelled['reason']): void {
    if (this.#cancelled !== undefined) return;
    this.#cancelled = reason;
    this.#controller?.abort(new Cancelled(reason));
    this.end();
  }

  /** From now on, time does not matter; the request is still cancelled if the client disconnects. */
  end(): void {
    this.#hasEnded = true;
    this.#cancelTimer?.();
  }

  #startTimer(): void {
    this.#cancelTimer = this.#clock.after(this.remaining, () => this.cancel('deadline'));
  }
}

/** The result of work that others wait for as well, unless the signal aborts before. */
export function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** For commands, which run until they are done. */
export const NO_DEADLINE = new Deadline(Number.POSITIVE_INFINITY);

export class Cancelled extends Error {
  override readonly name = 'Cancelled';
  readonly reason: 'deadline' | 'disconnected' | 'stopping';

  constructor(reason: Cancelled['reason']) {
    super(reason === 'deadline' ? 'the deadline of the request has passed' : `the request was cancelled: ${reason}`);
    this.reason = reason;
  }
}
