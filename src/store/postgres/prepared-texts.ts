/** Which statements are prepared. Each takes memory on every connection, and none is ever given up: so not all are. */

const MAX_PREPARED = 256;

/** Texts that were seen once, remembered at most. */
const MAX_SEEN = 1_000;

export class PreparedTexts {
  readonly #prepared = new Set<string>();
  readonly #seen = new Set<string>();

  /** From the second time on that a text is asked about, for as long as there is room. */
  has(text: string): boolean {
    if (this.#prepared.has(text)) return true;
    if (this.#prepared.size === MAX_PREPARED) return false;
    if (!this.#seen.delete(text)) {
      if (this.#seen.size === MAX_SEEN) this.#seen.clear();
      this.#seen.add(text);
      return false;
    }
    this.#prepared.add(text);
    return true;
  }
}
