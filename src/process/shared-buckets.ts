/**
 * The token buckets of a node with several workers. The primary process has them, and workers ask it, so that a limit holds
 * for the node, whichever worker gets a request. What a worker asks in one turn of the event loop is one message. It is also
 * given tokens in advance, as long as a bucket has plenty.
 *
 * A primary that does not respond is not waited for: until it does, each worker counts by itself.
 */

import cluster from 'node:cluster';
import { type BucketSet, type LimitBuckets, ownBuckets } from '../access/limit-buckets.ts';
import type { Bucket, BucketLevels, Buckets, TokenBuckets } from '../access/token-buckets.ts';
import { type BucketAnswer, BucketOwner, type BucketQuestion } from './bucket-owner.ts';
import { type Channel, channelTo } from './channel.ts';
import { LeasedTokens } from './leased-tokens.ts';

/** How long a worker waits for the primary, in milliseconds. */
const MAX_WAIT = 2_000;

/** How long a worker keeps what it has leased, in milliseconds. */
const LEASE_TIME = 100;

/** Called in the primary process, before it starts workers. */
export function shareBuckets(): void {
  const owner = new BucketOwner();
  cluster.on('fork', (worker) =>
    channelTo(worker).handle('buckets', (questions) => owner.answer(worker.id, questions)),
  );
  cluster.on('exit', (worker) => owner.forget(worker.id));
}

/** Called in a worker. */
export function primaryBuckets(primary: Channel): LimitBuckets {
  const shared = new SharedBuckets({ ask: (questions) => primary.request('buckets', questions) });
  return { requests: shared.set('requests'), 'failed attempts': shared.set('failed attempts') };
}

interface Pending {
  readonly take: (answer: BucketAnswer) => void;
  /** Answers without the primary. */
  readonly giveUp: () => void;
  readonly timer: NodeJS.Timeout;
}

export interface SharedBucketsParts {
  /** Rejects if the primary is gone. */
  readonly ask: (questions: readonly BucketQuestion[]) => Promise<readonly BucketAnswer[]>;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
  /** How long to wait for the primary, in milliseconds. */
  readonly maxWait?: number;
  /** How long to keep what was leased, in milliseconds. */
  readonly leaseTime?: number;
}

/** The worker's side. */
export class SharedBuckets {
  readonly #askPrimary: SharedBucketsParts['ask'];
  readonly #now: () => number;
  readonly #maxWait: number;
  readonly #leaseTime: number;
  readonly #leased: LeasedTokens;
  /** Count while the primary does not respond. */
  readonly #own: LimitBuckets<TokenBuckets>;
  readonly #pending = new Map<number, Pending>();
  #unsent: BucketQuestion[] = [];
  #lastId = 0;
  #isSilent = false;
  #settling: NodeJS.Timeout | undefined;

  constructor({ ask, now = () => performance.now(), maxWait = MAX_WAIT, leaseTime = LEASE_TIME }: SharedBucketsParts) {
    this.#askPrimary = ask;
    this.#now = now;
    this.#maxWait = maxWait;
    this.#leaseTime = leaseTime;
    this.#leased = new LeasedTokens(now);
    this.#own = ownBuckets(now);
  }

  set(set: BucketSet): Buckets {
    return {
      take: (buckets) => this.#leased.take(buckets) ?? this.#take(set, buckets),
      look: (buckets) => this.#ask({ set, action: 'look', buckets }, (answer) => answer.levels),
      spend: (buckets) => {
        if (this.#isSilent) this.#own[set].spend(buckets);
        else this.#queue({ id: 0, set, action: 'spend', buckets });
      },
    };
  }

  /** Gives back what was leased. */
  settle(): void {
    clearTimeout(this.#settling);
    this.#settling = undefined;
    const buckets = this.#leased.settle();
    if (buckets.length > 0) this.#queue({ id: 0, set: 'requests', action: 'settle', buckets });
    this.#settleLater();
  }

  #settleLater(): void {
    if (this.#leased.size > 0) this.#settling ??= setTimeout(() => this.settle(), this.#leaseTime).unref();
  }

  #take(set: BucketSet, buckets: readonly Bucket[]): BucketLevels | Promise<BucketLevels> {
    if (this.#isSilent) return this.#own[set].take(buckets);
    const askedAt = this.#now();
    return this.#ask({ set, action: 'take', buckets: this.#leased.question(buckets) }, (answer) => {
      this.#leased.learn(buckets, answer, askedAt);
      this.#settleLater();
      return answer.levels;
    });
  }

  #ask(
    asked: Omit<BucketQuestion, 'id'> & { readonly action: 'take' | 'look' },
    read: (answer: BucketAnswer) => BucketLevels,
  ): BucketLevels | Promise<BucketLevels> {
    const { set, action, buckets } = asked;
    if (this.#isSilent) return this.#own[set][action](buckets);
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const giveUp = () => {
        this.#isSilent = true;
        resolve(this.#own[set][action](buckets));
      };
      // An answer that comes later still has to be read: it may have leased something.
      const take = (answer: BucketAnswer) => resolve(read(answer));
      this.#pending.set(id, { take, giveUp, timer: setTimeout(giveUp, this.#maxWait).unref() });
      this.#queue({ ...asked, id });
    });
  }

  #queue(question: BucketQuestion): void {
    if (this.#unsent.push(question) === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const questions = this.#unsent;
    this.#unsent = [];
    this.#askPrimary(questions).then(
      (answers) => {
        this.#isSilent = false;
        for (const answer of answers) this.#settled(answer.id)?.take(answer);
      },
      () => {
        for (const { id } of questions) this.#settled(id)?.giveUp();
      },
    );
  }

  /** What waits for the answer to a question, and from now on no longer does. */
  #settled(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    clearTimeout(pending?.timer);
    return pending;
  }
}
