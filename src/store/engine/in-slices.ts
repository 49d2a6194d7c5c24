/** Long work on the database in short transactions. */

import type { Clock } from '../../schedule/clock.ts';

/** Other processes that wait for SQLite's lock look for it at least this often, in milliseconds. */
const LOCK_POLL = 100;

/**
 * Repeats a short write until it returns that nothing is left. After each, it pauses for as long as the write took, or until every process that
 * waits has looked for the lock, so that others, including other processes, can write in between.
 */
export async function inSlices(clock: Clock, slice: () => Promise<'more' | 'done'>): Promise<void> {
  for (;;) {
    const started = clock.monotonic();
    if ((await slice()) === 'done') return;
    await clock.pause(Math.min(clock.monotonic() - started, LOCK_POLL));
  }
}
