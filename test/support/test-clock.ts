/** A clock that a test turns. Otherwise, no time passes. */

import { setImmediate, setTimeout } from 'node:timers/promises';
import type { CancelTimer, Clock } from '../../src/schedule/clock.ts';

interface Timer {
  /** The monotonic time at which it fires. */
  at: number;
  readonly act: () => void;
  /** How long until it fires again; undefined if it does not. */
  readonly interval: number | undefined;
}

export interface TestClockOptions {
  /** The wall time at which it begins, in milliseconds since the epoch. */
  readonly wall?: number;
  readonly jitter?: () => number;
  /** Whether time passes by itself while something pauses, so that no pause takes any. */
  readonly isPassing?: boolean;
}

export class TestClock implements Clock {
  readonly jitter: () => number;
  #time = 1_000_000;
  /** What the wall time is ahead of the monotonic time. */
  #ahead: number;
  readonly #timers = new Set<Timer>();
  readonly #isPassing: boolean;

  constructor({
    wall = Date.parse('2026-01-31T12:00:00Z'),
    jitter = () => 0.5,
    isPassing = false,
  }: TestClockOptions = {}) {
    this.#ahead = wall - this.#time;
    this.jitter = jitter;
    this.#isPassing = isPassing;
  }

  wall(): number {
    return this.#time + this.#ahead;
  }

  monotonic(): number {
    return this.#time;
  }

  pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.after(milliseconds, end);
      signal?.addEventListener('abort', end);
      if (signal?.aborted) end();
      else if (this.#isPassing) void this.advance(milliseconds);
    });
  }

  after(milliseconds: number, act: () => void): CancelTimer {
    return this.#start({ at: this.#time + Math.max(0, milliseconds), act, interval: undefined });
  }

  every(milliseconds: number, act: () => void): CancelTimer {
    return this.#start({ at: this.#time + milliseconds, act, interval: milliseconds });
  }

  /** In how many milliseconds timers and pauses are due, the next one first. */
  get waiting(): readonly number[] {
    return [...this.#timers].map(({ at }) => at - this.#time).toSorted((a, b) => a - b);
  }

  /** What becomes due fires in its order, and what follows from it in the event loop comes before the next. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#time + milliseconds;
    await setImmediate();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#fire(next);
      await setImmediate();
    }
    this.#time = Math.max(this.#time, end);
  }

  /** Time passes while the thread is busy: what becomes due fires when the clock is turned the next time. */
  elapse(milliseconds: number): void {
    this.#time += milliseconds;
  }

  /** Turns for as long as it takes until the promise settles. */
  async through<Result>(promise: Promise<Result>): Promise<Result> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    promise.then(settle, settle);
    await setImmediate();
    while (!isSettled) {
      const [next] = this.waiting;
      // It waits for something else.
      if (next === undefined) await setTimeout(1);
      else await this.advance(next);
    }
    return promise;
  }

  /** Somebody sets the wall time. No timer notices. */
  set(wall: number): void {
    this.#ahead = wall - this.#time;
  }

  #start(timer: Timer): CancelTimer {
    this.#timers.add(timer);
    // What is due at once needs no time to pass.
    if (timer.at <= this.#time) void setImmediate().then(() => this.#fire(timer));
    return () => this.#timers.delete(timer);
  }

  /** The timer that fires next, the older one of two, if that is not after a time. */
  #next(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (timer.at <= end && (next === undefined || timer.at < next.at)) next = timer;
    return next;
  }

  #fire(timer: Timer): void {
    if (!this.#timers.has(timer)) return;
    this.#time = Math.max(this.#time, timer.at);
    if (timer.interval === undefined) this.#timers.delete(timer);
    else timer.at += timer.interval;
    timer.act();
  }
}
