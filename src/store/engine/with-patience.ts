/**
 * Repeats a write that timed out waiting for a lock. Other writes give up sooner, but a key that has to be revoked must not stay valid
 * because of an import. Between two attempts, no other write has to wait for it.
 */

import type { Clock } from '../../schedule/clock.ts';
import { isLockTimeout } from '../store-error.ts';

/** In milliseconds. */
const PATIENCE = 60_000;

/** `pause` is the time between two attempts, and `patience` that after which it is not attempted again, in milliseconds: those who wait for a write that waits get their turn. */
export async function withPatience<Result>(
  clock: Clock,
  write: () => Promise<Result>,
  pause = 0,
  patience = PATIENCE,
): Promise<Result> {
  const started = clock.monotonic();
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isLockTimeout(error) || clock.monotonic() - started >= patience) throw error;
      if (pause > 0) await clock.pause(pause);
    }
  }
}
