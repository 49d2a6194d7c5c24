/** How much there is to read, so that what takes long is not read where it would hold others up. */

import { id } from '../../catalog/resource.ts';
import type { ListPlan, Predicate } from '../../plan/plan.ts';
import type { Led } from './dialect.ts';

/** Rows that may be looked at in passing: some tenths of a millisecond. */
export const FEW_ROWS = 3_000;

/** A few rows of the ledger, which change with every write; the records of a page; or very many records. */
export type Effort = 'look' | 'short' | 'long';

export interface Circumstances {
  /** How many records there are. */
  readonly rows: number;
  /** How many of them match, where that is known. */
  readonly total: number | undefined;
  /** How many records that match come before the page, from where it is sought. */
  readonly skipped: number;
  /** Whether that is a place in the list where a record that matches is known to be. */
  readonly isPlaced: boolean;
}

/** How a list is read: how much that is, and by which conditions the records are found in an index. */
export interface Reading {
  readonly effort: Effort;
  readonly led?: Led;
}

/** Where an index may lead to the records, it depends on how many it leads to. */
export interface Undecided {
  /** Any of them leads to all records that match. */
  readonly leads: readonly Lead[];
  /** How many records of a lead may be looked at in passing. */
  readonly few: number;
  /** Where nobody looks how many they are. */
  readonly unseen: Effort;
}

/** Conditions on indexed values, one of which every record that matches meets. */
type Lead = readonly Predicate[];

/** In the order of the list, until the page is full. */
const ONE_BY_ONE: Led = new Set();

export function effortOf({ where, order, limit }: ListPlan, circumstances: Circumstances): Reading | Undecided {
  const { rows, total, skipped, isPlaced } = circumstances;
  const each = 1 + (where === undefined ? 0 : conditionsOf(where));
  if (rows * each <= FEW_ROWS) return { effort: 'short' };
  const isSorted = order[0]?.field !== id;
  const leads = where === undefined ? [] : leadsOf(where);
  if (leads.length > 0) {
    const few = Math.floor(FEW_ROWS / each);
    // What matches is sorted as a whole.
    if (isSorted) return { leads, few, unseen: (total ?? rows) > FEW_ROWS ? 'long' : 'short' };
    if (skipped > FEW_ROWS) return { effort: 'long' };
    // Where nothing else is wanted, the index has the page in its order, and what is known is not counted.
    const isAlone = leads[0]?.[0] === where && total !== undefined;
    return isAlone ? { effort: 'short' } : { leads, few, unseen: 'short' };
  }
  if (where === undefined && !isSorted) return { effort: skipped > FEW_ROWS ? 'long' : 'short' };
  if (where === undefined || isSorted || total === undefined) return { effort: 'long' };
  // From a place in the list on, those that match are taken to lie evenly; before it, all that do not may lie.
  const looked = isPlaced ? ((skipped + limit) * rows) / Math.max(total, 1) : rows - total + skipped + limit;
  return looked * each > FEW_ROWS ? { effort: 'long' } : { effort: 'short', led: ONE_BY_ONE };
}

/** What it takes to compare a value, or to look through a text that may be long, where to read a record is 1. */
const COMPARING = 0.1;
const SEARCHING = 5;

/** What it takes to see whether a record that was read matches, at most. */
function conditionsOf(predicate: Predicate): number {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return predicate.operands.reduce((effort, operand) => effort + conditionsOf(operand), 0);
    case 'contains':
      return SEARCHING;
    default:
      return COMPARING;
  }
}

/** Whether the records are found by searching in their text. */
export function isSearched(predicate: Predicate): boolean {
  const isSearch = (condition: Predicate) =>
    condition.kind === 'contains' && condition.field.searched === true && !condition.negated;
  return leadsBy(predicate, isSearch).length > 0;
}

/** Whether an index leads straight to the records, and they are not likely to be most of all. */
export function isNarrow(predicate: Predicate): boolean {
  return leadsOf(predicate).length > 0;
}

function leadsOf(predicate: Predicate): readonly Lead[] {
  return leadsBy(predicate, (condition) => {
    if (condition.kind !== 'equals') return false;
    const { field, anyOf, negated } = condition;
    if (negated || (field !== id && field.indexed !== true)) return false;
    const usual = field.initial.kind === 'value' ? field.initial.value : undefined;
    return anyOf.every((value) => value !== null && value !== usual);
  });
}

function leadsBy(predicate: Predicate, isLeading: (condition: Predicate) => boolean): readonly Lead[] {
  switch (predicate.kind) {
    case 'and':
      return predicate.operands.flatMap((operand) => leadsBy(operand, isLeading));
    case 'or': {
      const each = predicate.operands.map((operand) => leadsBy(operand, isLeading)[0]);
      return each.every((lead) => lead !== undefined) ? [each.flat()] : [];
    }
    default:
      return isLeading(predicate) ? [[predicate]] : [];
  }
}
