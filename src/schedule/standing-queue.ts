/**
 * Recognizes a queue of one account that does not get shorter, as CoDel does (RFC 8289): by how long its first job has waited. Further
 * jobs are refused then, so that those that are admitted do not wait for longer and longer.
 */

import type { Clock } from './clock.ts';

/** A shorter queue does not count: a client that sends this many requests at the same time waits for itself. */
const MIN_LENGTH = 32;

/** For how long the wait of the first job may exceed its limit, in milliseconds: a burst is over before that. */
const PATIENCE = 150;

/** For this many milliseconds after a refusal, jobs that exceed the limit are refused at once. */
const MEMORY = 1_000;

/** The account sends more than can be handled. */
export class AccountOverloaded extends Error {
  constructor() {
    super('too many requests wait');
    this.name = 'AccountOverloaded';
  }
}

export interface StandingQueueOptions {
  /** How long the first job of a queue may wait, in milliseconds; 0 means unlimited. */
  readonly maxDelay: number;
  readonly clock: Clock;
}

export class StandingQueue {
  readonly #options: StandingQueueOptions;
  #lateSince: number | undefined;
  #refusedAt = Number.NEGATIVE_INFINITY;

  constructor(options: StandingQueueOptions) {
    this.#options = options;
  }

  /** Throws if a queue of this length, whose first job has waited since this time, must not become longer. */
  check(length: number, since: number): void {
    const { maxDelay, clock } = this.#options;
    if (maxDelay === 0) return;
    const now = clock.monotonic();
    if (length < MIN_LENGTH || now - since <= maxDelay) {
      this.#lateSince = undefined;
      return;
    }
    this.#lateSince ??= now;
    if (now - this.#lateSince < PATIENCE && now - this.#refusedAt > MEMORY) return;
    this.#refusedAt = now;
    throw new AccountOverloaded();
  }
}
