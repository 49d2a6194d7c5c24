/** Estimates what it costs to read a list, so that a slow one never runs where it would delay others. */

import { id } from '../catalog/resource.ts';
import { costPerRecord } from '../plan/cost.ts';
import { type IndexCandidate, valueCandidates } from '../plan/indexes.ts';
import type { ListPlan, Predicate } from '../plan/plan.ts';

/** How many rows a fast statement may read: this takes a few tenths of a millisecond. */
export const FAST_ROWS = 3_000;

/** What is known about a list before it is read. */
export interface ListFacts {
  /** How many records the resource has. */
  readonly rows: number;
  /** How many of them match, if known. */
  readonly total: number | undefined;
  /** How many matching records precede the page, counted from its anchor. */
  readonly skipped: number;
  readonly hasAnchor: boolean;
}

export interface ExecutionChoice {
  readonly executor: 'fast' | 'slow';
  /** The conditions that may use an index; all if undefined. */
  readonly indexed?: ReadonlySet<Predicate>;
}

/** The cost depends on how many records an index finds. */
export interface Undecided {
  /** Any of them finds all matching records. */
  readonly candidates: readonly IndexCandidate[];
  /** How many records a candidate may find to be fast. */
  readonly maxRows: number;
  /** The executor to use without probing the candidates. */
  readonly unprobed: 'fast' | 'slow';
}

/** Whether the page is probably found among the first records that are read in list order, so that no index is needed. */
export function isNear({ order, limit }: ListPlan, { rows, total, skipped }: ListFacts): boolean {
  return order[0]?.field === id && total !== undefined && recordsUpTo(skipped + limit, rows, total) <= FAST_ROWS;
}

/** How many records have to be read to find so many matches, if those are evenly distributed. */
function recordsUpTo(matches: number, rows: number, total: number): number {
  return (matches * rows) / Math.max(total, 1);
}

/** Reads in list order until the page is full. */
const NO_INDEX: ReadonlySet<Predicate> = new Set();

export function chooseExecutor({ where, order, limit }: ListPlan, facts: ListFacts): ExecutionChoice | Undecided {
  const { rows, total, skipped, hasAnchor } = facts;
  const costPerRow = costPerRecord(where);
  if (rows * costPerRow <= FAST_ROWS) return { executor: 'fast' };
  const isSorted = order[0]?.field !== id;
  const candidates = where === undefined ? [] : valueCandidates(where);
  if (candidates.length > 0) {
    const maxRows = Math.floor(FAST_ROWS / costPerRow);
    // Everything that matches has to be sorted.
    if (isSorted) return { candidates, maxRows, unprobed: (total ?? rows) > FAST_ROWS ? 'slow' : 'fast' };
    if (skipped > FAST_ROWS) return { executor: 'slow' };
    // With a single condition and a known total, the index has the page in order and nothing is counted.
    const isCovered = candidates[0]?.[0] === where && total !== undefined;
    return isCovered ? { executor: 'fast' } : { candidates, maxRows, unprobed: 'fast' };
  }
  if (where === undefined && !isSorted) return { executor: skipped > FAST_ROWS ? 'slow' : 'fast' };
  if (where === undefined || isSorted || total === undefined) return { executor: 'slow' };
  // Behind an anchor, matches are assumed to be evenly distributed. Without one, all other records may come first.
  const read = hasAnchor ? recordsUpTo(skipped + limit, rows, total) : rows - total + skipped + limit;
  return read * costPerRow > FAST_ROWS ? { executor: 'slow' } : { executor: 'fast', indexed: NO_INDEX };
}
