/** What a search index has to find, so that all records are found that match a predicate. */

import type { Predicate } from '../../plan/plan.ts';
import { searchColumn } from './columns.ts';

export type SearchQuery =
  /** A column of the index contains a text. */
  | { readonly kind: 'text'; readonly column: string; readonly text: string }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly SearchQuery[] };

/** Undefined if the index is of no use. `isIndexed` says whether it has entries for a text. */
export function searchQuery(predicate: Predicate, isIndexed: (text: string) => boolean): SearchQuery | undefined {
  switch (predicate.kind) {
    case 'and': {
      const operands = predicate.operands.map((operand) => searchQuery(operand, isIndexed));
      const useful = operands.filter((operand) => operand !== undefined);
      return useful.length === 0 ? undefined : { kind: 'and', operands: useful };
    }
    case 'or': {
      const operands: SearchQuery[] = [];
      for (const operand of predicate.operands) {
        const query = searchQuery(operand, isIndexed);
        if (query === undefined) return undefined;
        operands.push(query);
      }
      return operands.length === 0 ? undefined : { kind: 'or', operands };
    }
    case 'text': {
      const { field, form, text, negated } = predicate;
      const isFound = !negated && field.searched === true && isIndexed(text);
      return isFound ? { kind: 'text', column: searchColumn(field, form), text } : undefined;
    }
    default:
      return undefined;
  }
}
