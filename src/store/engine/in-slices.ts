/** Long work on the database in short transactions. */

import { setTimeout } from 'node:timers/promises';

/** Other processes that wait for SQLite's lock look for it at least this often, in milliseconds. */
const LOCK_POLL = 100;

/**
 * Repeats a short write until it returns that nothing is left. After each, it pauses for as long as the write took, or until every process that
 * waits has looked for the lock, so that others, including other processes, can write in between.
 */
export async function inSlices(slice: () => Promise<'more' | 'done'>): Promise<void> {
  for (;;) {
    const started = performance.now();
    if ((await slice()) === 'done') return;
    await setTimeout(Math.min(performance.now() - started, LOCK_POLL));
  }
}
