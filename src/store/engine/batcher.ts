/**
 * Runs calls in batches. Calls that arrive in the same turn of the event loop, or while a batch is running, share the next
 * batch. Batches run one at a time, unless they are declared independent.
 */

export interface BatchOptions<Item, Result> {
  /** Returns an outcome for each item, in order. If it throws, all items of the batch fail. */
  run(batch: readonly Item[]): Promise<readonly Outcome<Result>[]>;
  /** How many of the waiting items the next batch takes; all of them by default. */
  size?(waiting: number, previous: number): number;
  /** Whether an error also applies to everything that is waiting. */
  isShared?(error: unknown): boolean;
  /** Whether a batch may start while another is running. */
  readonly isIndependent?: boolean;
}

export type Outcome<Result> = { readonly result: Result } | { readonly error: unknown };

interface Call<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
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

  get isIdle(): boolean {
    return !this.#isScheduled && !this.#isRunning;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#isScheduled || (this.#isRunning && this.#options.isIndependent !== true)) return;
      this.#isScheduled = true;
      const loop = new Promise<void>((start) => setImmediate(start)).then(() => this.#runAll());
      this.#loops.add(loop);
      void loop.then(() => this.#loops.delete(loop));
    });
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
  }

  async #run(batch: readonly Call<Item, Result>[]): Promise<void> {
    let outcomes: readonly Outcome<Result>[];
    try {
      outcomes = await this.#options.run(batch.map(({ item }) => item));
    } catch (error) {
      outcomes = batch.map(() => ({ error }));
    }
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index] ?? { error: new Error('the batch has no outcome for this item') };
      if ('result' in outcome) resolve(outcome.result);
      else reject(outcome.error);
    }
    const shared = outcomes.find((outcome) => 'error' in outcome && this.#options.isShared?.(outcome.error));
    if (shared !== undefined && 'error' in shared)
      for (const { reject } of this.#waiting.splice(0)) reject(shared.error);
  }
}
