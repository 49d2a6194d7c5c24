/** A condition while a person edits it: what is typed may not be a value yet. */

import { type Condition, type OperatorSymbol, operators, operatorsFor } from 'stockbook/filter';
import { findField } from '../../../src/catalog/catalog.ts';
import type { Field, Resource } from '../../../src/catalog/resource.ts';
import { Mismatch } from '../../../src/catalog/value.ts';
import { type ValueType, valueTypes } from '../../../src/catalog/value-types.ts';
import { readLocalNumber } from '../format/local-number.ts';

export interface ConditionDraft {
  readonly field: Field;
  readonly operator: OperatorSymbol;
  /** As typed; null is no value. One value, unless the operator takes a list. */
  readonly values: readonly (string | null)[];
}

/** What most people want to know of a field. */
const USUAL: Readonly<Record<ValueType, Pick<ConditionDraft, 'operator' | 'values'>>> = {
  text: { operator: '*', values: [''] },
  integer: { operator: '=', values: [''] },
  number: { operator: '>=', values: [''] },
  boolean: { operator: '=', values: ['true'] },
  timestamp: { operator: '>=', values: [''] },
};

export function newDraft(field: Field): ConditionDraft {
  return { field, ...USUAL[field.type] };
}

/** Undefined if there is no such field. */
export function draftOf(resource: Resource, condition: Condition): ConditionDraft | undefined {
  const field = findField(resource, condition.field.text);
  if (field === undefined) return undefined;
  const literals = condition.kind === 'membership' ? condition.items : [condition.value];
  return { field, operator: condition.operator, values: literals.map(({ text }) => text) };
}

/** The condition that is meant: a number may be typed as the reader's locale writes it, a date as 31.1.2026. */
export function conditionOf({ field, operator, values }: ConditionDraft): Condition {
  const name = { text: field.name, at: 0 };
  const [first, ...rest] = values.map((value) => ({ text: meant(field, value), at: 0, end: 0 }));
  const value = first ?? { text: '', at: 0, end: 0 };
  return isListOperator(operator)
    ? { kind: 'membership', field: name, operator, operatorAt: 0, items: [value, ...rest] }
    : { kind: 'comparison', field: name, operator, operatorAt: 0, value };
}

/** Keeps the values as far as the operator takes them. */
export function withOperator(draft: ConditionDraft, operator: OperatorSymbol): ConditionDraft {
  const { field, values } = draft;
  if (isListOperator(operator)) return { field, operator, values: values.filter((value) => value !== '') };
  const kept = values.find((value) => value !== null) ?? newDraft(field).values[0] ?? '';
  return { field, operator, values: [kept] };
}

/** Keeps the operator and the values if the other field takes them. */
export function withField(draft: ConditionDraft | undefined, field: Field): ConditionDraft {
  if (draft === undefined || draft.field.type !== field.type) return newDraft(field);
  const isAllowed = field.nullable || !draft.values.includes(null);
  return isAllowed ? { ...draft, field } : newDraft(field);
}

export function isListOperator(operator: OperatorSymbol): operator is '[' | '![' {
  return operator === '[' || operator === '![';
}

/** Whether it asks if there is a value at all. For a boolean, that is one of three values. */
export function isAboutNull({ field, operator, values }: ConditionDraft): boolean {
  return field.type !== 'boolean' && !isListOperator(operator) && values[0] === null;
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
  return COMPLEMENTS[operator] ?? (field.nullable ? undefined : ORDERED_COMPLEMENTS[operator]);
}

const COMPLEMENTS: Partial<Record<OperatorSymbol, OperatorSymbol>> = {
  '=': '!=',
  '!=': '=',
  '*': '!*',
  '!*': '*',
  '[': '![',
  '![': '[',
};

const ORDERED_COMPLEMENTS: Partial<Record<OperatorSymbol, OperatorSymbol>> = {
  '>': '<=',
  '<=': '>',
  '<': '>=',
  '>=': '<',
};

function meant(field: Field, value: string | null): string | null {
  if (value === null || field.type === 'text') return value;
  const text = value.trim();
  const { read } = valueTypes[field.type];
  const found = read(text);
  if (!(found instanceof Mismatch)) return text;
  const isNumber = field.type === 'number' || field.type === 'integer';
  return (isNumber ? readLocalNumber(text) : undefined) ?? found.meant ?? text;
}
