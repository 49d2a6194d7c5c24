/** Pauses of mirrors. */

import { setTimeout as sleep } from 'node:timers/promises';

/** Ends early, without an error, if the signal aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}

/** Twice as long for every attempt, and up to half of that more or less, so that several programs do not come back together. */
export function pauseBefore(attempt: number, first: number): number {
  return first * 2 ** Math.min(attempt, 16) * (0.5 + Math.random());
}
