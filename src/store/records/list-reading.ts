/**
 * How a list is read, decided from its plan and from what is known about it: a slow read never runs where it would delay
 * others, and the index in memory is asked if it saves work.
 */

import { costPerRecord } from '../../plan/cost.ts';
import { type IndexCandidate, isSearch, valueCandidates } from '../../plan/indexes.ts';
import { offsetOf } from '../../plan/page.ts';
import type { ListPlan, Predicate, Selection } from '../../plan/plan.ts';
import { isOrderedById } from '../../plan/sort.ts';
import type { Engine } from '../engine/engine.ts';
import type { Anchor } from '../state/anchors.ts';
import type { LedgerVersion } from '../version.ts';

/** How many rows a fast statement may read: this takes a few tenths of a millisecond. */
export const FAST_ROWS = 3_000;

/** How many rows a slow statement may read that cannot be interrupted: this takes about ten milliseconds. */
export const SLOW_ROWS = 50_000;

/** What is known about a list before it is read. */
export interface KnownList {
  /** Of the ledger. Everything else holds only at this version. */
  readonly version: LedgerVersion;
  /** How many records match. */
  readonly total: number | undefined;
  /** At or before the page. */
  readonly anchor: Anchor | undefined;
  /** Whether a page of the account with as many records, or fewer, was too large for one text lately. */
  readonly isLarge: boolean;
}

export interface Reading {
  /** One statement that returns the page as a text; or first the ids of its records, and then the records in pieces. */
  readonly kind: 'statement' | 'located';
  readonly executor: 'fast' | 'slow';
  /** The index in memory is asked first, and this executor reads the records that it finds. Undefined if it is not asked. */
  readonly fromIndex?: 'fast' | 'slow';
  /** The conditions that may use an index of the database; all if undefined. */
  readonly indexed?: ReadonlySet<Predicate>;
  /** Any of them finds all matching records, and is used unless it finds more than `SLOW_ROWS`, or the index in memory finds the page. */
  readonly candidates?: readonly IndexCandidate[];
}

/** The cost depends on how many records an index of the database finds. */
export interface Probe {
  readonly kind: 'probe';
  /** Any of them finds all matching records. */
  readonly candidates: readonly IndexCandidate[];
  /** How many records a candidate may find to be fast. */
  readonly maxRows: number;
  readonly few: Reading;
  readonly many: Reading;
}

const LOCATED: Reading = { kind: 'located', executor: 'slow' };

/** Reads in list order until the page is full. */
const NO_INDEX: ReadonlySet<Predicate> = new Set();

type EngineTraits = Pick<Engine, 'hasStatistics' | 'sliceRows'>;

export function howToRead(plan: ListPlan, known: KnownList, engine: EngineTraits): Reading | Probe {
  const { where, limit } = plan;
  const { total, anchor, isLarge } = known;
  const { rows } = known.version;
  const slow = () => slowReading(plan, known, engine);
  if (plan.explained !== undefined) return { ...LOCATED, fromIndex: isLarge ? 'slow' : 'fast' };
  const fast: Reading = isLarge ? LOCATED : { kind: 'statement', executor: 'fast' };
  const costPerRow = costPerRecord(where);
  if (rows * costPerRow <= FAST_ROWS) return fast;
  const isSorted = !isOrderedById(plan);
  const skipped = skippedIn(plan, known);
  if (where === undefined) return isSorted || skipped > FAST_ROWS ? slow() : fast;
  const candidates = valueCandidates(where);
  if (candidates.length > 0) {
    if (!isSorted && skipped > FAST_ROWS) return slow();
    // With a single condition and a known total, the index has the page in order and nothing is counted.
    if (!isSorted && candidates[0]?.[0] === where && total !== undefined) return fast;
    // Everything that matches has to be sorted.
    if (engine.hasStatistics) return isSorted && (total ?? rows) > FAST_ROWS ? slow() : fast;
    return {
      kind: 'probe',
      candidates,
      maxRows: Math.floor(FAST_ROWS / costPerRow),
      few: fast,
      many: { ...slow(), ...(!isLarge && { candidates }) },
    };
  }
  if (isSorted || total === undefined) return slow();
  // Behind an anchor, matches are assumed to be evenly distributed. Without one, all other records may come first.
  const read = anchor === undefined ? rows - total + skipped + limit : recordsUpTo(skipped + limit, rows, total);
  return read * costPerRow > FAST_ROWS ? slow() : { ...fast, indexed: NO_INDEX };
}

function slowReading(plan: ListPlan, known: KnownList, { sliceRows }: EngineTraits): Reading {
  const { version, total, isLarge } = known;
  const isSliced = isOrderedById(plan) && version.rows > sliceLength(plan, sliceRows);
  const isLocated = isLarge || isSliced || (total !== undefined && isNearEnd(plan, total));
  return {
    kind: isLocated ? 'located' : 'statement',
    executor: 'slow',
    ...(!isNear(plan, known) && { fromIndex: isLarge ? 'slow' : 'fast' }),
  };
}

/** How many matching records precede the page, counted from its anchor. */
function skippedIn(plan: ListPlan, { anchor }: KnownList): number {
  return offsetOf(plan) - (anchor?.offset ?? 0);
}

/** Whether a page of a list in id order follows none that was read before, and is so far down that only an index finds it at once. */
export function isDeep(plan: ListPlan, known: KnownList): boolean {
  return isOrderedById(plan) && skippedIn(plan, known) > FAST_ROWS;
}

/** Whether the page is probably found among the first records that are read in list order, so that no index is needed. */
function isNear(plan: ListPlan, known: KnownList): boolean {
  const { version, total } = known;
  if (!isOrderedById(plan) || total === undefined) return false;
  return recordsUpTo(skippedIn(plan, known) + plan.limit, version.rows, total) <= FAST_ROWS;
}

/** How many records have to be read to find N matches, if those are evenly distributed. */
function recordsUpTo(matches: number, rows: number, total: number): number {
  return (matches * rows) / Math.max(total, 1);
}

/** Whether a page of a sorted list is in its second half. Then fewer records have to be sorted from the end. */
export function isNearEnd(plan: ListPlan, total: number): boolean {
  const offset = offsetOf(plan);
  return !isOrderedById(plan) && offset > total / 2 && offset < total;
}

/** The search index skips most records of a slice, so the slices of a search are this much longer. */
const SEARCH_FACTOR = 16;

/** What a record costs in a slice of the usual length. If the filter costs more, slices are shorter. */
const USUAL_COST = 2;
const USUAL_SEARCH_COST = 6;

/** Shorter slices would not be worth the statements, which the serving thread makes. */
const MIN_LENGTH = 1_000;

/** How many records a slice of this list has. */
export function sliceLength({ where }: Pick<Selection, 'where'>, sliceRows: number): number {
  const isSearched = where !== undefined && isSearch(where);
  const usual = isSearched ? sliceRows * SEARCH_FACTOR : sliceRows;
  const excess = costPerRecord(where) / (isSearched ? USUAL_SEARCH_COST : USUAL_COST);
  return Math.min(usual, Math.max(MIN_LENGTH, Math.ceil(usual / excess)));
}
