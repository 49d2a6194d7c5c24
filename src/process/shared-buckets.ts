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
import {
  type BucketAnswer,
  type BucketAnswers,
  BucketOwner,
  type BucketQuestion,
  type BucketQuestions,
} from './bucket-owner.ts';
import { LeasedTokens } from './leased-tokens.ts';

/** How long a worker waits for the primary, in milliseconds. */
const MAX_WAIT = 2_000;

/** How long a worker keeps what it has leased, in milliseconds. */
const LEASE_TIME = 100;

/** Called in the primary process. */
export function shareBuckets(): void {
  const owner = new BucketOwner();
  cluster.on('message', (worker, message: unknown) => {
    if (!isMessage<BucketQuestions>(message, 'bucket questions')) return;
    const answers = owner.answer(worker.id, message);
    // A worker that has exited needs no answer.
    if (answers.answers.length > 0) worker.send(answers, () => undefined);
  });
  cluster.on('exit', (worker) => owner.forget(worker.id));
}

/** Called in a worker. */
export function primaryBuckets(): LimitBuckets {
  const shared = new SharedBuckets({
    // The callback gets the error that would end the process otherwise.
    send: (message) =>
      process.connected && process.send?.(message, undefined, undefined, () => undefined) !== undefined,
  });
  process.on('message', (message: unknown) => {
    if (isMessage<BucketAnswers>(message, 'bucket answers')) shared.receive(message);
  });
  return { requests: shared.set('requests'), 'failed attempts': shared.set('failed attempts') };
}

/** There are messages of other kinds. */
function isMessage<Message extends BucketQuestions | BucketAnswers>(
  message: unknown,
  kind: Message['kind'],
): message is Message {
  return typeof message === 'object' && message !== null && 'kind' in message && message.kind === kind;
}

interface Pending {
  readonly take: (answer: BucketAnswer) => void;
  /** Answers without the primary. */
  readonly giveUp: () => void;
  readonly timer: NodeJS.Timeout;
}

export interface SharedBucketsParts {
  /** Returns false if the primary is gone. */
  readonly send: (message: BucketQuestions) => boolean;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
  /** How long to wait for the primary, in milliseconds. */
  readonly maxWait?: number;
  /** How long to keep what was leased, in milliseconds. */
  readonly leaseTime?: number;
}

/** The worker's side. */
export class SharedBuckets {
  readonly #send: SharedBucketsParts['send'];
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

  constructor({ send, now = () => performance.now(), maxWait = MAX_WAIT, leaseTime = LEASE_TIME }: SharedBucketsParts) {
    this.#send = send;
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

  receive({ answers }: BucketAnswers): void {
    this.#isSilent = false;
    for (const answer of answers) {
      const pending = this.#pending.get(answer.id);
      this.#pending.delete(answer.id);
      clearTimeout(pending?.timer);
      pending?.take(answer);
    }
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
    if (this.#send({ kind: 'bucket questions', questions })) return;
    for (const { id } of questions) {
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      clearTimeout(pending?.timer);
      pending?.giveUp();
    }
  }
}
