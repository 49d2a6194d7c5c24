/** Runs a mirror until somebody stops it, and waits while one of the two sides is not available. */

import { setTimeout as sleep } from 'node:timers/promises';
import { StockbookError } from '../../client/index.ts';
import type { MirrorLog } from './mirror-log.ts';

/** The first and the longest pause while one side is not available, in milliseconds. */
const FIRST_PAUSE = 1_000;
const MAX_PAUSE = 60_000;

export interface RunOptions {
  /** Whether an error of the other side passes. */
  readonly isTemporary?: (error: unknown) => boolean;
  readonly log: MirrorLog;
  readonly signal: AbortSignal;
}

/** `round` is called again and again; it says when both sides work. Rejects with an error that does not pass. */
export async function runForever(round: (succeeded: () => void) => Promise<void>, options: RunOptions): Promise<void> {
  const { isTemporary = () => false, log, signal } = options;
  let failures = 0;
  const succeeded = () => {
    if (failures > 0) log.event('Both sides are available again.');
    failures = 0;
  };
  while (!signal.aborted) {
    try {
      await round(succeeded);
    } catch (error) {
      if (signal.aborted) return;
      if (!isTemporary(error) && !(error instanceof StockbookError && error.isTemporary)) throw error;
      if (failures === 0) log.warning(`${error instanceof Error ? error.message : error} The mirror tries again.`);
      await pause(Math.min(MAX_PAUSE, pauseBefore(failures, FIRST_PAUSE)), signal);
      failures += 1;
    }
  }
}

/** Ends early, without an error, if the signal aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}

/** Twice as long for every attempt, and up to half of that more or less, so that several programs do not come back together. */
export function pauseBefore(attempt: number, first: number): number {
  return first * 2 ** Math.min(attempt, 16) * (0.5 + Math.random());
}
