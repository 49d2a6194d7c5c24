/**
 * Reading a long query string or body takes up to a millisecond or more, so it waits for its turn: one is read per
 * iteration of the event loop, and accounts take turns.
 */

import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../schedule/clock.ts';
import type { Deadline } from '../schedule/deadline.ts';
import { FairQueue, type QueueStats } from '../schedule/fair-queue.ts';

/** A longer query string, in characters, or body, in bytes, waits. */
export const LONG_INPUT = 2_000;

/** The maximum number of requests of one account that wait. */
const MAX_WAITING = 100;

/** Resolves in an iteration of the event loop in which no other long input is read. */
export type Turn = () => Promise<void>;

export class LongInput {
  readonly #queue: FairQueue;

  constructor(clock?: Clock) {
    this.#queue = new FairQueue({ slots: 1, maxRunning: 1, maxQueued: MAX_WAITING }, clock);
  }

  turn(account: number, deadline: Deadline): Promise<void> {
    return this.#queue.run({ account, cost: 1, deadline }, () => setImmediate());
  }

  get stats(): QueueStats {
    return this.#queue.stats;
  }
}
