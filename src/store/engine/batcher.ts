/**
 * Runs calls in batches. Calls that arrive in the same iteration of the event loop, or while a batch is running, share the next
 * batch. Batches run one at a time, unless they are declared independent.
 */

import { inIteration } from './loop-iteration.ts';

export interface BatchOptions<Item, Result> {
  /** Returns an outcome for each item, in order. If it throws, all items of the batch fail. */
  run(batch: readonly Item[]): Promise<readonly Outcome<Result>[]>;
  /** How many of the waiting items the next batch takes; all of them by default. */
  size?(waiting: number, previous: number): number;
  /** Whether an error also applies to everything that is waiting. */
  isShared?(error: unknown): boolean;
  /** Whether a batch may start while another is running. */
  readonly isIndependent?: boolean;
  /** Called when nothing is left to run. */
  onIdle?(): void;
}

export type Outcome<Result> = { readonly result: Result } | { readonly error: unknown };

interface Call<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
  /** Called once it no longer matters whether the call is cancelled. */
  readonly settled: () => void;
}

export class Batcher<Item, Result> {
  readonly #options: BatchOptions<Item, Result>;
  readonly #waiting: Call<Item, Result>[] = [];
  /** Loops that run batches until nothing is waiting. */
  readonly #loops = new Set<Promise<void>>();
  #isScheduled = false;
  #isRunning = false;

  constructor(options: BatchOptions<Item, Result>) {
    this.#options = options;
  }

  /** How many items wait for a batch. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Whether a batch is running. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** If the signal aborts before the batch starts, the item is not run. */
  add(item: Item, signal?: AbortSignal): Promise<Result> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const cancel = () => this.#cancel(call, signal?.reason);
      const call = { item, resolve, reject, settled: () => signal?.removeEventListener('abort', cancel) };
      this.#waiting.push(call);
      signal?.addEventListener('abort', cancel, { once: true });
      if (this.#isScheduled || (this.#isRunning && this.#options.isIndependent !== true)) return;
      this.#isScheduled = true;
      const loop = new Promise<void>((start) => inIteration(start)).then(() => this.#runAll());
      this.#loops.add(loop);
      void loop.then(() => this.#loops.delete(loop));
    });
  }

  /** An item whose batch is running is run, but nobody waits for its result any more. */
  #cancel(call: Call<Item, Result>, reason: unknown): void {
    const index = this.#waiting.indexOf(call);
    if (index >= 0) this.#waiting.splice(index, 1);
    call.reject(reason);
  }

  /** Resolves when everything that was added has been run. */
  async close(): Promise<void> {
    await Promise.all(this.#loops);
  }

  async #runAll(): Promise<void> {
    this.#isScheduled = false;
    this.#isRunning = true;
    let previous = 0;
    while (this.#waiting.length > 0) {
      const size = this.#options.size?.(this.#waiting.length, previous) ?? this.#waiting.length;
      const batch = this.#waiting.splice(0, size);
      previous = batch.length;
      await this.#run(batch);
    }
    this.#isRunning = false;
    if (!this.#isScheduled) this.#options.onIdle?.();
  }

  async #run(batch: readonly Call<Item, Result>[]): Promise<void> {
    let outcomes: readonly Outcome<Result>[];
    try {
      outcomes = await this.#options.run(batch.map(({ item }) => item));
    } catch (error) {
      outcomes = batch.map(() => ({ error }));
    }
    for (const [index, { resolve, reject, settled }] of batch.entries()) {
      settled();
      const outcome = outcomes[index] ?? { error: new Error('the batch has no outcome for this item') };
      if ('result' in outcome) resolve(outcome.result);
      else reject(outcome.error);
    }
    const shared = outcomes.find((outcome) => 'error' in outcome && this.#options.isShared?.(outcome.error));
    if (shared !== undefined && 'error' in shared)
      for (const { reject } of this.#waiting.splice(0)) reject(shared.error);
  }
}
