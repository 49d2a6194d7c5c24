/** What a service does by itself, in short transactions: it completes what was interrupted, and prunes what has expired. */

import type { Emit } from '../observe/events.ts';
import { IMPORT_RETENTION, type Store } from '../store/store.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

type MaintainedStore = Pick<Store, 'records' | 'accounts' | 'keys' | 'imports'>;

interface Job {
  readonly name: string;
  /** In milliseconds. */
  readonly interval: number;
  run(store: MaintainedStore, retention: number): Promise<void>;
}

const jobs: readonly Job[] = [
  { name: 'revocations', interval: 5 * SECOND, run: ({ keys }) => keys.settleRevocations() },
  { name: 'removals of accounts', interval: 60 * SECOND, run: ({ accounts }) => accounts.finishRemovals() },
  { name: 'search indexes', interval: 60 * SECOND, run: ({ records }) => records.completeSearch() },
  {
    name: 'removed records',
    interval: HOUR,
    run: ({ records }, retention) => records.prune(daysAgo(retention)),
  },
  { name: 'old imports', interval: HOUR, run: ({ imports }) => imports.prune(daysAgo(IMPORT_RETENTION)) },
];

function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY).toISOString();
}

/** `retention` is how long changes are kept, in days. Returns a function that ends it. */
export function startMaintenance(store: MaintainedStore, retention: number, emit: Emit): () => void {
  let hasEnded = false;
  const timers = jobs.map(({ name, interval, run }) => {
    let isRunning = false;
    const start = async () => {
      if (isRunning) return;
      isRunning = true;
      // It is tried again later.
      await run(store, retention).catch((error: unknown) => {
        if (!hasEnded) emit({ kind: 'maintenance failed', job: name, error });
      });
      isRunning = false;
    };
    void start();
    return setInterval(start, interval).unref();
  });
  return () => {
    hasEnded = true;
    for (const timer of timers) clearInterval(timer);
  };
}
