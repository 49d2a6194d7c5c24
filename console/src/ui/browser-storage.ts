/** What the browser keeps for this page, which other tabs may change. Some browsers are set to keep nothing: then it is kept until the page is left. */

export class BrowserStorage {
  readonly #storage: () => Storage;
  readonly #fallback = new Map<string, string>();

  /** The browser may refuse it, so it is only asked for when it is needed. */
  constructor(storage: () => Storage) {
    this.#storage = storage;
  }

  get(name: string): string | undefined {
    // What could not be kept there, because it is full for example, is only here.
    const kept = this.#fallback.get(name);
    if (kept !== undefined) return kept;
    try {
      return this.#storage().getItem(name) ?? undefined;
    } catch {
      return undefined;
    }
  }

  set(name: string, value: string): void {
    try {
      this.#storage().setItem(name, value);
      this.#fallback.delete(name);
    } catch {
      this.#fallback.set(name, value);
    }
  }

  remove(name: string): void {
    this.#fallback.delete(name);
    try {
      this.#storage().removeItem(name);
    } catch {
      // Then it has none.
    }
  }
}
