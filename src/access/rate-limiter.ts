/** Limits the requests of each key with a token bucket: a rate per second, with bursts of the same size after a pause. */

import { Problem } from '../problem/problem.ts';

interface Bucket {
  tokens: number;
  /** When the tokens were counted, in milliseconds. */
  at: number;
}

export class RateLimiter {
  readonly #perSecond: number;
  /** A monotonic clock in milliseconds. */
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** 0 means unlimited. */
  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  take(keyId: string): Problem | undefined {
    if (this.#perSecond === 0) return undefined;
    const now = this.#now();
    const bucket = this.#buckets.get(keyId) ?? { tokens: this.#perSecond, at: now };
    const tokens = Math.min(this.#perSecond, bucket.tokens + ((now - bucket.at) / 1_000) * this.#perSecond);
    this.#buckets.set(keyId, { tokens: tokens < 1 ? tokens : tokens - 1, at: now });
    if (tokens >= 1) return undefined;
    const seconds = Math.ceil((1 - tokens) / this.#perSecond);
    return new Problem('too_many_requests', `This key is limited to ${this.#perSecond} requests per second.`, {
      suggestion: `Retry after ${seconds} s.`,
      headers: { 'retry-after': String(seconds) },
    });
  }
}
