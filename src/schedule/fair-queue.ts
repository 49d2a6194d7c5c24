/**
 * Runs jobs of many accounts on a limited number of slots. Every account has a queue of its own, and accounts take turns: a
 * free slot goes to the account that has used the least time. So an account with many or long jobs delays its own, and
 * another account's job waits for one of them at most.
 */

import { type Clock, systemClock } from './clock.ts';
import type { Deadline } from './deadline.ts';
import { Histogram, type HistogramStats } from './histogram.ts';

export interface Job {
  /** On whose behalf it runs. */
  readonly account: number;
  /** The estimated duration in milliseconds. */
  readonly cost: number;
  readonly deadline: Deadline;
}

export interface QueueLimits {
  /** The maximum number of jobs that run at the same time. */
  readonly slots: number;
  /** The maximum number of jobs of one account that run at the same time. */
  readonly maxRunning: number;
  /** The maximum number of jobs of one account that wait. */
  readonly maxQueued: number;
}

export interface QueueStats {
  readonly waiting: number;
  readonly running: number;
  /** How long the jobs that were started had waited. */
  readonly waits: HistogramStats;
}

/** The account has too many jobs: its queue is full, or the job would not be done by its deadline. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
  /** The seconds after which a retry is worthwhile. */
  readonly retryAfter: number;

  constructor(message: string, wait: number) {
    super(message);
    this.retryAfter = Math.max(1, Math.ceil(wait / 1_000));
  }
}

interface Entry {
  readonly job: Job;
  /** The monotonic time at which it was added. */
  readonly since: number;
  start(): void;
}

interface AccountQueue {
  readonly waiting: Entry[];
  running: number;
  /** The estimated duration of all jobs, waiting or running, in milliseconds. */
  pending: number;
  /** The time that the account has used, in milliseconds; at least as much as the last account served had used. */
  used: number;
}

/** How quickly estimates adapt to what jobs really take. */
const LEARNING_RATE = 0.1;

/** How many times as long as estimated a job may seem to take, so that odd jobs of one account do not distort all estimates. */
const MAX_SCALE = 10;

export class FairQueue {
  readonly #limits: QueueLimits;
  readonly #clock: Clock;
  /** Accounts with jobs, in the order in which they got one. */
  readonly #accounts = new Map<number, AccountQueue>();
  #running = 0;
  readonly #waits = new Histogram();
  /** What the account that was served last had used. */
  #served = 0;
  /** How long jobs take, relative to their estimates. */
  #scale = 1;

  constructor(limits: QueueLimits, clock: Clock = systemClock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get stats(): QueueStats {
    let waiting = 0;
    for (const queue of this.#accounts.values()) waiting += queue.waiting.length;
    return { waiting, running: this.#running, waits: this.#waits.stats };
  }

  /**
   * Runs the task when it is the account's turn. If the job is cancelled, it is removed from the queue; a task that is
   * running must stop on its own, and keeps its slot until it does, but its result is no longer waited for.
   */
  run<Result>(job: Job, task: () => Promise<Result>): Promise<Result> {
    const { signal } = job.deadline;
    if (signal.aborted) return Promise.reject(signal.reason);
    const queue = this.#queueOf(job.account);
    const overload = this.#overload(job, queue);
    if (overload !== undefined) return Promise.reject(overload);
    return new Promise((resolve, reject) => {
      const entry: Entry = {
        job,
        since: this.#clock.monotonic(),
        start: () => {
          void this.#execute(job, queue, task)
            .then(resolve, reject)
            .finally(() => signal.removeEventListener('abort', cancel));
        },
      };
      const cancel = () => {
        reject(signal.reason);
        this.#remove(entry, queue);
      };
      signal.addEventListener('abort', cancel, { once: true });
      queue.waiting.push(entry);
      queue.pending += job.cost;
      this.#startJobs();
    });
  }

  #queueOf(account: number): AccountQueue {
    const known = this.#accounts.get(account);
    if (known !== undefined) return known;
    const queue = { waiting: [], running: 0, pending: 0, used: this.#served };
    this.#accounts.set(account, queue);
    return queue;
  }

  #overload({ cost, deadline }: Job, queue: AccountQueue): Overloaded | undefined {
    if (queue.waiting.length === 0) return undefined;
    const { slots, maxRunning, maxQueued } = this.#limits;
    const share = Math.min(maxRunning, slots / this.#accounts.size);
    const wait = (queue.pending * this.#scale) / share;
    if (queue.waiting.length >= maxQueued)
      return new Overloaded(`${maxQueued} jobs of the account are waiting, which is the limit`, wait);
    if (wait + cost * this.#scale > deadline.remaining)
      return new Overloaded('the jobs of the account that are waiting take longer than the deadline allows', wait);
    return undefined;
  }

  #startJobs(): void {
    while (this.#running < this.#limits.slots) {
      const queue = this.#next();
      const entry = queue?.waiting.shift();
      if (queue === undefined || entry === undefined) return;
      this.#served = Math.max(this.#served, queue.used);
      this.#running += 1;
      queue.running += 1;
      this.#waits.add(this.#clock.monotonic() - entry.since);
      entry.start();
    }
  }

  /** Of the accounts that have a job to start, the one that has used the least time. */
  #next(): AccountQueue | undefined {
    let next: AccountQueue | undefined;
    for (const queue of this.#accounts.values()) {
      if (queue.waiting.length === 0 || queue.running >= this.#limits.maxRunning) continue;
      if (next === undefined || queue.used < next.used) next = queue;
    }
    return next;
  }

  async #execute<Result>({ account, cost }: Job, queue: AccountQueue, task: () => Promise<Result>): Promise<Result> {
    const started = this.#clock.monotonic();
    // Charged in advance, so that the jobs an account starts at once count as well.
    const charged = cost * this.#scale;
    queue.used += charged;
    try {
      return await task();
    } finally {
      const taken = this.#clock.monotonic() - started;
      queue.used += taken - charged;
      if (cost > 0) this.#scale += LEARNING_RATE * (Math.min(MAX_SCALE, taken / cost) - this.#scale);
      queue.running -= 1;
      queue.pending -= cost;
      this.#running -= 1;
      this.#forgetIfIdle(account, queue);
      this.#startJobs();
    }
  }

  #remove(entry: Entry, queue: AccountQueue): void {
    const index = queue.waiting.indexOf(entry);
    if (index < 0) return;
    queue.waiting.splice(index, 1);
    queue.pending -= entry.job.cost;
    this.#forgetIfIdle(entry.job.account, queue);
  }

  #forgetIfIdle(account: number, queue: AccountQueue): void {
    if (queue.waiting.length === 0 && queue.running === 0) this.#accounts.delete(account);
  }
}
