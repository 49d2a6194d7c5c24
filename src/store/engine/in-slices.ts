/** Long work on the database in short transactions. */

import { setTimeout } from 'node:timers/promises';

/**
 * Repeats a short write until it returns that nothing is left. After each, it pauses for as long as the write took, so that others, including other
 * processes, can write in between.
 */
export async function inSlices(slice: () => Promise<'more' | 'done'>): Promise<void> {
  for (;;) {
    const started = performance.now();
    if ((await slice()) === 'done') return;
    await setTimeout(performance.now() - started);
  }
}
