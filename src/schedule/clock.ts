/**
 * The time of everything that decides by it: deadlines, timeouts, pauses, limits, expiry. It is given a clock, so that tests can turn one of their
 * own. What is only measured, for the log or a metric, may come from `performance.now()`.
 */

import { setTimeout as sleep } from 'node:timers/promises';

export interface Clock {
  /** The wall time, in milliseconds since the epoch. It can be set back. */
  wall(): number;
  /** For durations: it never goes back. In milliseconds since an arbitrary moment. */
  monotonic(): number;
  /** Ends early, without an error, if the signal aborts. Keeps the process alive. */
  pause(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** A timer, which does not keep the process alive. Returns a function that cancels it. */
  after(milliseconds: number, act: () => void): CancelTimer;
  /** The same, again and again. */
  every(milliseconds: number, act: () => void): CancelTimer;
  /** Random, at least 0 and below 1. Pauses vary by it, so that clients that were turned away together do not return together. */
  jitter(): number;
}

export type CancelTimer = () => void;

export const systemClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  // It only fails because of the signal.
  pause: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => undefined),
  after(milliseconds, act) {
    const timer = setTimeout(act, milliseconds).unref();
    return () => clearTimeout(timer);
  },
  every(milliseconds, act) {
    const timer = setInterval(act, milliseconds).unref();
    return () => clearInterval(timer);
  },
  jitter: () => Math.random(),
};

/** The wall time, as `2026-01-31T12:00:00.000Z`. */
export function timestamp(clock: Pick<Clock, 'wall'>): string {
  return new Date(clock.wall()).toISOString();
}
