/** Forgets removed records once nobody may ask for them any more. One process of a node does it. */

import type { Emit } from '../observe/events.ts';
import type { Records } from '../store/store.ts';

/** How often, in milliseconds. */
const INTERVAL = 3_600_000;

const DAY = 86_400_000;

/** `days` is how long changes are kept. Returns a function that ends it. */
export function startRetention(records: Pick<Records, 'prune'>, days: number, emit: Emit): () => void {
  let isEnded = false;
  const prune = () =>
    records.prune(new Date(Date.now() - days * DAY).toISOString()).catch((error: unknown) => {
      // It is tried again later.
      if (!isEnded) emit({ kind: 'changes not pruned', error });
    });
  void prune();
  const timer = setInterval(prune, INTERVAL).unref();
  return () => {
    isEnded = true;
    clearInterval(timer);
  };
}
