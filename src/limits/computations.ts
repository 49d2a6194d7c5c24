/**
 * Computations that take long. Accounts take turns, and identical requests share one computation.
 *
 * A computation then also waits in `ColumnSteps`, for each of its steps. Neither queue can replace the other, because they share out different
 * things. Here it is memory, snapshots and connections: a computation holds up to 16 million values, and a stream of lines, from its
 * first step to its last, so few may be under way. There it is the time of one thread: whatever is under way gets it in slices of 5 ms, so that a
 * list does not wait for a whole computation.
 */

import type { Clock } from '../schedule/clock.ts';
import { FairQueue, type Job, type QueueStats } from '../schedule/fair-queue.ts';

/** The maximum number that run at the same time, the maximum of one account, and the maximum of one account that wait. */
const LIMITS = { slots: 4, maxRunning: 2, maxQueued: 32 };

export class Computations {
  readonly #queue: FairQueue;
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(clock?: Clock) {
    this.#queue = new FairQueue(LIMITS, clock);
  }

  get stats(): QueueStats {
    return this.#queue.stats;
  }

  /**
   * The end of the computation with this name that is waiting or running, and its result, if it has one. Never rejects, and
   * resolves only when the computation has ended, which may be after its client has left.
   */
  running(name: string): Promise<unknown> | undefined {
    return this.#running.get(name);
  }

  run<Result>(name: string, job: Job, compute: () => Promise<Result>): Promise<Result> {
    let hasBegun = false;
    const { promise: ended, resolve } = Promise.withResolvers<unknown>();
    const end = (result?: Result) => {
      this.#running.delete(name);
      resolve(result);
    };
    this.#running.set(name, ended);
    const result = this.#queue.run(job, async () => {
      hasBegun = true;
      try {
        const computed = await compute();
        end(computed);
        return computed;
      } catch (error) {
        end();
        throw error;
      }
    });
    result.catch(() => {
      if (!hasBegun) end();
    });
    return result;
  }
}
