/** Computations that take long. Accounts take turns, and identical requests share one computation. */

import { FairQueue, type Job } from './schedule/fair-queue.ts';

/** The most that run at the same time, the most of one account, and the most of one account that wait. */
const LIMITS = { slots: 4, maxRunning: 2, maxQueued: 32 };

export class Computations<Result> {
  readonly #queue = new FairQueue(LIMITS);
  readonly #running = new Map<string, Promise<Result>>();

  /** The computation with this name that is waiting or running. */
  running(name: string): Promise<Result> | undefined {
    return this.#running.get(name);
  }

  run(name: string, job: Job, compute: () => Promise<Result>): Promise<Result> {
    let hasBegun = false;
    const forget = () => this.#running.delete(name);
    const result = this.#queue.run(job, () => {
      hasBegun = true;
      // It is known until it ends, even if the client that requested it has disconnected.
      return compute().finally(forget);
    });
    this.#running.set(name, result);
    result.catch(() => {
      if (!hasBegun) forget();
    });
    return result;
  }
}
