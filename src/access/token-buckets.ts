/**
 * Token buckets, one for each key. A bucket starts with `burst` tokens and is refilled with `perSecond`. One that has become
 * full again is forgotten: a new one is the same.
 */

interface Bucket {
  /** Negative if more were spent than there were. */
  readonly tokens: number;
  /** When the tokens were counted, in milliseconds. */
  readonly at: number;
}

/** The most buckets. Beyond that, the one that was not used for the longest time is forgotten before it is full. */
export const MAX_BUCKETS = 100_000;

export class TokenBuckets {
  readonly #perSecond: number;
  readonly #burst: number;
  /** A monotonic clock in milliseconds. */
  readonly #now: () => number;
  /** Those that were used last come last. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: { readonly perSecond: number; readonly burst: number }, now: () => number) {
    this.#perSecond = rate.perSecond;
    this.#burst = rate.burst;
    this.#now = now;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** How long it takes until the bucket has a token, in milliseconds; 0 if it has one. */
  wait(key: string): number {
    const bucket = this.#buckets.get(key);
    const tokens = bucket === undefined ? this.#burst : this.#tokensIn(bucket, this.#now());
    return tokens >= 1 ? 0 : ((1 - tokens) / this.#perSecond) * 1_000;
  }

  /** Takes a token, even if there is none left. */
  spend(key: string): void {
    const now = this.#now();
    const bucket = this.#buckets.get(key);
    const tokens = bucket === undefined ? this.#burst : this.#tokensIn(bucket, now);
    this.#buckets.delete(key);
    this.#buckets.set(key, { tokens: tokens - 1, at: now });
    this.#forget(now);
  }

  #tokensIn({ tokens, at }: Bucket, now: number): number {
    return Math.min(this.#burst, tokens + ((now - at) / 1_000) * this.#perSecond);
  }

  #forget(now: number): void {
    for (const [key, bucket] of this.#buckets) {
      if (this.#buckets.size <= MAX_BUCKETS && this.#tokensIn(bucket, now) < this.#burst) return;
      this.#buckets.delete(key);
    }
  }
}
