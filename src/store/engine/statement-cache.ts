/**
 * The prepared statements of one connection. If there are too many, the account that has the most loses the one it has not
 * used for the longest time, so that no account can displace the statements of another.
 */

/** An account, or all: a statement that a second account uses belongs to all. */
export type Owner = number | 'all';

export interface StatementCacheOptions<Prepared> {
  /** The maximum number of statements. */
  readonly max: number;
  prepare(text: string): Prepared;
  /** Called for a statement that is dropped. */
  drop?(statement: Prepared): void;
}

interface Entry<Prepared> {
  readonly statement: Prepared;
  owner: Owner;
}

export class StatementCache<Prepared> {
  readonly #options: StatementCacheOptions<Prepared>;
  /** By text. */
  readonly #entries = new Map<string, Entry<Prepared>>();
  /** The texts of an owner's statements, least recently used first. */
  readonly #texts = new Map<Owner, Set<string>>();

  constructor(options: StatementCacheOptions<Prepared>) {
    this.#options = options;
  }

  get(text: string, user: Owner): Prepared {
    const known = this.#entries.get(text);
    if (known !== undefined) {
      this.#textsOf(known.owner).delete(text);
      if (known.owner !== user) known.owner = 'all';
      this.#textsOf(known.owner).add(text);
      return known.statement;
    }
    const statement = this.#options.prepare(text);
    if (this.#entries.size === this.#options.max) this.#dropOne();
    this.#entries.set(text, { statement, owner: user });
    this.#textsOf(user).add(text);
    return statement;
  }

  #textsOf(owner: Owner): Set<string> {
    const texts = this.#texts.get(owner) ?? new Set();
    this.#texts.set(owner, texts);
    return texts;
  }

  #dropOne(): void {
    let largest = new Set<string>();
    for (const [owner, texts] of this.#texts) {
      if (texts.size === 0) this.#texts.delete(owner);
      else if (texts.size > largest.size) largest = texts;
    }
    const [oldest] = largest;
    const entry = oldest === undefined ? undefined : this.#entries.get(oldest);
    if (oldest === undefined || entry === undefined) return;
    largest.delete(oldest);
    this.#entries.delete(oldest);
    this.#options.drop?.(entry.statement);
  }
}
