/**
 * The ends of the pages of a list that were read last, as keyset anchors: the page that follows is found from there instead
 * of being counted off from the start. Only lists in the order of ids have them; others are sorted anyway.
 */

export interface Anchor {
  /** How many records of the list come up to and including the one with this id. */
  readonly offset: number;
  readonly id: number;
}

/** This many clients can page through a list at the same time. */
const MAX_ANCHORS = 16;

/** The approximate size of all anchors of a list in bytes. */
export const ANCHORS_BYTES = MAX_ANCHORS * 48;

export class Anchors {
  /** The oldest comes first. */
  readonly #anchors: Anchor[] = [];

  /** The last one at or before the offset. */
  before(offset: number): Anchor | undefined {
    let nearest: Anchor | undefined;
    for (const anchor of this.#anchors)
      if (anchor.offset <= offset && anchor.offset > (nearest?.offset ?? 0)) nearest = anchor;
    return nearest;
  }

  add(anchor: Anchor): void {
    const known = this.#anchors.findIndex(({ offset }) => offset === anchor.offset);
    if (known >= 0) this.#anchors.splice(known, 1);
    else if (this.#anchors.length === MAX_ANCHORS) this.#anchors.shift();
    this.#anchors.push(anchor);
  }
}
