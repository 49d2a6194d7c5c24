/**
 * A request that is counted once, even if it is handled again because its session was outdated. If it was over a limit, or if the
 * new session has other limits, those count it: the first request after a change gets the new limits and their headers.
 */

import type { Session } from '../access/authenticate.ts';
import type { Problem } from '../problem/problem.ts';
import type { RateLimiter, RateLimitHeaders, RateLimits, RateLimitVerdict } from './rate-limiter.ts';

export class CountedRequest {
  readonly #limiter: RateLimiter;
  #verdict: RateLimitVerdict | undefined;
  /** Those that the verdict is about. */
  #limits: RateLimits | undefined;

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter;
  }

  /** Undefined if no limit applies. */
  get headers(): RateLimitHeaders | undefined {
    return this.#verdict?.headers;
  }

  /** A problem if the request is over a limit. Without a limit, and if this process has the buckets, no promise is created. */
  count(session: Session): Problem | undefined | Promise<Problem | undefined> {
    const limits = this.#limiter.limitsOf(session);
    const isCounted = this.#limits?.key === limits.key && this.#limits.account === limits.account;
    if (isCounted && this.#verdict !== undefined && this.#verdict.problem === undefined) return undefined;
    this.#limits = limits;
    const verdict = this.#limiter.take(session);
    return verdict instanceof Promise ? verdict.then((decided) => this.#decide(decided)) : this.#decide(verdict);
  }

  #decide(verdict: RateLimitVerdict | undefined): Problem | undefined {
    this.#verdict = verdict;
    return verdict?.problem;
  }
}
