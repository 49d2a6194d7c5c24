/**
 * A request that is counted once, even if it is handled again because its session was outdated. One that was over a limit is
 * counted by the limits of the new session: they may have been changed.
 */

import type { Problem } from '../problem/problem.ts';
import type { Session } from './authenticate.ts';
import type { RateLimiter, RateLimitHeaders, RateLimitVerdict } from './rate-limiter.ts';

export class CountedRequest {
  readonly #limiter: RateLimiter;
  #verdict: RateLimitVerdict | undefined;

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter;
  }

  /** Undefined if no limit applies. */
  get headers(): RateLimitHeaders | undefined {
    return this.#verdict?.headers;
  }

  /** A problem if the request is over a limit. Without a limit, and if this process has the buckets, no promise is created. */
  count(session: Session): Problem | undefined | Promise<Problem | undefined> {
    if (this.#verdict !== undefined && this.#verdict.problem === undefined) return undefined;
    const verdict = this.#limiter.take(session);
    return verdict instanceof Promise ? verdict.then((decided) => this.#decide(decided)) : this.#decide(verdict);
  }

  #decide(verdict: RateLimitVerdict | undefined): Problem | undefined {
    this.#verdict = verdict;
    return verdict?.problem;
  }
}
