/** How many records filters matched, each with the revision at which it was counted. It holds for as long as the ledger says so. */

/** Filters remembered; the one that was asked about longest ago makes room. */
const MAX_TOTALS = 10_000;

export interface KnownTotal {
  readonly revision: number;
  readonly total: number;
}

export class KnownTotals {
  readonly #totals = new Map<string, KnownTotal>();

  get(key: string): KnownTotal | undefined {
    const known = this.#totals.get(key);
    if (known !== undefined) this.#keep(key, known);
    return known;
  }

  set(key: string, known: KnownTotal): void {
    this.#keep(key, known);
    const [oldest] = this.#totals.keys();
    if (this.#totals.size > MAX_TOTALS && oldest !== undefined) this.#totals.delete(oldest);
  }

  /** A map keeps the order of insertion, so what is taken out and put in again is the newest. */
  #keep(key: string, known: KnownTotal): void {
    this.#totals.delete(key);
    this.#totals.set(key, known);
  }
}
