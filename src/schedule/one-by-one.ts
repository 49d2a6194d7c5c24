/** Takes one item per iteration of the event loop, so that whatever each takes, others have their turn in between. */

import { setImmediate } from 'node:timers/promises';

export async function* oneByOne<Item>(items: Iterable<Item>): AsyncGenerator<Item, void> {
  for (const item of items) {
    await setImmediate();
    yield item;
  }
}

/** A list in parts of a length. */
export function* partsOf<Item>(items: readonly Item[], length: number): Generator<readonly Item[], void> {
  for (let from = 0; from < items.length; from += length) yield items.slice(from, from + length);
}
