/** How much there is to read, so that what takes long is not read where it would hold others up. */

import { id } from '../../catalog/resource.ts';
import type { ListPlan, Predicate } from '../../plan/plan.ts';

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
}

/** Where an index leads to the records, it depends on how many those are. */
export type Estimate =
  | Effort
  | {
      /** What the records have in common to which the index leads. */
      readonly lead: Predicate;
      /** Where it is not worth a look how many they are. */
      readonly unseen: Effort;
    };

export function effortOf({ where, order, limit }: ListPlan, { rows, total, skipped }: Circumstances): Estimate {
  const each = 1 + (where === undefined ? 0 : conditionsOf(where));
  if (rows * each <= FEW_ROWS) return 'short';
  const isSorted = order[0]?.field !== id;
  const lead = where === undefined ? undefined : leadOf(where);
  if (lead !== undefined) {
    // What matches is sorted as a whole.
    if (isSorted) return { lead, unseen: (total ?? rows) > FEW_ROWS ? 'long' : 'short' };
    if (skipped > FEW_ROWS) return 'long';
    // The index alone has the page.
    return lead === where && total !== undefined ? 'short' : { lead, unseen: 'short' };
  }
  // All records are looked at to find those that match.
  if (isSorted) return 'long';
  if (where === undefined) return skipped > FEW_ROWS ? 'long' : 'short';
  // To find so many that match, so many more have to be looked at.
  const looked = total === undefined ? rows : ((skipped + limit) * rows) / Math.max(total, 1);
  return looked * each > FEW_ROWS ? 'long' : 'short';
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
  return leadBy(predicate, isSearch) !== undefined;
}

/** Whether an index leads straight to the records, and they are not likely to be most of all. */
export function isNarrow(predicate: Predicate): boolean {
  return leadOf(predicate) !== undefined;
}

function leadOf(predicate: Predicate): Predicate | undefined {
  return leadBy(predicate, (condition) => {
    if (condition.kind !== 'equals') return false;
    const { field, anyOf, negated } = condition;
    if (negated || (field !== id && field.indexed !== true)) return false;
    const usual = field.initial.kind === 'value' ? field.initial.value : undefined;
    return anyOf.every((value) => value !== null && value !== usual);
  });
}

/** What every record that matches has to meet, in conditions of this kind alone; nothing where it need not meet any. */
function leadBy(predicate: Predicate, isOfKind: (condition: Predicate) => boolean): Predicate | undefined {
  switch (predicate.kind) {
    case 'and':
      return predicate.operands.map((operand) => leadBy(operand, isOfKind)).find((lead) => lead !== undefined);
    case 'or': {
      const operands = predicate.operands.flatMap((operand) => leadBy(operand, isOfKind) ?? []);
      return operands.length === predicate.operands.length ? { kind: 'or', operands } : undefined;
    }
    default:
      return isOfKind(predicate) ? predicate : undefined;
  }
}
