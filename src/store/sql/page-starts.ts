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

/** What all of it may take, in bytes, about. */
const MAX_BYTES = 16 * 1024 * 1024;
const BYTES_OF_LIST = 300;
const BYTES_OF_PLACE = 48;

interface Places {
  readonly revision: number;
  /** In ascending order of both. */
  readonly starts: PageStart[];
  /** Whether the last of them is the last there is. */
  readonly isComplete: boolean;
}

export class PageStarts {
  readonly #lists = new LRUCache<string, Places>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ starts }, name) => BYTES_OF_LIST + name.length * 2 + starts.length * BYTES_OF_PLACE,
  });

  /** The nearest place at or before the offset, and whether a nearer one could be found. Nothing is known at other revisions. */
  before(
    list: string,
    revision: number,
    offset: number,
  ): { readonly start: PageStart | undefined; readonly isNearest: boolean } {
    const places = this.#lists.get(list);
    if (places?.revision !== revision) return { start: undefined, isNearest: false };
    return { start: places.starts[countUpTo(places.starts, offset) - 1], isNearest: places.isComplete };
  }

  /** All places of the list, so far apart. */
  learnAll(list: string, revision: number, starts: readonly PageStart[]): void {
    this.#lists.set(list, { revision, starts: [...starts], isComplete: true });
  }

  /** One place, unless one that is not far before it is known. */
  learn(list: string, revision: number, start: PageStart, distance: number): void {
    const known = this.#lists.get(list);
    const { starts, isComplete } = known?.revision === revision ? known : { starts: [], isComplete: false };
    const at = countUpTo(starts, start.offset);
    if (isComplete || start.offset - (starts[at - 1]?.offset ?? 0) < distance) return;
    starts.splice(at, 0, start);
    this.#lists.set(list, { revision, starts, isComplete });
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
