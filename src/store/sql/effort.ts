/** How much there is to read, so that what takes long is not read where it would hold others up. */

import { id } from '../../catalog/resource.ts';
import type { ListPlan, Predicate } from '../../plan/plan.ts';

/** Rows that may be looked at in passing: some tenths of a millisecond. */
const FEW_ROWS = 3_000;

/** A few rows of the ledger, which change with every write; the records of a page; or very many records. */
export type Effort = 'look' | 'short' | 'long';

export interface Circumstances {
  /** How many records there are. */
  readonly rows: number;
  /** How many of them match, where that is known. */
  readonly total: number | undefined;
  /** How many records that match come before the page, from where it is sought. */
  readonly skipped: number;
}

export function effortOf(plan: ListPlan, circumstances: Circumstances): Effort {
  return takesLong(plan, circumstances) ? 'long' : 'short';
}

function takesLong({ where, order, limit }: ListPlan, { rows, total, skipped }: Circumstances): boolean {
  const effort = where === undefined ? 1 : effortEach(where);
  if (rows * effort <= FEW_ROWS) return false;
  const isSorted = order[0]?.field !== id;
  // What matches is sorted as a whole; where no index leads to it, all records are looked at to find it.
  if (where !== undefined && isNarrow(where)) return (isSorted ? (total ?? rows) : skipped) > FEW_ROWS;
  if (isSorted) return true;
  if (where === undefined) return skipped > FEW_ROWS;
  // To find so many that match, so many more have to be looked at.
  return total === undefined || (((skipped + limit) * rows) / Math.max(total, 1)) * effort > FEW_ROWS;
}

/** Text is searched as long as it takes to compare so many values. */
const SEARCHING = 10;

/** How many values are compared to see whether a record matches, at most. */
function effortEach(predicate: Predicate): number {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return predicate.operands.reduce((effort, operand) => effort + effortEach(operand), 0);
    case 'contains':
      return SEARCHING;
    default:
      return 1;
  }
}

/** Whether the records are found by searching in their text. */
export function isSearched(predicate: Predicate): boolean {
  return isLedBy(
    predicate,
    (condition) => condition.kind === 'contains' && condition.field.searched === true && !condition.negated,
  );
}

/** Whether an index leads straight to the records, and they are not likely to be most of all. */
export function isNarrow(predicate: Predicate): boolean {
  return isLedBy(predicate, (condition) => {
    if (condition.kind !== 'equals') return false;
    const { field, anyOf, negated } = condition;
    if (negated || (field !== id && field.indexed !== true)) return false;
    const usual = field.initial.kind === 'value' ? field.initial.value : undefined;
    return anyOf.every((value) => value !== null && value !== usual);
  });
}

/** Whether every record that matches meets a condition that leads to it. */
function isLedBy(predicate: Predicate, leads: (condition: Predicate) => boolean): boolean {
  switch (predicate.kind) {
    case 'and':
      return predicate.operands.some((operand) => isLedBy(operand, leads));
    case 'or':
      return predicate.operands.every((operand) => isLedBy(operand, leads));
    default:
      return leads(predicate);
  }
}
