/** Conditions in words: on chips, for screen readers, and where the console explains why there are no rows. */

import { type Condition, type Filter, operators, printFilter } from '@stockbook/client/filter';
import { findField } from '../../../src/catalog/catalog.ts';
import type { Resource } from '../../../src/catalog/resource.ts';
import { readTimestamp } from '../../../src/catalog/timestamp.ts';
import { type ValueType, valueTypes } from '../../../src/catalog/value-types.ts';
import { localNumber } from '../format/local-number.ts';
import { formatDayOrTime, formatExactTime } from '../format/values.ts';
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

export function wordsOf(resource: Resource, condition: Condition): ConditionWords {
  const { operator } = condition;
  const field = condition.field.text;
  if (condition.kind === 'comparison' && condition.value.text === null) {
    const words = NULL_WORDS[operator];
    if (words !== undefined) return { field, operator: words, spokenOperator: words, value: undefined };
  }
  const { title, kind } = operators[operator];
  const spokenOperator = LIST_WORDS[operator] ?? title;
  const literals = condition.kind === 'membership' ? condition.items : [condition.value];
  const type = findField(resource, field)?.type;
  return {
    field,
    operator: kind === 'text' || kind === 'list' ? spokenOperator : (SHORT[operator] ?? operator),
    spokenOperator,
    value: literals.map(({ text }) => valueWords(text, type, operator)).join(separatorOf(type)),
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

/** A value of a filter as the reader's locale and time zone show it. The type is undefined if there is no such field. */
export function valueWords(text: string | null, type: ValueType | undefined, operator: Condition['operator']): string {
  const word = wordFor(text);
  if (text === null || word !== undefined) return word ?? '';
  switch (type && valueTypes[type].storage) {
    case 'boolean':
      return /^(?:true|false)$/i.test(text) ? wordFor(text.toLowerCase() === 'true') : text;
    case 'real':
      return localNumber(text);
    case 'timestamp':
      return timeWords(text, operator);
    default:
      return text;
  }
}

/** "From a day" and "before a day" are what people say of its start. With any other operator, the time matters. */
function timeWords(text: string, operator: Condition['operator']): string {
  const timestamp = readTimestamp(text);
  if (timestamp === undefined) return text;
  return operator === '>=' || operator === '<' ? formatDayOrTime(timestamp) : formatExactTime(timestamp);
}

/** Numbers and times may have commas themselves. */
function separatorOf(type: ValueType | undefined): string {
  const storage = type && valueTypes[type].storage;
  return storage === 'real' || storage === 'timestamp' ? '; ' : ', ';
}

/** The points in time between which a condition holds, to the second. */
export function boundWords(filter: Filter): string {
  if (!isCondition(filter)) return filter.operands.map(boundWords).join(filter.kind === 'and' ? ' and ' : ' or ');
  const { operator } = filter;
  const text = filter.kind === 'comparison' ? filter.value.text : null;
  const timestamp = text === null ? undefined : readTimestamp(text);
  const words = timestamp === undefined ? valueWords(text, 'timestamp', operator) : formatExactTime(timestamp);
  return `${SHORT[operator] ?? operator} ${words}`;
}
