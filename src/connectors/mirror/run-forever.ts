/** Runs a mirror until somebody stops it, and waits while one of the two sides is not available. */

import { StockbookError } from '../../client/index.ts';
import type { Account } from './account.ts';
import type { MirrorLog } from './mirror-log.ts';
import { pause, pauseBefore } from './pause.ts';

/** The first and the longest pause while one side is not available, in milliseconds. */
const FIRST_PAUSE = 1_000;
const MAX_PAUSE = 60_000;

export interface RunOptions {
  /** The account that is kept equal, and the sources that it has: they say what the mirror fails with. */
  readonly account: Account;
  readonly sources: readonly string[];
  /** Whether an error of the other side passes. */
  readonly isTemporary?: (error: unknown) => boolean;
  readonly log: MirrorLog;
  readonly signal: AbortSignal;
}

/** `round` is called again and again; it says when both sides work. Rejects with an error that does not pass. */
export async function runForever(round: (succeeded: () => void) => Promise<void>, options: RunOptions): Promise<void> {
  const { account, sources, isTemporary = () => false, log, signal } = options;
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
      for (const source of sources) await account.reportFailure(source, message);
      if (!isTemporary(error) && !(error instanceof StockbookError && error.isTemporary)) throw error;
      if (failures === 0) log.warning(`${message} The mirror tries again.`);
      await pause(Math.min(MAX_PAUSE, pauseBefore(failures, FIRST_PAUSE)), signal);
      failures += 1;
    }
  }
}
