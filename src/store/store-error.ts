/** What a store throws where it cannot answer through no fault of the request. Engines translate their drivers' errors to these. */

/** Why it cannot answer now, and after how many seconds it is worth trying again. */
const REASONS = { busy: 1, 'too slow': 5, unreachable: 2, exhausted: 60 } as const;

/** It cannot answer now. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  readonly reason: keyof typeof REASONS;

  constructor(reason: keyof typeof REASONS, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.reason = reason;
  }

  /** Seconds. */
  get retryAfter(): number {
    return REASONS[this.reason];
  }
}

/** A write waited for another in vain, while reads go on. */
export function isBusy(error: unknown): boolean {
  return error instanceof StoreUnavailable && error.reason === 'busy';
}

/** The database cannot be used at all: its file, its address, its version or its rights are wrong. The message says what to do. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
}
