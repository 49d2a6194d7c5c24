/** What the browser keeps for this page. Some browsers are set to keep nothing: then it is kept until the page is left. */

export class BrowserStorage {
  readonly #storage: () => Storage;
  readonly #fallback = new Map<string, string>();

  /** The browser may refuse it, so it is only asked for when it is needed. */
  constructor(storage: () => Storage) {
    this.#storage = storage;
  }

  get(name: string): string | undefined {
    return this.#attempt((storage) => storage.getItem(name)) ?? this.#fallback.get(name);
  }

  set(name: string, value: string): void {
    this.#fallback.set(name, value);
    this.#attempt((storage) => storage.setItem(name, value));
  }

  remove(name: string): void {
    this.#fallback.delete(name);
    this.#attempt((storage) => storage.removeItem(name));
  }

  #attempt<Result>(use: (storage: Storage) => Result): Result | undefined {
    try {
      return use(this.#storage());
    } catch {
      return undefined;
    }
  }
}
