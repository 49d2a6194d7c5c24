/** Accounts whose requests were more expensive than they seemed to be. They are treated as such for a while. */

/** In milliseconds, from the last such request. */
const PERIOD = 10_000;

interface Mark {
  /** On the monotonic clock. */
  readonly until: number;
  /** The smallest request that was too expensive. */
  readonly size: number;
}

export class MarkedAccounts {
  readonly #marks = new Map<number, Mark>();

  /** `size` is that of the request, if it matters: smaller ones are not affected. */
  add(account: number, size = 0): void {
    const smallest = this.has(account) ? Math.min(size, this.#marks.get(account)?.size ?? size) : size;
    this.#marks.set(account, { until: performance.now() + PERIOD, size: smallest });
  }

  has(account: number, size = Number.POSITIVE_INFINITY): boolean {
    const mark = this.#marks.get(account);
    if (mark === undefined) return false;
    if (performance.now() < mark.until) return size >= mark.size;
    this.#marks.delete(account);
    return false;
  }
}
