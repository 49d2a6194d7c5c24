/** Accounts whose reads were slow although they seemed to be fast. All reads of such an account count as slow for a while. */

import type { Row } from '../sql/row.ts';

/** In milliseconds, from the last such read. */
const PERIOD = 10_000;

/** A value with more characters is slow to read, however fast the database found it. */
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

  /** Returns the rows that were read for the account, and adds it if they are large. */
  checked(account: number, rows: readonly Row[]): readonly Row[] {
    if (rows.some(isLarge)) this.add(account);
    return rows;
  }
}

function isLarge(row: Row): boolean {
  return Object.values(row).some((value) => typeof value === 'string' && value.length > MAX_FAST_LENGTH);
}
