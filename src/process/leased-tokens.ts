/**
 * What a worker knows about the buckets of the primary, so that it need not ask about every request: tokens that were leased to
 * it, and buckets that are still empty. What it has not used for a while is given back.
 */

import type { Bucket, BucketLevel, BucketLevels } from '../access/token-buckets.ts';
import type { AskedBucket, BucketAnswer } from './bucket-owner.ts';

interface Known {
  readonly bucket: Bucket;
  /** How many tokens were leased since they were settled the last time. */
  leased: number;
  unused: number;
  /** How many tokens the bucket has, as far as the worker knows, and when it had as many. */
  tokens: number;
  at: number;
  /** Before this time, the bucket has no token. */
  emptyUntil: number;
  /** Whether a question about it is under way that asks for a lease. One is enough. */
  isAsking: boolean;
  isUsed: boolean;
}

export class LeasedTokens {
  /** A monotonic clock in milliseconds. */
  readonly #now: () => number;
  readonly #known = new Map<string, Known>();

  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#known.size;
  }

  /** Undefined if the primary has to be asked. */
  take(buckets: readonly Bucket[]): BucketLevels | undefined {
    const now = this.#now();
    const known = buckets.flatMap((bucket) => this.#known.get(idOf(bucket)) ?? []);
    if (known.length < buckets.length) return undefined;
    if (known.some(({ emptyUntil }) => emptyUntil > now)) return known.map((entry) => levelAt(entry, now));
    if (known.some(({ unused }) => unused === 0)) return undefined;
    return known.map((entry) => {
      entry.tokens = tokensAt(entry, now) - 1;
      entry.at = now;
      entry.unused -= 1;
      entry.isUsed = true;
      return { tokens: Math.max(0, Math.floor(entry.tokens)), wait: 0 };
    });
  }

  /** How to ask for a token of each bucket. Who asks twice within a short time is going to ask more often. */
  question(buckets: readonly Bucket[]): readonly AskedBucket[] {
    return buckets.map(({ name, perSecond, burst }) => {
      const bucket = { name, perSecond, burst };
      const known = this.#known.get(idOf(bucket));
      if (known === undefined || known.isAsking) return bucket;
      known.isAsking = true;
      return { ...bucket, settled: settle(known), wantsLease: true };
    });
  }

  /** `askedAt` is the time of the question. */
  learn(buckets: readonly Bucket[], { levels, leased }: BucketAnswer, askedAt: number): void {
    for (const [index, bucket] of buckets.entries()) {
      const { tokens, wait } = levels[index] ?? { tokens: 0, wait: 0 };
      const count = leased[index] ?? 0;
      const known = this.#known.get(idOf(bucket));
      this.#known.set(idOf(bucket), {
        bucket,
        leased: (known?.leased ?? 0) + count,
        unused: (known?.unused ?? 0) + count,
        tokens,
        at: askedAt,
        emptyUntil: wait > 0 ? askedAt + wait : 0,
        isAsking: false,
        isUsed: true,
      });
    }
  }

  /** What has to be given back. Forgets what was not used since this was called the last time. */
  settle(): readonly AskedBucket[] {
    const settled: AskedBucket[] = [];
    for (const [id, known] of this.#known) {
      const lease = settle(known);
      if (lease !== undefined) settled.push({ ...known.bucket, settled: lease });
      if (!known.isUsed) this.#known.delete(id);
      known.isUsed = false;
    }
    return settled;
  }
}

/** A bucket whose rate was changed has to be asked for again. */
function idOf({ name, perSecond }: Bucket): string {
  return `${name} ${perSecond}`;
}

function settle(known: Known): AskedBucket['settled'] {
  const { leased, unused } = known;
  known.leased = 0;
  known.unused = 0;
  return leased === 0 ? undefined : { leased, unused };
}

function tokensAt({ tokens, at, bucket }: Known, now: number): number {
  return Math.min(bucket.burst, tokens + ((now - at) / 1_000) * bucket.perSecond);
}

function levelAt(known: Known, now: number): BucketLevel {
  const wait = Math.max(0, known.emptyUntil - now);
  return { tokens: wait > 0 ? 0 : Math.max(0, Math.floor(tokensAt(known, now))), wait };
}
