/** The errors of a store. Engines translate their drivers' errors to these. */

import type { AccountId } from './account-id.ts';

/** Why the store is unavailable, and the seconds after which a retry is worthwhile. */
const RETRY_AFTER = {
  busy: 1,
  'too slow': 5,
  unreachable: 2,
  'partly unreachable': 2,
  'not writable': 10,
  exhausted: 60,
  'no temporary space': 60,
  damaged: 60,
} as const;

export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  readonly reason: keyof typeof RETRY_AFTER;

  constructor(reason: keyof typeof RETRY_AFTER, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.reason = reason;
  }

  /** In seconds. */
  get retryAfter(): number {
    return RETRY_AFTER[this.reason];
  }
}

/** The ledger of an account is missing, or cannot be read. Others are not affected. */
export class DamagedLedger extends StoreUnavailable {
  readonly account: AccountId;

  constructor(account: AccountId, options: { readonly cause?: unknown } = {}) {
    super('damaged', 'A ledger of the account is missing or cannot be read. "stockbook check" says which', options);
    this.account = account;
  }
}

/** A statement is about a field that has been removed meanwhile, so its session is outdated. It changed nothing. */
export class OutdatedFields extends Error {
  override readonly name = 'OutdatedFields';
}

/** Nothing can be read, not even who has access. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof UnusableDatabase || (error instanceof StoreUnavailable && error.reason === 'unreachable');
}

/** A write timed out waiting for a lock; reads still work. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof StoreUnavailable && error.reason === 'busy';
}

/** The database cannot be used at all: its file, address, version or permissions are wrong. The message says what to do. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
  readonly defect: Defect | undefined;

  constructor(message: string, defect?: Defect) {
    super(message);
    this.defect = defect;
  }
}

/** What happened to a database that was usable before. */
export type Defect = 'damaged' | 'replaced';

/** The database rejected a statement because of its values. Nothing was changed. */
export class StatementRejected extends Error {
  override readonly name = 'StatementRejected';
}

/** A text has more bytes than a row may have. It has to be read in another way. */
export class ResultTooLarge extends Error {
  override readonly name = 'ResultTooLarge';
}

/** The records of a page have more bytes than a response may have. */
export class PageTooLarge extends Error {
  override readonly name = 'PageTooLarge';
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`the records of the page have more than ${maxBytes} bytes`);
    this.maxBytes = maxBytes;
  }
}

/** An account has as many requests that wait for changes as it may have. */
export class TooManyWaiters extends Error {
  override readonly name = 'TooManyWaiters';
  readonly max: number;

  constructor(max: number) {
    super(`${max} requests of the account are waiting for changes`);
    this.max = max;
  }
}
