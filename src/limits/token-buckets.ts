/**
 * Token buckets. A bucket starts with `burst` tokens and is refilled with `perSecond`. One that has become full again is
 * forgotten: a new one is the same.
 */

import { type Clock, systemClock } from '../schedule/clock.ts';

export interface Bucket {
  readonly name: string;
  readonly perSecond: number;
  readonly burst: number;
}

export interface BucketLevel {
  /** How many whole tokens are left. */
  readonly tokens: number;
  /** How long it takes until there is a token, in milliseconds; 0 if there was one. */
  readonly wait: number;
}

/** In the order of the buckets. */
export type BucketLevels = readonly BucketLevel[];

/** The buckets of a node, in this process or in another one. */
export interface Buckets {
  /** Takes a token from each bucket, or none at all if one of them is empty. */
  take(buckets: readonly Bucket[]): BucketLevels | Promise<BucketLevels>;
  /** Takes nothing. */
  look(buckets: readonly Bucket[]): BucketLevels | Promise<BucketLevels>;
  /** Takes a token from each bucket, even if there is none left. */
  spend(buckets: readonly Bucket[]): void;
}

/** The maximum number of buckets. Beyond that, the one that was not used for the longest time is forgotten before it is full. */
export const MAX_BUCKETS = 100_000;

interface Counted {
  /** Negative if more were spent than there were. */
  readonly tokens: number;
  /** The monotonic time at which the tokens were counted. */
  readonly at: number;
  readonly bucket: Bucket;
}

/** The buckets of a process. */
export class TokenBuckets implements Buckets {
  readonly #clock: Clock;
  /** By name. Those that were used last come last. */
  readonly #counted = new Map<string, Counted>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#counted.size;
  }

  take(buckets: readonly Bucket[]): BucketLevels {
    const levels = this.look(buckets);
    if (levels.some(({ wait }) => wait > 0)) return levels;
    this.spend(buckets);
    return levels.map(({ tokens }) => ({ tokens: tokens - 1, wait: 0 }));
  }

  look(buckets: readonly Bucket[]): BucketLevels {
    const now = this.#clock.monotonic();
    return buckets.map((bucket) => levelOf(bucket, this.#count(bucket, now)));
  }

  spend(buckets: readonly Bucket[]): void {
    const now = this.#clock.monotonic();
    for (const bucket of buckets) {
      const tokens = this.#count(bucket, now) - 1;
      this.#counted.delete(bucket.name);
      this.#counted.set(bucket.name, { tokens, at: now, bucket });
    }
    this.#forget(now);
  }

  #count(bucket: Bucket, now: number): number {
    const counted = this.#counted.get(bucket.name);
    return counted === undefined ? bucket.burst : tokensIn(counted, bucket, now);
  }

  #forget(now: number): void {
    for (const [name, counted] of this.#counted) {
      const { bucket } = counted;
      if (this.#counted.size <= MAX_BUCKETS && tokensIn(counted, bucket, now) < bucket.burst) return;
      this.#counted.delete(name);
    }
  }
}

/** The rate of a bucket may have been changed since its tokens were counted. */
function tokensIn({ tokens, at }: Counted, { perSecond, burst }: Bucket, now: number): number {
  return Math.min(burst, tokens + ((now - at) / 1_000) * perSecond);
}

function levelOf({ perSecond }: Bucket, tokens: number): BucketLevel {
  return { tokens: Math.max(0, Math.floor(tokens)), wait: tokens >= 1 ? 0 : ((1 - tokens) / perSecond) * 1_000 };
}
