/** A condition while a person edits it: what is typed may not be a value yet. */

import {
  type Condition,
  complementOf as exactComplementOf,
  type Filter,
  isListSymbol,
  type OperatorSymbol,
  operators,
  operatorsFor,
} from '@stockbook/client/filter';
import { findField } from '../../../src/catalog/catalog.ts';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import { isText, storageOf, valueTypes } from '../../../src/catalog/value-types.ts';
import { localPartsOf } from '../format/local-time.ts';
import { type DayRange, dayRangeIn, nameOfRange, type RangeName, rangeNamed } from './day-range.ts';
import { isCondition } from './filter-tree.ts';

export interface ConditionDraft {
  readonly field: Field;
  /** Of a range of days, the one for its start. */
  readonly operator: OperatorSymbol;
  /**
   * Null is no value. One value, unless the operator takes a list; two for a range of days. What is being added to a list is the last one, and
   * typed.
   */
  readonly values: readonly (DraftValue | null)[];
  readonly range?: RangeName;
}

export type DraftValue =
  /** As the filter language has it. */
  | { readonly kind: 'exact'; readonly text: string }
  /** In the user's locale and time zone. */
  | { readonly kind: 'typed'; readonly text: string };

export function exact(text: string): DraftValue {
  return { kind: 'exact', text };
}

export function exactOrNull(text: string | null): DraftValue | null {
  return text === null ? null : exact(text);
}

export function typed(text: string): DraftValue {
  return { kind: 'typed', text };
}

/** What most people want to know of a field. */
export function newDraft(field: Field): ConditionDraft {
  const storage = storageOf(field);
  if (storage === 'boolean') return { field, operator: '=', values: [exact('true')] };
  // Integers are identifiers.
  if (storage === 'integer') return { field, operator: '=', values: [typed('')] };
  return { field, operator: isText(field) ? '*' : '>=', values: [typed('')] };
}

/** Undefined if there is no such field, and for conditions that are more than a range of days. */
export function draftOf(resource: Resource, condition: Filter): ConditionDraft | undefined {
  if (!isCondition(condition)) {
    const range = dayRangeIn(resource, condition);
    if (range === undefined) return undefined;
    const { field, first, last } = range;
    const name = nameOfRange(range);
    // One day is what the field is on.
    if (name === 'between' && first === last) return { field, operator: '=', values: [typed(first)] };
    return draftOfRange(field, name, range);
  }
  const field = findField(resource, condition.field.text);
  if (field === undefined) return undefined;
  const literals = condition.kind === 'membership' ? condition.items : [condition.value];
  return { field, operator: condition.operator, values: literals.map(({ text }) => exactOrNull(text)) };
}

function draftOfRange(field: Field, range: RangeName, { first, last }: DayRange): ConditionDraft {
  return { field, operator: '>=', values: [typed(first), typed(last)], range };
}

/** A range that people choose the days of begins with those that there are. */
export function withRange(draft: ConditionDraft, range: RangeName): ConditionDraft {
  if (range !== 'between') return draftOfRange(draft.field, range, rangeNamed(range));
  const [first = '', last = ''] = draft.values.map((value) => (value === null ? '' : dayIn(value)));
  return draftOfRange(draft.field, range, { first, last: draft.range === undefined ? '' : last });
}

function dayIn({ kind, text }: DraftValue): string {
  return kind === 'exact' ? (localPartsOf(text)?.day ?? '') : text.slice(0, 'yyyy-mm-dd'.length);
}

/** The condition with these values, which are as the filter language has them. */
export function conditionWith(field: Field, operator: OperatorSymbol, values: readonly (string | null)[]): Condition {
  const name = { text: field.name, at: 0 };
  const [first, ...rest] = values.map((text) => ({ text, at: 0, end: 0 }));
  const value = first ?? { text: '', at: 0, end: 0 };
  return isListSymbol(operator)
    ? { kind: 'membership', field: name, operator, operatorAt: 0, items: [value, ...rest] }
    : { kind: 'comparison', field: name, operator, operatorAt: 0, value };
}

/** Keeps the values as far as the operator takes them. */
export function withOperator(draft: ConditionDraft, operator: OperatorSymbol): ConditionDraft {
  const { field } = draft;
  const values = draft.values.map((value) => (value !== null && isDay(draft, value) ? dayOf(value) : value));
  if (isListSymbol(operator)) return { field, operator, values: values.filter((value) => !isBlank(value)) };
  const kept = values.find((value) => value !== null && !isBlank(value)) ?? newDraft(field).values[0] ?? typed('');
  return { field, operator, values: [kept] };
}

/** Whether the value is the start of a day, and a person would say that the condition is about the day. */
export function isDay({ field, operator }: ConditionDraft, value: DraftValue): boolean {
  if (storageOf(field) !== 'timestamp' || value.kind !== 'exact' || !BEGINS_A_DAY.has(operator)) return false;
  return localPartsOf(value.text)?.isStartOfDay === true;
}

/** From a day on, or before it. */
const BEGINS_A_DAY: ReadonlySet<OperatorSymbol> = new Set(['>=', '<']);

/** With another operator, the end of the day may be meant. */
function dayOf(value: DraftValue): DraftValue {
  return typed(localPartsOf(value.text)?.day ?? '');
}

/** Keeps the operator and the values if the other field takes them. */
export function withField(draft: ConditionDraft | undefined, field: Field): ConditionDraft {
  if (draft === undefined || draft.field.type !== field.type) return newDraft(field);
  const isAllowed = field.nullable || !draft.values.includes(null);
  return isAllowed ? { ...draft, field } : newDraft(field);
}

export function isBlank(value: DraftValue | null): boolean {
  return value?.kind === 'typed' && value.text.trim() === '';
}

/** Whether it asks if there is a value at all. For a boolean, that is one of three values. */
export function isAboutNull({ field, operator, values }: ConditionDraft): boolean {
  return storageOf(field) !== 'boolean' && !isListSymbol(operator) && values[0] === null;
}

/** The operators that the type of a field has. */
export function operatorsOf(field: Field): readonly OperatorSymbol[] {
  const allowed = operatorsFor(valueTypes[field.type].operatorClass);
  return allSymbols().filter((symbol) => allowed.includes(operators[symbol]));
}

function allSymbols(): readonly OperatorSymbol[] {
  return Object.keys(operators).filter((symbol): symbol is OperatorSymbol => Object.hasOwn(operators, symbol));
}

/** The operator that is true for exactly the records for which this one is false. Undefined if there is none. */
export function complementOf({
  field,
  operator,
}: Pick<ConditionDraft, 'field' | 'operator'>): OperatorSymbol | undefined {
  // No comparison is true for null, so none is the complement of another.
  return exactComplementOf(operator) ?? (field.nullable ? undefined : ORDERED_COMPLEMENTS[operator]);
}

const ORDERED_COMPLEMENTS: Partial<Record<OperatorSymbol, OperatorSymbol>> = {
  '>': '<=',
  '<=': '>',
  '<': '>=',
  '>=': '<',
};
