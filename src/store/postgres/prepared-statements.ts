/** The prepared statements of one connection: the least recently used one is dropped to make room. */

/** The most prepared statements on a connection. Each takes some dozens of kilobytes on the server. */
const MAX_PREPARED = 200;

export class PreparedStatements {
  readonly #drop: (name: string) => void;
  /** Names by text, least recently used first. */
  readonly #names = new Map<string, string>();
  #count = 0;

  /** `drop` deallocates a statement on the server. */
  constructor(drop: (name: string) => void) {
    this.#drop = drop;
  }

  /** A name is never used for a second text. */
  nameOf(text: string): string {
    const known = this.#names.get(text);
    if (known === undefined && this.#names.size === MAX_PREPARED) this.#dropOldest();
    this.#names.delete(text);
    if (known === undefined) this.#count += 1;
    const name = known ?? `s${this.#count}`;
    this.#names.set(text, name);
    return name;
  }

  #dropOldest(): void {
    const [oldest] = this.#names;
    if (oldest === undefined) return;
    const [text, name] = oldest;
    this.#names.delete(text);
    this.#drop(name);
  }
}
