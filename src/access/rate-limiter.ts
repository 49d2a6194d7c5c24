/** Limits the requests of each key: a rate per second, with bursts of the same size after a pause. */

import { Problem, type ProblemContext } from '../problem/problem.ts';
import { TokenBuckets } from './token-buckets.ts';

export class RateLimiter {
  /** 0 means unlimited. */
  readonly perSecond: number;
  readonly #buckets: TokenBuckets;

  /** The clock is monotonic, in milliseconds. */
  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.perSecond = perSecond;
    this.#buckets = new TokenBuckets({ perSecond, burst: perSecond }, now);
  }

  take(keyId: string): Problem | undefined {
    if (this.perSecond === 0) return undefined;
    const wait = this.#buckets.wait(keyId);
    if (wait > 0)
      return new Problem(
        'too_many_requests',
        `This key is limited to ${this.perSecond} requests per second.`,
        retryAfter(wait),
      );
    this.#buckets.spend(keyId);
    return undefined;
  }
}

/** When to retry, given a wait in milliseconds. */
export function retryAfter(wait: number): Pick<ProblemContext, 'suggestion' | 'headers'> {
  const seconds = Math.ceil(wait / 1_000);
  return { suggestion: `Retry after ${seconds} s.`, headers: { 'retry-after': String(seconds) } };
}
