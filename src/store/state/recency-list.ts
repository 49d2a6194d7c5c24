/**
 * Items in the order of their last use, as a doubly linked list: touching, removing and finding the oldest one take constant
 * time. A `Map` in that order would have to skip a hole for every item that was moved or removed since it was last rehashed.
 */

export interface Linked<Item> {
  older: Item | undefined;
  newer: Item | undefined;
}

export class RecencyList<Item extends Linked<Item>> {
  #oldest: Item | undefined;
  #newest: Item | undefined;

  get oldest(): Item | undefined {
    return this.#oldest;
  }

  /** The item must not be in a list yet. It becomes the newest. */
  add(item: Item): void {
    item.older = this.#newest;
    if (this.#newest === undefined) this.#oldest = item;
    else this.#newest.newer = item;
    this.#newest = item;
  }

  /** The item must be in this list. */
  remove(item: Item): void {
    if (item.older === undefined) this.#oldest = item.newer;
    else item.older.newer = item.newer;
    if (item.newer === undefined) this.#newest = item.older;
    else item.newer.older = item.older;
    item.older = undefined;
    item.newer = undefined;
  }

  /** The item must be in this list. It becomes the newest. */
  touch(item: Item): void {
    if (item === this.#newest) return;
    this.remove(item);
    this.add(item);
  }
}
