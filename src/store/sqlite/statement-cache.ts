/** Prepared statements by their text, which is the shape of a query. The one that was used longest ago makes room. */

/** Shapes kept; most cost some kilobytes, the largest filters some dozens. */
const MAX_STATEMENTS = 500;

export class StatementCache<Prepared> {
  readonly #prepare: (sql: string) => Prepared;
  readonly #prepared = new Map<string, Prepared>();

  constructor(prepare: (sql: string) => Prepared) {
    this.#prepare = prepare;
  }

  get(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    // A map keeps the order of insertion, so what is taken out and put in again is the newest.
    if (known !== undefined) this.#prepared.delete(sql);
    const prepared = known ?? this.#prepare(sql);
    this.#prepared.set(sql, prepared);
    if (this.#prepared.size > MAX_STATEMENTS) {
      const [oldest] = this.#prepared.keys();
      if (oldest !== undefined) this.#prepared.delete(oldest);
    }
    return prepared;
  }
}
