/** The same text for equivalent predicates that differ only in the order of their conditions and values. */

import type { Value } from '../catalog/value.ts';
import type { Predicate } from './plan.ts';

export function canonical(predicate: Predicate): string {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return `${predicate.kind}(${sortedUnique(predicate.operands.map(canonical))})`;
    case 'equals':
      return `${predicate.negated ? '!' : ''}${predicate.field.name}=[${sortedUnique(predicate.anyOf.map(literal))}]`;
    case 'text':
      return `${predicate.negated ? '!' : ''}${predicate.field.name} ${predicate.form} ${predicate.test} ${JSON.stringify(predicate.text)}`;
    case 'ordered':
      return `${predicate.field.name}${predicate.operator}${literal(predicate.value)}`;
  }
}

function literal(value: Value | null): string {
  // JSON has no infinity, which a filter may name.
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}

function sortedUnique(texts: readonly string[]): string {
  return [...new Set(texts)].toSorted().join(',');
}
