/** How much there is to read for a list, so that what takes long is not read where it would hold others up. */

import { id } from '../../catalog/resource.ts';
import type { ListPlan, Predicate } from '../../plan/plan.ts';

/** Rows that may be looked at in passing: a millisecond or two. */
const FEW_ROWS = 10_000;

export interface Circumstances {
  /** How many records there are. */
  readonly rows: number;
  /** How many of them match, where that is known. */
  readonly total: number | undefined;
  /** How many records that match come before the page, from where it is sought. */
  readonly skipped: number;
}

export function takesLong({ where, order, limit }: ListPlan, { rows, total, skipped }: Circumstances): boolean {
  if (rows <= FEW_ROWS) return false;
  if (where !== undefined && isNarrow(where)) return false;
  if (order[0]?.field !== id) return true;
  if (where === undefined) return skipped > FEW_ROWS;
  // To find so many that match, so many more have to be looked at.
  return total === undefined || ((skipped + limit) * rows) / Math.max(total, 1) > FEW_ROWS;
}

/** Whether an index leads straight to the records. */
export function isNarrow(predicate: Predicate): boolean {
  switch (predicate.kind) {
    case 'and':
      return predicate.operands.some(isNarrow);
    case 'or':
      return predicate.operands.every(isNarrow);
    case 'equals':
      return !predicate.negated && (predicate.field === id || predicate.field.indexed === true);
    default:
      return false;
  }
}
