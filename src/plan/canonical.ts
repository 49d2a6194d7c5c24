/** The same text for equivalent predicates that differ only in the order of their conditions and values. */

import type { Predicate } from './plan.ts';

export function canonical(predicate: Predicate): string {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return `${predicate.kind}(${sortedUnique(predicate.operands.map(canonical))})`;
    case 'equals':
      return `${predicate.negated ? '!' : ''}${predicate.field.name}=[${sortedUnique(predicate.anyOf.map((value) => JSON.stringify(value)))}]`;
    case 'contains':
      return `${predicate.negated ? '!' : ''}${predicate.field.name}*${JSON.stringify(predicate.folded)}`;
    case 'ordered':
      // Not JSON, which has no infinity.
      return `${predicate.field.name}${predicate.operator}${String(predicate.value)}`;
  }
}

function sortedUnique(texts: readonly string[]): string {
  if (texts.length === 1) return texts[0] ?? '';
  return [...new Set(texts)].toSorted().join(',');
}
