/** Accounts whose requests were more expensive than they seemed to be. They are treated as such for a while. */

import { type Clock, systemClock } from './clock.ts';

/** In milliseconds, from the last such request. */
const PERIOD = 10_000;

interface Mark {
  /** A monotonic time. */
  readonly until: number;
  /** The smallest request that was too expensive. */
  readonly size: number;
}

export class MarkedAccounts {
  readonly #clock: Clock;
  readonly #marks = new Map<number, Mark>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** `size` is that of the request, if it matters: smaller ones are not affected. */
  add(account: number, size = 0): void {
    const smallest = this.has(account) ? Math.min(size, this.#marks.get(account)?.size ?? size) : size;
    this.#marks.set(account, { until: this.#clock.monotonic() + PERIOD, size: smallest });
  }

  has(account: number, size = Number.POSITIVE_INFINITY): boolean {
    const mark = this.#marks.get(account);
    if (mark === undefined) return false;
    if (this.#clock.monotonic() < mark.until) return size >= mark.size;
    this.#marks.delete(account);
    return false;
  }
}
