/** A thread as the serving thread sees it: commands go out, results come back. */

import { once } from 'node:events';
import { extname } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Worker as WorkerThread } from 'node:worker_threads';
import type { CommandMessage, ResultMessage } from './messages.ts';

/** The size of a thread's young generation in megabytes. By default, 48 fill up before garbage is collected. */
const YOUNG_GENERATION_MB = 12;

export interface ThreadOptions<Failure> {
  /** The module that runs in the thread. */
  readonly module: URL;
  /** What the module gets when it starts. */
  readonly data?: unknown;
  /** The error that the thread reported. The class of an error does not survive the trip. */
  readonly errorOf: (failure: Failure) => unknown;
}

/** The module of a thread: a sibling of another one, `.ts` in a checkout, `.js` once compiled. */
export function siblingModule(url: string, name: string): URL {
  const extension = extname(url);
  if (extension === '.ts') keepGenericWrappers();
  return new URL(`${name}${extension}`, url);
}

/**
 * Node removes types with WebAssembly that calls JavaScript. After 1,000 calls, V8 compiles a wrapper for such a function, and if one
 * thread frees it while another one looks it up, the process crashes (decision 9). So V8 must never compile one.
 */
function keepGenericWrappers(): void {
  setFlagsFromString('--wasm-wrapper-tiering-budget=2147483647');
}

interface Pending<Result> {
  readonly resolve: (result: Result | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export class Thread<Command, Result, Failure> {
  readonly #options: ThreadOptions<Failure>;
  #thread: WorkerThread | undefined;
  #closed: Promise<void> | undefined;
  #commands = 0;
  readonly #pending = new Map<number, Pending<Result>>();

  constructor(options: ThreadOptions<Failure>) {
    this.#options = options;
  }

  async call(command: Command): Promise<Result> {
    if (this.#closed !== undefined) throw new Error('the thread is closed');
    const result = await this.#send(command);
    if (result === undefined) throw new Error('the thread returned no result');
    return result;
  }

  /** Commands that were sent before are executed first. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    if (this.#thread === undefined) return;
    const ended = once(this.#thread, 'exit');
    await this.#send(undefined);
    await ended;
  }

  #send(command: Command | undefined): Promise<Result | undefined> {
    // Started on demand: most programs never need it.
    this.#thread ??= this.#start();
    const thread = this.#thread;
    this.#commands += 1;
    const number = this.#commands;
    return new Promise((resolve, reject) => {
      this.#pending.set(number, { resolve, reject });
      thread.postMessage({ number, command } satisfies CommandMessage<Command>);
    });
  }

  #start(): WorkerThread {
    const { module, data } = this.#options;
    const thread = new WorkerThread(module, {
      workerData: data,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    thread.on('message', (message: ResultMessage<Result, Failure>) => this.#settle(message));
    thread.on('error', (error) => this.#fail(error));
    return thread;
  }

  #settle({ number, outcome }: ResultMessage<Result, Failure>): void {
    const pending = this.#pending.get(number);
    this.#pending.delete(number);
    if (outcome.isDone) pending?.resolve(outcome.result);
    else pending?.reject(this.#options.errorOf(outcome.failure));
  }

  /** The thread is gone: pending commands fail, and the next command starts another thread. */
  #fail(error: unknown): void {
    this.#thread = undefined;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
