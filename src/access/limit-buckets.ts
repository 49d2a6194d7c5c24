/** The sets of token buckets of a node. Each is bounded by itself, so that one cannot displace another. */

import { type Buckets, TokenBuckets } from './token-buckets.ts';

export type BucketSet = 'requests' | 'failed attempts';

export type LimitBuckets<Kind extends Buckets = Buckets> = Readonly<Record<BucketSet, Kind>>;

/** In this process. */
export function ownBuckets(now?: () => number): LimitBuckets<TokenBuckets> {
  return { requests: new TokenBuckets(now), 'failed attempts': new TokenBuckets(now) };
}
