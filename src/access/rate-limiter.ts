/** How many requests a key may make: so many a second, and after a pause as many at once. */

import { Problem } from '../problem/problem.ts';

interface Bucket {
  /** Requests that may come at once. */
  tokens: number;
  /** When they were counted, in milliseconds. */
  at: number;
}

export class RateLimiter {
  readonly #perSecond: number;
  readonly #buckets = new Map<string, Bucket>();

  /** 0: as many as they like. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  take(keyId: string, now: number): Problem | undefined {
    if (this.#perSecond === 0) return undefined;
    const bucket = this.#buckets.get(keyId) ?? { tokens: this.#perSecond, at: now };
    const tokens = Math.min(this.#perSecond, bucket.tokens + ((now - bucket.at) / 1_000) * this.#perSecond);
    this.#buckets.set(keyId, { tokens: tokens < 1 ? tokens : tokens - 1, at: now });
    if (tokens >= 1) return undefined;
    const seconds = Math.ceil((1 - tokens) / this.#perSecond);
    return new Problem('too_many_requests', `This key may make ${this.#perSecond} requests a second.`, {
      suggestion: `Send the request again after ${seconds} s.`,
      headers: { 'retry-after': String(seconds) },
    });
  }
}
