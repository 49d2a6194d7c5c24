/** Accounts whose reads were slow although they seemed to be fast. All reads of such an account count as slow for a while. */

/** In milliseconds, from the last such read. */
const PERIOD = 10_000;

/** A result with more characters is slow to read, however fast the database is. */
const MAX_FAST_LENGTH = 1024 * 1024;

export class SlowAccounts {
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
