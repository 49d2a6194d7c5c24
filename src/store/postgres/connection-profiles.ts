/** What connections are for, and the server settings that follow from it. */

/** How long a write waits for another write to the same resource of the same account, in milliseconds. */
export const WRITE_LOCK_TIMEOUT = 5_000;

/** How long a load with many rows does, in milliseconds. */
const LOAD_LOCK_TIMEOUT = 120_000;

/** How long a read waits while a table is being altered, in milliseconds. */
const READ_LOCK_TIMEOUT = 1_000;

/** A fast read that takes longer is cancelled and run again as a slow one, in milliseconds. */
export const FAST_TIMEOUT = 100;

/** How often the server checks if the connection of a running statement is gone, in milliseconds. It then cancels it. */
export const CHECK_INTERVAL = 250;

export const PROFILES = {
  /** Authentication and version checks. Statements have generic plans. */
  reserved: { plan_cache_mode: 'force_generic_plan', lock_timeout: READ_LOCK_TIMEOUT },
  /** Their timeout also covers waiting for locks. */
  fast: { plan_cache_mode: 'force_generic_plan', statement_timeout: FAST_TIMEOUT },
  /**
   * How many records a filter matches makes more of a difference than planning takes. A sequential scan would read the
   * records of all accounts. No statement takes more than one core, so that others are not delayed.
   */
  slow: {
    plan_cache_mode: 'force_custom_plan',
    enable_seqscan: 'off',
    max_parallel_workers_per_gather: 0,
    lock_timeout: READ_LOCK_TIMEOUT,
    client_connection_check_interval: CHECK_INTERVAL,
  },
  write: { plan_cache_mode: 'force_generic_plan', lock_timeout: WRITE_LOCK_TIMEOUT },
  /** Another load into the same resource may take that long. */
  load: { plan_cache_mode: 'force_generic_plan', lock_timeout: LOAD_LOCK_TIMEOUT, statement_timeout: 0 },
  stream: {
    plan_cache_mode: 'force_generic_plan',
    lock_timeout: READ_LOCK_TIMEOUT,
    client_connection_check_interval: CHECK_INTERVAL,
  },
  migration: { lock_timeout: 0, statement_timeout: 0 },
} as const;

export type ConnectionProfile = keyof typeof PROFILES;
