/** A thread with connections of its own, as the serving thread sees it: orders go out, results come back. */

import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { errorOf, type OrderMessage, type ResultMessage } from './thread-messages.ts';

/** The size of a thread's young generation in megabytes. By default, 48 fill up before garbage is collected. */
const YOUNG_GENERATION_MB = 12;

interface Pending<Result> {
  readonly resolve: (result: Result | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export class Thread<Order, Result> {
  /** The module that runs in the thread: a sibling of this one, without its extension. */
  readonly #module: string;
  /** The path of the database. */
  readonly #path: string;
  #worker: Worker | undefined;
  #isClosed = false;
  #orders = 0;
  readonly #pending = new Map<number, Pending<Result>>();

  constructor(module: string, path: string) {
    this.#module = module;
    this.#path = path;
  }

  /** How many orders are queued or running. */
  get pending(): number {
    return this.#pending.size;
  }

  async call(order: Order): Promise<Result> {
    if (this.#isClosed) throw new Error('the store is closed');
    const result = await this.#send(order);
    if (result === undefined) throw new Error('the thread returned no result');
    return result;
  }

  /** Orders that were sent before are executed first. */
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
      this.#pending.set(number, { resolve, reject });
      worker.postMessage({ number, order } satisfies OrderMessage<Order>);
    });
  }

  #start(): Worker {
    // `.ts` in a checkout, `.js` once compiled.
    const url = new URL(`${this.#module}${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(url, {
      workerData: this.#path,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    worker.on('message', (message: ResultMessage<Result>) => this.#settle(message));
    worker.on('error', (error) => this.#fail(error));
    return worker;
  }

  #settle({ number, outcome }: ResultMessage<Result>): void {
    const pending = this.#pending.get(number);
    this.#pending.delete(number);
    if (outcome.kind === 'done') pending?.resolve(outcome.result);
    else pending?.reject(errorOf(outcome));
  }

  /** The thread is gone: pending orders fail, and the next order starts another thread. */
  #fail(error: unknown): void {
    this.#worker = undefined;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
