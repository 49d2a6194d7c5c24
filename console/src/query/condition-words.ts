/** Conditions in words: on chips, for screen readers, and where the console explains why there are no rows. */

import { type Condition, type Filter, type Literal, operators, printFilter } from 'stockbook/filter';
import { findField } from '../../../src/catalog/catalog.ts';
import type { Resource } from '../../../src/catalog/resource.ts';
import { wordFor } from '../format/word-for.ts';
import { isCondition } from './filter-tree.ts';

export interface ConditionWords {
  readonly field: string;
  /** A sign that everybody reads, or a word. */
  readonly operator: string;
  /** Always in words. */
  readonly spokenOperator: string;
  /** Undefined if the operator says it all: "is set". */
  readonly value: string | undefined;
}

const SHORT: Partial<Record<Condition['operator'], string>> = { '!=': '≠', '>=': '≥', '<=': '≤' };
const IN_WORDS: ReadonlySet<Condition['operator']> = new Set(['*', '!*', '[', '![']);

export function wordsOf(resource: Resource, condition: Condition): ConditionWords {
  const { operator } = condition;
  const field = condition.field.text;
  if (condition.kind === 'comparison' && condition.value.text === null) {
    const words = NULL_WORDS[operator];
    if (words !== undefined) return { field, operator: words, spokenOperator: words, value: undefined };
  }
  const { title } = operators[operator];
  const spokenOperator = LIST_WORDS[operator] ?? title;
  const literals = condition.kind === 'membership' ? condition.items : [condition.value];
  const type = findField(resource, field)?.type;
  return {
    field,
    operator: IN_WORDS.has(operator) ? spokenOperator : (SHORT[operator] ?? operator),
    spokenOperator,
    value: literals.map((literal) => valueWords(literal, type === 'boolean')).join(', '),
  };
}

/** Whether there is a value at all, by the operator that compares it with null. */
export const NULL_WORDS: Partial<Record<Condition['operator'], string>> = {
  '=': `is ${wordFor(null)}`,
  '!=': 'is set',
};

/** With their values these read better than with the names of the operators. */
const LIST_WORDS: Partial<Record<Condition['operator'], string>> = { '[': 'is one of', '![': 'is none of' };

export function spoken(resource: Resource, filter: Filter): string {
  if (!isCondition(filter)) return printFilter(filter);
  const { field, spokenOperator, value } = wordsOf(resource, filter);
  return [field, spokenOperator, value].filter((word) => word !== undefined).join(' ');
}

function valueWords({ text }: Literal, isBoolean: boolean): string {
  if (text === null) return wordFor(null);
  if (isBoolean && /^(?:true|false)$/i.test(text)) return wordFor(text.toLowerCase() === 'true');
  return wordFor(text) ?? text;
}
