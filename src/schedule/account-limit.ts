/** Limits how many short jobs of one account run at the same time. The others wait for them, in order. */

import type { Job } from './fair-queue.ts';
import { StandingQueue, type StandingQueueOptions } from './standing-queue.ts';

interface AccountJobs {
  running: number;
  readonly waiting: WaitingJob[];
  readonly standing: StandingQueue;
}

interface WaitingJob {
  readonly start: () => void;
  /** The monotonic time since which it waits. */
  readonly since: number;
}

export class AccountLimit {
  readonly #max: number;
  readonly #options: StandingQueueOptions;
  /** Accounts with jobs. */
  readonly #accounts = new Map<number, AccountJobs>();

  constructor(max: number, options: StandingQueueOptions) {
    this.#max = max;
    this.#options = options;
  }

  /** A job that is cancelled while it waits is not run. */
  async run<Result>({ account, deadline }: Job, task: () => Promise<Result>): Promise<Result> {
    const jobs = this.#jobsOf(account);
    const isWaiting = jobs.running === this.#max;
    if (isWaiting) await this.#wait(jobs);
    else jobs.running += 1;
    try {
      if (isWaiting) deadline.signal.throwIfAborted();
      return await task();
    } finally {
      const next = jobs.waiting.shift();
      if (next === undefined) jobs.running -= 1;
      else next.start();
      if (jobs.running === 0) this.#accounts.delete(account);
    }
  }

  #wait({ waiting, standing }: AccountJobs): Promise<void> {
    const since = this.#options.clock.monotonic();
    standing.check(waiting.length, waiting[0]?.since ?? since);
    return new Promise((start) => waiting.push({ start, since }));
  }

  #jobsOf(account: number): AccountJobs {
    const known = this.#accounts.get(account);
    if (known !== undefined) return known;
    const jobs = { running: 0, waiting: [], standing: new StandingQueue(this.#options) };
    this.#accounts.set(account, jobs);
    return jobs;
  }
}
