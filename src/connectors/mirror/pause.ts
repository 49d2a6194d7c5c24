/** Pauses of mirrors between two attempts. */

import type { Clock } from '../../schedule/clock.ts';

/** Twice as long for every attempt, and up to half of that more or less, so that several programs do not come back together. */
export function pauseBefore(attempt: number, first: number, clock: Clock): number {
  return first * 2 ** Math.min(attempt, 16) * (0.5 + clock.jitter());
}
