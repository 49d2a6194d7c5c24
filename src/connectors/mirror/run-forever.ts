/** Runs a mirror until somebody stops it, and waits while one of the two sides is not available. */

import { StockbookError } from '../../client/index.ts';
import type { Clock } from '../../schedule/clock.ts';
import type { Account } from './account.ts';
import type { MirrorLog } from './mirror-log.ts';
import { pauseBefore } from './pause.ts';

/** The first and the longest pause while one side is not available, in milliseconds. */
const FIRST_PAUSE = 1_000;
const MAX_PAUSE = 60_000;

export interface RunOptions {
  /** The account that is kept equal. */
  readonly account: Account;
  /** The sources that could not be read completely, after an error. */
  readonly failing: () => readonly string[];
  /** Whether an error of the other side passes. */
  readonly isTemporary?: (error: unknown) => boolean;
  readonly log: MirrorLog;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** `round` is called again and again; it says when both sides work. Rejects with an error that does not pass. */
export async function runForever(round: (succeeded: () => void) => Promise<void>, options: RunOptions): Promise<void> {
  const { account, failing, isTemporary = () => false, log, signal, clock } = options;
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
      const message = error instanceof Error ? error.message : String(error);
      const passes = isTemporary(error) || (error instanceof StockbookError && error.isTemporary);
      if (passes && failures === 0) log.warning(`${message} The mirror tries again.`);
      await Promise.all(failing().map((source) => account.reportFailure(source, message)));
      if (!passes) throw error;
      const pause = Math.max(retryAfterOf(error), pauseBefore(failures, FIRST_PAUSE, clock));
      await clock.pause(Math.min(MAX_PAUSE, pause), signal);
      failures += 1;
    }
  }
}

/** How long the other side asks to wait, in milliseconds. Those who have sent the request have given up, so they have not waited. */
function retryAfterOf(error: unknown): number {
  if (!(error instanceof Error && 'retryAfter' in error)) return 0;
  return typeof error.retryAfter === 'number' ? error.retryAfter : 0;
}
