/** A result that takes time to get, and the last one that is known meanwhile. */

export class LastKnown<Result> {
  readonly #call: () => Promise<Result>;
  readonly #onResult: (result: Result) => void;
  #current: Promise<Result> | undefined;
  #value: Result | undefined;

  constructor(call: () => Promise<Result>, onResult: (result: Result) => void = () => {}) {
    this.#call = call;
    this.#onResult = onResult;
  }

  /** A new result. Concurrent callers share it, so that many probes and scrapes are no more work than one. */
  get(): Promise<Result> {
    this.#current ??= this.#call()
      .then((result) => {
        this.#value = result;
        this.#onResult(result);
        return result;
      })
      .finally(() => {
        this.#current = undefined;
      });
    return this.#current;
  }

  /** The last result, at once; undefined if there is none yet. A new one is got for the next time. */
  get value(): Result | undefined {
    // If that fails, the last one is still the last one.
    this.get().catch(() => undefined);
    return this.#value;
  }
}
