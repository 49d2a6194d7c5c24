/** One text for all predicates that plainly say the same, whatever order their conditions and values were written in. */

import type { Predicate } from './plan.ts';

export function canonical(predicate: Predicate): string {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return `${predicate.kind}(${sortedOnce(predicate.operands.map(canonical))})`;
    case 'equals':
      return `${predicate.negated ? '!' : ''}${predicate.field.name}=[${sortedOnce(predicate.anyOf.map((value) => JSON.stringify(value)))}]`;
    case 'contains':
      return `${predicate.negated ? '!' : ''}${predicate.field.name}*${JSON.stringify(predicate.folded)}`;
    case 'ordered':
      // JSON has no infinity, and any number is as far beyond a record's reach.
      return `${predicate.field.name}${predicate.operator}${String(predicate.value)}`;
  }
}

function sortedOnce(texts: readonly string[]): string {
  if (texts.length === 1) return texts[0] ?? '';
  return [...new Set(texts)].toSorted().join(',');
}
