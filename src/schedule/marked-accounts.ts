/** Accounts whose reads were more expensive than they seemed to be. They are treated as such for a while. */

/** In milliseconds, from the last such read. */
const PERIOD = 10_000;

export class MarkedAccounts {
  /** On the monotonic clock. */
  readonly #until = new Map<number, number>();

  add(account: number): void {
    this.#until.set(account, performance.now() + PERIOD);
  }

  has(account: number): boolean {
    const until = this.#until.get(account);
    if (until === undefined) return false;
    if (performance.now() < until) return true;
    this.#until.delete(account);
    return false;
  }
}
