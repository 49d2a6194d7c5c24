/** Limits how many short jobs of one account run at the same time. The others wait for them, in order. */

import type { Job } from './fair-queue.ts';

interface AccountJobs {
  running: number;
  readonly waiting: (() => void)[];
}

export class AccountLimit {
  readonly #max: number;
  /** Accounts with jobs. */
  readonly #accounts = new Map<number, AccountJobs>();

  constructor(max: number) {
    this.#max = max;
  }

  /** A job that is cancelled while it waits is not run. */
  async run<Result>({ account, deadline }: Job, task: () => Promise<Result>): Promise<Result> {
    const jobs = this.#jobsOf(account);
    const isWaiting = jobs.running === this.#max;
    if (isWaiting) await new Promise<void>((resolve) => jobs.waiting.push(resolve));
    else jobs.running += 1;
    try {
      if (isWaiting) deadline.signal.throwIfAborted();
      return await task();
    } finally {
      const next = jobs.waiting.shift();
      if (next === undefined) jobs.running -= 1;
      else next();
      if (jobs.running === 0) this.#accounts.delete(account);
    }
  }

  #jobsOf(account: number): AccountJobs {
    const known = this.#accounts.get(account);
    if (known !== undefined) return known;
    const jobs = { running: 0, waiting: [] };
    this.#accounts.set(account, jobs);
    return jobs;
  }
}
