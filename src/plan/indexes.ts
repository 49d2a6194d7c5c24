/** Which conditions of a predicate an index supports. */

import { id } from '../catalog/resource.ts';
import type { Predicate } from './plan.ts';

/** Conditions on indexed values, at least one of which every matching record meets. */
export type IndexCandidate = readonly Predicate[];

/** The candidates for finding all matching records through value indexes, unless they are likely to find most records. */
export function valueCandidates(predicate: Predicate): readonly IndexCandidate[] {
  return candidates(predicate, (condition) => {
    if (condition.kind !== 'equals') return false;
    const { field, anyOf, negated } = condition;
    if (negated || (field !== id && field.indexed !== true)) return false;
    const usual = field.initial.kind === 'value' ? field.initial.value : undefined;
    return anyOf.every((value) => value !== null && value !== usual);
  });
}

/** Search indexes consist of trigrams. */
const MIN_SEARCH_LENGTH = 3;

/** Whether the search index finds all matching records: whatever a text operator matches contains the text. */
export function isSearch(predicate: Predicate): boolean {
  const isSearched = (condition: Predicate) =>
    condition.kind === 'text' &&
    condition.field.searched === true &&
    !condition.negated &&
    [...condition.text].length >= MIN_SEARCH_LENGTH;
  return candidates(predicate, isSearched).length > 0;
}

function candidates(predicate: Predicate, isIndexed: (condition: Predicate) => boolean): readonly IndexCandidate[] {
  switch (predicate.kind) {
    case 'and':
      return predicate.operands.flatMap((operand) => candidates(operand, isIndexed));
    case 'or': {
      const each = predicate.operands.map((operand) => candidates(operand, isIndexed)[0]);
      return each.every((candidate) => candidate !== undefined) ? [each.flat()] : [];
    }
    default:
      return isIndexed(predicate) ? [[predicate]] : [];
  }
}

/** Whether an index finds all matching records, and is likely to leave most others out. */
export function hasIndex(predicate: Predicate): boolean {
  return isSearch(predicate) || valueCandidates(predicate).length > 0;
}
