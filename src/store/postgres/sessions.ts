/** What connections are for, and the server settings that each kind of connection has. */

/** How long a write waits for another write to the same resource of the same account, in milliseconds. */
const WRITE_LOCK_TIMEOUT = 5_000;

/** How long a read waits while a table is being altered, in milliseconds. */
const READ_LOCK_TIMEOUT = 1_000;

/** A fast read that takes longer is cancelled and run again as a slow one, in milliseconds. */
const FAST_TIMEOUT = 100;

export const SESSIONS = {
  /** Authentication and version checks. Statements have generic plans. */
  reserved: { plan_cache_mode: 'force_generic_plan', lock_timeout: READ_LOCK_TIMEOUT },
  fast: { plan_cache_mode: 'force_generic_plan', lock_timeout: READ_LOCK_TIMEOUT, statement_timeout: FAST_TIMEOUT },
  /**
   * How many records a filter matches makes more of a difference than planning takes. A sequential scan would read the
   * records of all accounts. No statement takes more than one core, so that others are not delayed.
   */
  slow: {
    plan_cache_mode: 'force_custom_plan',
    enable_seqscan: 'off',
    max_parallel_workers_per_gather: 0,
    lock_timeout: READ_LOCK_TIMEOUT,
  },
  write: { plan_cache_mode: 'force_generic_plan', lock_timeout: WRITE_LOCK_TIMEOUT },
  stream: { plan_cache_mode: 'force_generic_plan', lock_timeout: READ_LOCK_TIMEOUT },
  migration: { lock_timeout: 0, statement_timeout: 0 },
} as const;

export type SessionKind = keyof typeof SESSIONS;

export interface SessionOptions {
  /** How long a statement may run, in seconds; 0 means unlimited. */
  readonly statementTimeout: number;
}

export function settingsOf(kind: SessionKind, { statementTimeout }: SessionOptions): Readonly<Record<string, string>> {
  const settings = {
    TimeZone: 'UTC',
    // Compiling a statement would take longer than running it.
    jit: 'off',
    // As many digits as are needed to distinguish a double from every other.
    extra_float_digits: 1,
    statement_timeout: statementTimeout * 1_000,
    ...SESSIONS[kind],
  };
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
}
