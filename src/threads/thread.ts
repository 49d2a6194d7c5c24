/** A thread with connections of its own, as the serving thread sees it: commands go out, results come back. */

import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { FileHealth } from './file-health.ts';
import { type CommandMessage, errorOf, type ResultMessage } from './thread-messages.ts';

/** The size of a thread's young generation in megabytes. By default, 48 fill up before garbage is collected. */
const YOUNG_GENERATION_MB = 12;

interface Pending<Result> {
  readonly resolve: (result: Result | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export class Thread<Command, Result> {
  /** The module that runs in the thread: a sibling of this one, without its extension. */
  readonly #module: string;
  readonly #file: FileHealth;
  #worker: Worker | undefined;
  #isClosed = false;
  #commands = 0;
  readonly #pending = new Map<number, Pending<Result>>();

  constructor(module: string, file: FileHealth) {
    this.#module = module;
    this.#file = file;
  }

  /** How many commands are queued or running. */
  get pending(): number {
    return this.#pending.size;
  }

  async call(command: Command): Promise<Result> {
    if (this.#isClosed) throw new Error('the store is closed');
    const result = await this.#send(command);
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

  #send(command: Command | undefined): Promise<Result | undefined> {
    // Started on demand: most programs never need it.
    this.#worker ??= this.#start();
    const worker = this.#worker;
    this.#commands += 1;
    const number = this.#commands;
    return new Promise((resolve, reject) => {
      this.#pending.set(number, { resolve, reject });
      worker.postMessage({ number, command } satisfies CommandMessage<Command>);
    });
  }

  #start(): Worker {
    // `.ts` in a checkout, `.js` once compiled.
    const url = new URL(`${this.#module}${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(url, {
      workerData: this.#file.identity,
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
    else pending?.reject(this.#file.explain(errorOf(outcome)));
  }

  /** The thread is gone: pending commands fail, and the next command starts another thread. */
  #fail(error: unknown): void {
    this.#worker = undefined;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
