/**
 * The token buckets of a node with several workers. The primary process has them, and workers ask it, so that a limit holds
 * for the node, whichever worker gets a request. What a worker asks in one turn of the event loop is one message.
 *
 * A primary that does not respond is not waited for: until it does, each worker counts by itself.
 */

import cluster from 'node:cluster';
import { type BucketSet, type LimitBuckets, ownBuckets } from '../access/limit-buckets.ts';
import type { Bucket, BucketLevels, Buckets, TokenBuckets } from '../access/token-buckets.ts';

/** How long a worker waits for the primary, in milliseconds. */
const MAX_WAIT = 2_000;

interface Question {
  readonly id: number;
  readonly set: BucketSet;
  readonly action: 'take' | 'look' | 'spend';
  readonly buckets: readonly Bucket[];
}

export interface BucketQuestions {
  readonly kind: 'bucket questions';
  readonly questions: readonly Question[];
}

export interface BucketAnswers {
  readonly kind: 'bucket answers';
  /** There is none if tokens were spent. */
  readonly answers: readonly { readonly id: number; readonly levels: BucketLevels }[];
}

/** Called in the primary process. */
export function shareBuckets(): void {
  const buckets = ownBuckets();
  cluster.on('message', (worker, message: unknown) => {
    // A worker that has exited needs no answer.
    if (isMessage<BucketQuestions>(message, 'bucket questions')) worker.send(answer(buckets, message), () => undefined);
  });
}

/** Called in a worker. */
export function primaryBuckets(): LimitBuckets {
  const shared = new SharedBuckets((message) => {
    // The callback gets the error that would end the process otherwise.
    return process.connected && process.send?.(message, undefined, undefined, () => undefined) !== undefined;
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

/** What the primary answers. */
export function answer(buckets: LimitBuckets<TokenBuckets>, { questions }: BucketQuestions): BucketAnswers {
  const answers = questions.flatMap(({ id, set, action, buckets: asked }) => {
    const levels = buckets[set][action](asked);
    return levels === undefined ? [] : [{ id, levels }];
  });
  return { kind: 'bucket answers', answers };
}

interface Pending {
  /** Answers without the primary. */
  readonly giveUp: () => void;
  readonly resolve: (levels: BucketLevels) => void;
  readonly timer: NodeJS.Timeout;
}

/** The worker's side. */
export class SharedBuckets {
  readonly #send: (message: BucketQuestions) => boolean;
  readonly #maxWait: number;
  /** Count while the primary does not respond. */
  readonly #own: LimitBuckets<TokenBuckets>;
  readonly #pending = new Map<number, Pending>();
  #unsent: Question[] = [];
  #lastId = 0;
  #isSilent = false;

  /** `send` returns false if the primary is gone. */
  constructor(send: (message: BucketQuestions) => boolean, own = ownBuckets(), maxWait = MAX_WAIT) {
    this.#send = send;
    this.#own = own;
    this.#maxWait = maxWait;
  }

  set(set: BucketSet): Buckets {
    return {
      take: (buckets) => this.#ask(set, 'take', buckets),
      look: (buckets) => this.#ask(set, 'look', buckets),
      spend: (buckets) => {
        if (this.#isSilent) this.#own[set].spend(buckets);
        else this.#queue({ id: 0, set, action: 'spend', buckets });
      },
    };
  }

  receive({ answers }: BucketAnswers): void {
    this.#isSilent = false;
    for (const { id, levels } of answers) {
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      clearTimeout(pending?.timer);
      pending?.resolve(levels);
    }
  }

  #ask(set: BucketSet, action: 'take' | 'look', buckets: readonly Bucket[]): BucketLevels | Promise<BucketLevels> {
    if (this.#isSilent) return this.#own[set][action](buckets);
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const giveUp = () => {
        this.#isSilent = true;
        this.#pending.delete(id);
        resolve(this.#own[set][action](buckets));
      };
      this.#pending.set(id, { giveUp, resolve, timer: setTimeout(giveUp, this.#maxWait).unref() });
      this.#queue({ id, set, action, buckets });
    });
  }

  #queue(question: Question): void {
    if (this.#unsent.push(question) === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const questions = this.#unsent;
    this.#unsent = [];
    if (this.#send({ kind: 'bucket questions', questions })) return;
    for (const { id } of questions) this.#pending.get(id)?.giveUp();
  }
}
