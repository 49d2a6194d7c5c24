/**
 * Limits failed authentication for each client address, and reports a sample of it. An address over the limit gets a 429,
 * and its keys are not looked up, except those that were accepted before.
 */

import type { Emit } from '../observe/events.ts';
import { Problem } from '../problem/problem.ts';
import { clientNetwork } from '../request/client-network.ts';
import type { Request } from '../request/request.ts';
import { routeName } from '../request/route.ts';
import { readTarget } from '../request/target.ts';
import { keyIn } from './authenticate.ts';
import { retryAfter } from './rate-limiter.ts';
import { TokenBuckets } from './token-buckets.ts';

/** How many attempts may fail at once, as a multiple of those that may fail per second. */
const BURST = 10;

/** The shortest time between two events, in milliseconds. */
const EVENT_INTERVAL = 1_000;

type Attempt = Pick<Request, 'id' | 'address' | 'headers' | 'target'>;

export class FailedAttempts {
  readonly #perSecond: number;
  readonly #emit: Emit;
  /** A monotonic clock in milliseconds. */
  readonly #now: () => number;
  readonly #buckets: TokenBuckets;
  #emittedAt = Number.NEGATIVE_INFINITY;
  #notLogged = 0;

  /** 0 means unlimited. */
  constructor(perSecond: number, emit: Emit, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#emit = emit;
    this.#now = now;
    this.#buckets = new TokenBuckets({ perSecond, burst: BURST * perSecond }, now);
  }

  /** A problem if the address is over the limit. */
  check(attempt: Attempt): Problem | undefined {
    if (this.#perSecond === 0 || !hasCredentials(attempt)) return undefined;
    const wait = this.#buckets.wait(clientNetwork(attempt.address));
    if (wait === 0) return undefined;
    const problem = new Problem(
      'too_many_failed_attempts',
      'Too many requests from this address had a key that was not accepted.',
      retryAfter(wait),
    );
    this.#report(attempt, problem);
    return problem;
  }

  /** Counts an attempt that failed. Attempts that are checked at the same time may overdraw the limit, and delay later ones. */
  add(attempt: Attempt, problem: Problem): void {
    if (!hasCredentials(attempt)) return;
    if (this.#perSecond > 0) this.#buckets.spend(clientNetwork(attempt.address));
    this.#report(attempt, problem);
  }

  #report({ id: requestId, address, headers, target }: Attempt, { code: reason }: Problem): void {
    const now = this.#now();
    if (now - this.#emittedAt < EVENT_INTERVAL) {
      this.#notLogged += 1;
      return;
    }
    const route = routeName(readTarget(target));
    const key = keyIn(headers)?.id;
    const notLogged = this.#notLogged;
    this.#emit({ kind: 'authentication failed', requestId, route, address, key, reason, notLogged });
    this.#emittedAt = now;
    this.#notLogged = 0;
  }
}

/** A request without a key does not guess one. */
function hasCredentials({ headers }: Attempt): boolean {
  return headers.authorization !== undefined;
}
