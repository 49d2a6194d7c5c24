/** What a service does by itself, in short transactions: it completes what was interrupted, and prunes what has expired. */

import type { Emit } from '../observe/events.ts';
import { type Clock, systemClock } from '../schedule/clock.ts';
import { IMPORT_RETENTION, type Store } from '../store/store.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

type MaintainedStore = Pick<Store, 'records' | 'accounts' | 'keys' | 'imports'>;

interface Job {
  readonly name: string;
  /** In milliseconds. */
  readonly interval: number;
  run(store: MaintainedStore, daysAgo: (days: number) => string, retention: number): Promise<void>;
}

const jobs: readonly Job[] = [
  { name: 'revocations', interval: 5 * SECOND, run: ({ keys }) => keys.settleRevocations() },
  { name: 'removals of accounts', interval: 60 * SECOND, run: ({ accounts }) => accounts.finishRemovals() },
  { name: 'search indexes', interval: 60 * SECOND, run: ({ records }) => records.completeSearch() },
  {
    name: 'removed records',
    interval: HOUR,
    run: ({ records }, daysAgo, retention) => records.prune(daysAgo(retention)),
  },
  { name: 'old imports', interval: HOUR, run: ({ imports }, daysAgo) => imports.prune(daysAgo(IMPORT_RETENTION)) },
];

/** `retention` is how long changes are kept, in days. Returns a function that ends it. */
export function startMaintenance(
  store: MaintainedStore,
  retention: number,
  emit: Emit,
  clock: Clock = systemClock,
): () => void {
  let hasEnded = false;
  const daysAgo = (days: number) => new Date(clock.wall() - days * DAY).toISOString();
  const timers = jobs.map(({ name, interval, run }) => {
    let isRunning = false;
    const start = async () => {
      if (isRunning) return;
      isRunning = true;
      // It is tried again later.
      await run(store, daysAgo, retention).catch((error: unknown) => {
        if (!hasEnded) emit({ kind: 'maintenance failed', job: name, error });
      });
      isRunning = false;
    };
    void start();
    return clock.every(interval, () => void start());
  });
  return () => {
    hasEnded = true;
    for (const cancel of timers) cancel();
  };
}
