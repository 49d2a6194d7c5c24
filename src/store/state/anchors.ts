/**
 * Keyset anchors of a list: for some offsets, the id of the record before. A page is found from the nearest anchor before
 * it instead of being counted off from the start. Only lists in the order of ids have them; others are sorted anyway.
 */

export interface Anchor {
  /** How many records of the list come up to and including the one with this id. */
  readonly offset: number;
  readonly id: number;
}

/** The approximate size of an anchor in bytes. */
const ANCHOR_BYTES = 48;

export class Anchors {
  /** Ascending by offset. */
  readonly #anchors: Anchor[];
  /** Whether anchors cover the whole list, so that looking for more is pointless. */
  readonly isComplete: boolean;

  constructor(anchors: readonly Anchor[] = [], isComplete = false) {
    this.#anchors = [...anchors];
    this.isComplete = isComplete;
  }

  get bytes(): number {
    return this.#anchors.length * ANCHOR_BYTES;
  }

  /** The last anchor at or before the offset. */
  before(offset: number): Anchor | undefined {
    return this.#anchors[this.#countUpTo(offset) - 1];
  }

  /** Adds an anchor unless one less than `spacing` before it exists. Returns whether it was added. */
  add(anchor: Anchor, spacing: number): boolean {
    const index = this.#countUpTo(anchor.offset);
    if (this.isComplete || anchor.offset - (this.#anchors[index - 1]?.offset ?? 0) < spacing) return false;
    this.#anchors.splice(index, 0, anchor);
    return true;
  }

  /** How many anchors are at or before the offset. */
  #countUpTo(offset: number): number {
    let [low, high] = [0, this.#anchors.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#anchors[middle]?.offset ?? Number.POSITIVE_INFINITY) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
