/**
 * Decides which requests are handled when more arrive than the serving thread can handle. A queue that does not get shorter is
 * recognized as in CoDel (RFC 8289): by the shortest delay of an interval, since a burst is over before the interval is. The rest is
 * refused early, which costs little, so that those that are admitted do not wait.
 *
 * It is fair: what can be handled is divided among the callers as evenly as their demand allows (max-min fairness). A caller
 * who asks for less than an equal share is never refused.
 */

import { type Clock, systemClock } from '../schedule/clock.ts';
import { LoopDelay } from './loop-delay.ts';

/** In milliseconds. A caller's requests of one interval decide what is admitted of those in the next. */
const INTERVAL = 50;

/** How many intervals in a row have to be overloaded: one may be a pause of the process. */
const PATIENCE = 3;

/** The factors by which the capacity changes per interval: under overload one between the first two, the lower the longer the delay; afterwards one of the last two. */
const MIN_DECREASE = 0.9;
const MAX_DECREASE = 0.5;
const INCREASE = 1.05;
const FAST_INCREASE = 1.25;

/** What is admitted in any case: a part of what was handled when the overload began. Refusing more would not shorten the queue. */
const MIN_PART = 1 / 4;

/** After this many milliseconds without requests, everything is forgotten. */
const FORGET_AFTER = 1_000;

interface CallerState {
  /** Requests in this interval. */
  arrived: number;
  /** The share of them that is admitted; 1 means all. */
  share: number;
  /** The fraction of a request that the caller has saved up. */
  credit: number;
}

export interface AdmissionOptions {
  /** The delay above which requests are refused, in milliseconds; 0 refuses none. */
  readonly maxDelay: number;
  /** The maximum time that requests of this iteration of the event loop have waited, in milliseconds. */
  readonly delay?: (() => number) | undefined;
  readonly clock?: Pick<Clock, 'monotonic'> | undefined;
}

export class Admission {
  readonly #maxDelay: number;
  readonly #delay: () => number;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #callers = new Map<number | string, CallerState>();
  #began: number;
  #shortest = Number.POSITIVE_INFINITY;
  #admitted = 0;
  /** Intervals in a row that were overloaded. */
  #overloaded = 0;
  /** How many requests may be admitted per millisecond; infinite while nothing is refused. */
  #capacity = Number.POSITIVE_INFINITY;
  /** How many were admitted per millisecond when the overload began. */
  #sustained = 0;
  /** For callers that sent no requests in the previous interval: the share of theirs that is admitted, and what they have saved up together. */
  #newShare = 1;
  #newCredit = 0;

  constructor({ maxDelay, delay, clock = systemClock }: AdmissionOptions) {
    this.#maxDelay = maxDelay;
    const loop = new LoopDelay();
    this.#delay = delay ?? (() => loop.current());
    this.#clock = clock;
    this.#began = clock.monotonic();
  }

  /** Whether the next request of this caller is handled. */
  admits(caller: number | string): boolean {
    if (this.#maxDelay === 0) return true;
    this.#shortest = Math.min(this.#shortest, this.#delay());
    const elapsed = this.#clock.monotonic() - this.#began;
    if (elapsed >= INTERVAL) this.#endInterval(elapsed);
    const state = this.#stateOf(caller);
    state.arrived += 1;
    state.credit += state.share;
    if (state.credit < 1) return false;
    state.credit -= 1;
    this.#admitted += 1;
    return true;
  }

  #stateOf(caller: number | string): CallerState {
    const known = this.#callers.get(caller);
    if (known !== undefined) return known;
    // Of many callers, most send a single request, so it depends on all of them together.
    this.#newCredit += this.#newShare;
    const isAdmitted = this.#newCredit >= 1;
    if (isAdmitted) this.#newCredit -= 1;
    const state = { arrived: 0, share: this.#newShare, credit: isAdmitted ? 1 : 0 };
    this.#callers.set(caller, state);
    return state;
  }

  #endInterval(elapsed: number): void {
    this.#adapt(elapsed);
    const share = equalShare(
      [...this.#callers.values()].map(({ arrived }) => arrived / elapsed),
      this.#capacity,
    );
    this.#newShare = Math.min(1, share * INTERVAL);
    for (const [caller, state] of this.#callers) {
      if (state.arrived === 0) this.#callers.delete(caller);
      state.share = Math.min(1, share / (state.arrived / elapsed));
      state.arrived = 0;
    }
    this.#began += elapsed;
    this.#shortest = Number.POSITIVE_INFINITY;
    this.#admitted = 0;
  }

  #adapt(elapsed: number): void {
    const isLate = this.#shortest > this.#maxDelay;
    this.#overloaded = isLate ? this.#overloaded + 1 : 0;
    const arrived = [...this.#callers.values()].reduce((sum, caller) => sum + caller.arrived, 0);
    if (elapsed > FORGET_AFTER) this.#capacity = Number.POSITIVE_INFINITY;
    else if (this.#overloaded >= PATIENCE) this.#decrease(this.#admitted / elapsed);
    else if (!isLate) this.#capacity *= this.#shortest < this.#maxDelay / 4 ? FAST_INCREASE : INCREASE;
    // All of it can be handled again.
    if (!isLate && arrived / elapsed <= this.#capacity) this.#capacity = Number.POSITIVE_INFINITY;
  }

  #decrease(admitted: number): void {
    if (this.#capacity === Number.POSITIVE_INFINITY) this.#sustained = admitted;
    const part = Math.min(MIN_DECREASE, Math.max(MAX_DECREASE, this.#maxDelay / this.#shortest));
    this.#capacity = Math.max(MIN_PART * this.#sustained, part * admitted);
  }
}

/** The largest share such that nobody who demands less gets less, and all together get no more than the capacity. */
export function equalShare(demands: readonly number[], capacity: number): number {
  let [left, rest] = [capacity, demands.length];
  for (const demand of demands.toSorted((a, b) => a - b)) {
    if (demand * rest >= left) return left / rest;
    left -= demand;
    rest -= 1;
  }
  return Number.POSITIVE_INFINITY;
}
