/**
 * The time of a simulation. It passes from one timer to the next, and stands still while something works for real: a thread of the store, or the file
 * system.
 */

import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../src/schedule/clock.ts';
import type { Random } from '../../support/random.ts';
import { TestClock } from '../../support/test-clock.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** How often the event loop turns before it counts as idle: what a promise or a stream does next may take more than one turn. */
const TURNS = 2;

export class SimulatedTime {
  readonly clock: TestClock;
  /** How much is being done for real. */
  #working = 0;
  #onIdle: (() => void) | undefined;

  constructor(random: Random) {
    this.clock = new TestClock({ jitter: () => random.next() });
  }

  /** In milliseconds since an arbitrary moment. It never goes back. */
  get now(): number {
    return this.clock.monotonic();
  }

  /** Real work, during which no time passes. */
  async working<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#working += 1;
    try {
      return await work();
    } finally {
      this.#ended();
    }
  }

  /** What only time ends, in the middle of real work. */
  async waiting<Result>(wait: () => Promise<Result>): Promise<Result> {
    this.#ended();
    try {
      return await wait();
    } finally {
      this.#working += 1;
    }
  }

  /** The clock of a program that works for real all the time, unless it pauses. If it has been killed, its pauses do not end. */
  clockOfWorker(isDead: () => boolean): Clock {
    const { clock } = this;
    return {
      wall: () => clock.wall(),
      monotonic: () => clock.monotonic(),
      after: (milliseconds, act) => clock.after(milliseconds, act),
      every: (milliseconds, act) => clock.every(milliseconds, act),
      jitter: () => clock.jitter(),
      pause: (milliseconds, signal) =>
        this.waiting(async () => {
          await clock.pause(milliseconds, signal);
          if (isDead()) await new Promise(() => {});
        }),
    };
  }

  /** So many milliseconds pass, or fewer if the condition is met before. False if it is not. */
  async pass(milliseconds: number, isOver: () => boolean = () => false): Promise<boolean> {
    const end = this.now + milliseconds;
    for (;;) {
      await this.#idle();
      if (isOver()) return true;
      const next = Math.min(this.clock.waiting[0] ?? Number.POSITIVE_INFINITY, end - this.now);
      if (next > 0 || this.now < end) await this.clock.advance(next);
      else return isOver();
    }
  }

  /** Until a promise is settled. Throws if that takes more than so many milliseconds. */
  async through<Result>(promise: Promise<Result>, longest = DAY): Promise<Result> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    promise.then(settle, settle);
    if (await this.pass(longest, () => isSettled)) return promise;
    throw new Error(`nothing has come of it within ${longest / SECOND} simulated seconds`);
  }

  #ended(): void {
    this.#working -= 1;
    if (this.#working === 0) this.#onIdle?.();
  }

  async #idle(): Promise<void> {
    for (let turns = 0; turns < TURNS; turns += 1) {
      while (this.#working > 0) {
        await new Promise<void>((resolve) => {
          this.#onIdle = resolve;
        });
        turns = 0;
      }
      await setImmediate();
    }
  }
}
