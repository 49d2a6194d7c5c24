/** The sets of token buckets of a node. Each is bounded by itself, so that one cannot displace another. */

import type { Clock } from '../schedule/clock.ts';
import { type Bucket, type BucketLevels, type Buckets, TokenBuckets } from './token-buckets.ts';

export type BucketSet = 'requests' | 'failed attempts';

export type LimitBuckets<Kind extends Buckets = Buckets> = Readonly<Record<BucketSet, Kind>>;

/** A call of one of the sets, as data: another process may have the buckets. */
export interface BucketCall {
  readonly set: BucketSet;
  readonly action: keyof Buckets;
  readonly buckets: readonly Bucket[];
}

/** In this process. */
export function ownBuckets(clock: Clock): LimitBuckets<TokenBuckets> {
  return { requests: new TokenBuckets(clock), 'failed attempts': new TokenBuckets(clock) };
}

/** Spending has no levels as its result. */
export function callBuckets(own: LimitBuckets<TokenBuckets>, { set, action, buckets }: BucketCall): BucketLevels {
  return own[set][action](buckets) ?? [];
}
