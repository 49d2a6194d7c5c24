/** A thread with connections of its own, as the serving thread sees it: orders go out, answers come back. */

import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { StatementRefused } from '../sql/engine.ts';
import { StoreUnavailable, UnusableDatabase } from '../store-error.ts';

/** What a thread may hold of what is thrown away at once, in megabytes. Left to itself, it takes 48 before it tidies up. */
const YOUNG_MEMORY = 12;

export interface NumberedOrder<Order> {
  readonly number: number;
  /** None is the order to end. */
  readonly order: Order | undefined;
}

export interface Answer<Result> {
  readonly number: number;
  readonly outcome: Outcome<Result>;
}

/** The class of an error does not travel between threads, so it is put in words. */
export type Outcome<Result> =
  | { readonly kind: 'done'; readonly result: Result | undefined }
  | { readonly kind: 'unavailable'; readonly reason: StoreUnavailable['reason']; readonly message: string }
  | { readonly kind: 'unusable'; readonly message: string }
  | { readonly kind: 'refused'; readonly error: Error }
  | { readonly kind: 'failed'; readonly error: unknown };

interface Waiting<Result> {
  readonly resolve: (result: Result | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export class Thread<Order, Result> {
  /** The module that runs in the thread, beside this one, without its ending. */
  readonly #module: string;
  /** The path of the database. */
  readonly #path: string;
  #worker: Worker | undefined;
  #isClosed = false;
  #orders = 0;
  readonly #waiting = new Map<number, Waiting<Result>>();

  constructor(module: string, path: string) {
    this.#module = module;
    this.#path = path;
  }

  /** How many orders are not answered yet. */
  get waiting(): number {
    return this.#waiting.size;
  }

  async call(order: Order): Promise<Result> {
    if (this.#isClosed) throw new Error('the store is closed');
    const result = await this.#send(order);
    if (result === undefined) throw new Error('the thread gave no result');
    return result;
  }

  /** What was ordered before is done before. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#worker === undefined) return;
    const ended = once(this.#worker, 'exit');
    await this.#send(undefined);
    await ended;
  }

  #send(order: Order | undefined): Promise<Result | undefined> {
    // Started by the first order: many commands never need it.
    this.#worker ??= this.#start();
    const worker = this.#worker;
    this.#orders += 1;
    const number = this.#orders;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      worker.postMessage({ number, order } satisfies NumberedOrder<Order>);
    });
  }

  #start(): Worker {
    // `.ts` as it is, `.js` once compiled.
    const url = new URL(`${this.#module}${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(url, {
      workerData: this.#path,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEMORY },
    });
    worker.on('message', (answers: readonly Answer<Result>[]) => {
      for (const { number, outcome } of answers) this.#settle(number, outcome);
    });
    worker.on('error', (error) => this.#lose(error));
    return worker;
  }

  #settle(number: number, outcome: Outcome<Result>): void {
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    if (outcome.kind === 'done') waiting?.resolve(outcome.result);
    else waiting?.reject(errorOf(outcome));
  }

  /** The thread is gone: whoever waits is told, and the next order starts another. */
  #lose(error: unknown): void {
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

function errorOf(outcome: Exclude<Outcome<never>, { kind: 'done' }>): unknown {
  switch (outcome.kind) {
    case 'unavailable':
      return new StoreUnavailable(outcome.reason, outcome.message);
    case 'unusable':
      return new UnusableDatabase(outcome.message);
    case 'refused':
      return new StatementRefused(outcome.error.message, { cause: outcome.error });
    case 'failed':
      return outcome.error;
  }
}
