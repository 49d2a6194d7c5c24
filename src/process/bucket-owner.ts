/** The primary's side of the token buckets that workers share: it answers their questions, and leases tokens to them. */

import { type BucketSet, type LimitBuckets, ownBuckets } from '../access/limit-buckets.ts';
import type { Bucket, BucketLevels, Lease, TokenBuckets } from '../access/token-buckets.ts';

export interface BucketQuestion {
  /** 0 if no answer is expected. */
  readonly id: number;
  readonly set: BucketSet;
  readonly action: 'take' | 'look' | 'spend' | 'settle';
  readonly buckets: readonly AskedBucket[];
}

export interface AskedBucket extends Bucket {
  /** What the worker had leased before, which ends with the question. */
  readonly settled?: Lease | undefined;
  /** Whether the worker is going to take more. */
  readonly wantsLease?: boolean;
}

export interface BucketAnswer {
  readonly id: number;
  readonly levels: BucketLevels;
  /** How many tokens of each bucket the worker has got. */
  readonly leased: readonly number[];
}

export class BucketOwner {
  readonly #buckets: LimitBuckets<TokenBuckets>;
  /** By worker and by the bucket's name: what has to be settled if the worker exits. */
  readonly #leases = new Map<number, Map<string, { readonly bucket: Bucket; readonly leased: number }>>();

  constructor(buckets = ownBuckets()) {
    this.#buckets = buckets;
  }

  answer(worker: number, questions: readonly BucketQuestion[]): readonly BucketAnswer[] {
    return questions.flatMap((question) => {
      const levels = this.#levels(worker, question);
      return levels === undefined ? [] : [{ id: question.id, levels, leased: this.#lease(worker, question, levels) }];
    });
  }

  /** What a worker that exited had leased counts as used. */
  forget(worker: number): void {
    for (const { bucket, leased } of this.#leases.get(worker)?.values() ?? [])
      this.#buckets.requests.settle(bucket, { leased, unused: 0 });
    this.#leases.delete(worker);
  }

  #levels(worker: number, { set, action, buckets }: BucketQuestion): BucketLevels | undefined {
    for (const { settled, ...bucket } of buckets) if (settled !== undefined) this.#settle(worker, bucket, settled);
    if (action === 'settle') return undefined;
    return this.#buckets[set][action](buckets) ?? undefined;
  }

  #settle(worker: number, bucket: Bucket, settled: Lease): void {
    this.#buckets.requests.settle(bucket, settled);
    this.#change(worker, bucket, -settled.leased);
  }

  #lease(worker: number, { buckets }: BucketQuestion, levels: BucketLevels): readonly number[] {
    const isTaken = levels.every(({ wait }) => wait === 0);
    return buckets.map((bucket) => {
      const leased = isTaken && bucket.wantsLease === true ? this.#buckets.requests.lease(bucket) : 0;
      if (leased > 0) this.#change(worker, bucket, leased);
      return leased;
    });
  }

  #change(worker: number, bucket: Bucket, by: number): void {
    const leases = this.#leases.get(worker) ?? new Map();
    this.#leases.set(worker, leases);
    const leased = (leases.get(bucket.name)?.leased ?? 0) + by;
    if (leased > 0) leases.set(bucket.name, { bucket, leased });
    else leases.delete(bucket.name);
  }
}
