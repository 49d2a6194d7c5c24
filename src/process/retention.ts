/** Forgets removed records once nobody may ask for them any more. */

import type { Emit } from '../observe/events.ts';
import type { Records } from '../store/store.ts';

/** How often, in milliseconds. */
const INTERVAL = 3_600_000;

const DAY = 86_400_000;

/** `days` is how long changes are kept. Returns a function that ends it. */
export function startRetention(records: Pick<Records, 'prune'>, days: number, emit: Emit): () => void {
  const prune = () =>
    records
      .prune(new Date(Date.now() - days * DAY).toISOString())
      // It is tried again later.
      .catch((error: unknown) => emit({ kind: 'changes not pruned', error }));
  void prune();
  const timer = setInterval(prune, INTERVAL).unref();
  return () => clearInterval(timer);
}
