/** How much long work does in one short transaction: as much as takes a tenth of a second on this machine, now. */

/** In milliseconds. */
const TARGET = 100;

/** A slice is at most so many times as large as the one before it. */
const GROWTH = 2;

export class SliceSize {
  readonly #min: number;
  readonly #max: number;
  #size: number;

  constructor({ first, min, max }: { readonly first: number; readonly min: number; readonly max: number }) {
    this.#size = first;
    this.#min = min;
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /** A slice of the current size took so many milliseconds, without what it waited. */
  took(milliseconds: number): void {
    const factor = Math.min(GROWTH, Math.max(1 / GROWTH, TARGET / Math.max(milliseconds, 1)));
    this.#size = Math.min(this.#max, Math.max(this.#min, Math.round(this.#size * factor)));
  }
}
