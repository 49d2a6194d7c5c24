/** The writing thread as the serving thread sees it: orders go out, answers come back. */

import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { WriteResult } from '../sql/engine.ts';
import { StoreUnavailable, UnusableDatabase } from '../store-error.ts';
import type { Answer, NumberedOrder, Order, Outcome } from './writer-protocol.ts';

interface Waiting {
  readonly resolve: (result: WriteResult) => void;
  readonly reject: (error: unknown) => void;
}

export class Writer {
  readonly #path: string;
  #thread: Worker | undefined;
  #isClosed = false;
  #calls = 0;
  readonly #waiting = new Map<number, Waiting>();

  constructor(path: string) {
    this.#path = path;
  }

  call(order: Order): Promise<WriteResult> {
    if (this.#isClosed) return Promise.reject(new Error('the store is closed'));
    // Started by the first write: many commands only read.
    this.#thread ??= this.#start();
    const thread = this.#thread;
    this.#calls += 1;
    const number = this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      thread.postMessage({ number, order } satisfies NumberedOrder);
    });
  }

  /** What was ordered before is done before. */
  async close(): Promise<void> {
    const thread = this.#thread;
    const closed = thread && this.call({ kind: 'close' });
    this.#isClosed = true;
    if (thread === undefined) return;
    const ended = once(thread, 'exit');
    await closed;
    await ended;
  }

  #start(): Worker {
    // Beside this file: `.ts` as it is, `.js` once compiled.
    const thread = new Worker(new URL(`writer-thread${extname(import.meta.url)}`, import.meta.url), {
      workerData: this.#path,
    });
    thread.on('message', ({ number, outcome }: Answer) => this.#settle(number, outcome));
    thread.on('error', (error) => this.#lose(error));
    return thread;
  }

  #settle(number: number, outcome: Outcome): void {
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    switch (outcome.kind) {
      case 'done':
        waiting?.resolve(outcome.result);
        break;
      case 'unavailable':
        waiting?.reject(new StoreUnavailable(outcome.reason, outcome.message));
        break;
      case 'unusable':
        waiting?.reject(new UnusableDatabase(outcome.message));
        break;
      case 'failed':
        waiting?.reject(outcome.error);
        break;
    }
  }

  /** The thread is gone: whoever waits is told, and the next write starts another. */
  #lose(error: unknown): void {
    this.#thread = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
