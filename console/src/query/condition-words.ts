/** Conditions in words: on chips, for screen readers, in titles, and where the console explains why there are no rows. */

import {
  type Condition,
  type Filter,
  FilterError,
  type Junction,
  operators,
  parseFilter,
} from '@stockbook/client/filter';
import { findField } from '../../../src/catalog/catalog.ts';
import type { Resource } from '../../../src/catalog/resource.ts';
import { readTimestamp } from '../../../src/catalog/timestamp.ts';
import { type ValueType, valueTypes } from '../../../src/catalog/value-types.ts';
import { labelOf } from '../format/field-words.ts';
import { localNumber } from '../format/local-number.ts';
import { formatDayOrTime, formatExactTime } from '../format/values.ts';
import { wordFor } from '../format/word-for.ts';
import { partsOf } from './chip-parts.ts';
import { dayRangeIn, dayRangeWords } from './day-range.ts';
import { isCondition, join } from './filter-tree.ts';

export interface ConditionWords {
  readonly field: string;
  /** Undefined for a range of days, whose words are its value. */
  readonly operator: string | undefined;
  /** Undefined if the operator says it all: "is set". */
  readonly value: string | undefined;
}

export function wordsOf(resource: Resource, condition: Filter): ConditionWords {
  if (!isCondition(condition)) return junctionParts(resource, condition);
  const { operator } = condition;
  const name = condition.field.text;
  const field = labelOf(resource, name);
  if (condition.kind === 'comparison' && condition.value.text === null) {
    const words = NULL_WORDS[operator];
    if (words !== undefined) return { field, operator: words, value: undefined };
  }
  const literals = condition.kind === 'membership' ? condition.items : [condition.value];
  const type = findField(resource, name)?.type;
  return {
    field,
    operator: operatorWords(operator, type),
    value: literals.map(({ text }) => valueWords(text, type, operator)).join(separatorOf(type)),
  };
}

/** The type is undefined if there is no such field. */
export function operatorWords(operator: Condition['operator'], type: ValueType | undefined): string {
  const words = (type && valueTypes[type].storage) === 'timestamp' ? TIME_WORDS : WORDS;
  return words[operator] ?? operators[operator].title;
}

/** They follow a label: "Sales price is at least 100". The titles of other operators do as well. */
const WORDS: Partial<Record<Condition['operator'], string>> = {
  '=': 'is',
  '!=': 'is not',
  '>': 'is more than',
  '>=': 'is at least',
  '<': 'is less than',
  '<=': 'is at most',
  '!*': 'does not contain',
  '[': 'is one of',
  '![': 'is none of',
};

/** "Created on or after Jun 23, 2026". */
const TIME_WORDS: typeof WORDS = {
  ...WORDS,
  '=': 'on',
  '!=': 'not on',
  '>': 'after',
  '>=': 'on or after',
  '<': 'before',
  '<=': 'on or before',
};

/** Whether there is a value at all, by the operator that compares it with null. */
export const NULL_WORDS: Partial<Record<Condition['operator'], string>> = {
  '=': `is ${wordFor(null)}`,
  '!=': 'is set',
};

function junctionParts(resource: Resource, junction: Junction): ConditionWords {
  const range = dayRangeIn(resource, junction);
  if (range !== undefined) return { field: range.field.label, operator: undefined, value: dayRangeWords(range) };
  const parts = partsOf(resource, junction, []).map((part) =>
    part.kind === 'chip' ? spoken(resource, part.part.condition) : `(${spoken(resource, part.junction)})`,
  );
  return { field: parts.join(` ${junction.kind} `), operator: undefined, value: undefined };
}

export function spoken(resource: Resource, filter: Filter): string {
  const { field, operator, value } = wordsOf(resource, filter);
  return [field, operator, value].filter((word) => word !== undefined).join(' ');
}

/** The same for the text of a filter. What cannot be read stays as it is. */
export function spokenText(resource: Resource, text: string): string {
  const filter = parseFilter(text);
  return filter instanceof FilterError ? text : spoken(resource, filter);
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

/** What conditions on one field say about it. */
export function wordsOfBounds(resource: Resource, conditions: readonly Condition[]): string {
  const days = dayRangeIn(resource, join('and', conditions));
  if (days !== undefined) return dayRangeWords(days);
  const words = conditions.map((condition) => wordsOf(resource, condition));
  return words
    .map(({ operator, value }) => [operator, value].filter((word) => word !== undefined).join(' '))
    .join(' and ');
}

/** The points in time between which a condition holds, to the second. */
export function boundWords(filter: Filter): string {
  if (!isCondition(filter)) return filter.operands.map(boundWords).join(filter.kind === 'and' ? ' and ' : ' or ');
  const { operator } = filter;
  const text = filter.kind === 'comparison' ? filter.value.text : null;
  const timestamp = text === null ? undefined : readTimestamp(text);
  const words = timestamp === undefined ? valueWords(text, 'timestamp', operator) : formatExactTime(timestamp);
  return `${operatorWords(operator, 'timestamp')} ${words}`;
}
