/**
 * Where pages of a list begin: for some places in it, the id of the record before. A page is then found from the nearest
 * place before it, not by counting from the start. Every place is of one revision, and holds for that revision alone.
 * Only lists in the order of ids have them: the others are sorted as a whole anyway.
 */

import { LRUCache } from 'lru-cache';
import { id } from '../../catalog/resource.ts';
import { canonical } from '../../plan/canonical.ts';
import type { Selection } from '../../plan/plan.ts';
import type { AccountId } from '../store.ts';

/** A place in a list: `offset` records come up to the one with this id. */
export interface PageStart {
  readonly offset: number;
  readonly id: number;
}

/** Places of all lists together; each takes some dozen bytes. */
const MAX_PLACES = 500_000;

/** Places of one list: those of the largest accounts lie further apart. */
const MAX_PLACES_OF_LIST = 10_000;

interface Places {
  readonly revision: number;
  /** In ascending order of both. */
  readonly starts: PageStart[];
}

export class PageStarts {
  readonly #lists = new LRUCache<string, Places>({
    maxSize: MAX_PLACES,
    sizeCalculation: ({ starts }) => starts.length,
  });

  /** The nearest place at or before the offset. Nothing where none is known at the revision. */
  before(list: string, revision: number, offset: number): PageStart | undefined {
    const places = this.#lists.get(list);
    if (places?.revision !== revision) return undefined;
    return places.starts[countUpTo(places.starts, offset) - 1];
  }

  learn(list: string, revision: number, learned: readonly PageStart[]): void {
    const known = this.#lists.get(list);
    const starts = known?.revision === revision ? known.starts : [];
    for (const start of learned) {
      const at = countUpTo(starts, start.offset);
      if (starts[at - 1]?.offset !== start.offset && starts.length < MAX_PLACES_OF_LIST) starts.splice(at, 0, start);
    }
    if (starts.length > 0) this.#lists.set(list, { revision, starts });
  }
}

/** One name for all pages of a list. Nothing where it is not in the order of ids. */
export function listName(epoch: number, account: AccountId, plan: Selection): string | undefined {
  const [first] = plan.order;
  if (first?.field !== id) return undefined;
  const where = plan.where === undefined ? '' : canonical(plan.where);
  return `${epoch} ${account} ${plan.resource.name} ${first.descending ? '-' : ''}${where}`;
}

/** How many of the places are at or before the offset. */
function countUpTo(starts: readonly PageStart[], offset: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle]?.offset ?? Number.POSITIVE_INFINITY) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
