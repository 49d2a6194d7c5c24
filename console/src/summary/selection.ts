/** What a filter says about one field, if a chart of that field can show it: a range, or some of its values. */

import { filter as filterText } from '@stockbook/client';
import { type Condition, FilterError, parseFilter } from '@stockbook/client/filter';
import type { Field } from '../../../src/catalog/resource.ts';
import { Mismatch } from '../../../src/catalog/value.ts';
import { valueTypes } from '../../../src/catalog/value-types.ts';
import type { Value } from '../data/records.ts';
import { printInstant } from '../format/local-time.ts';
import { conditionOn, replaceField } from '../query/edit-filter.ts';
import { isCondition, operandsOf } from '../query/filter-tree.ts';
import type { Chart } from './charts.ts';

/** Positions on the axis of a chart. Undefined if the range is open on that side. */
export interface Range {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** A number, or a timestamp in milliseconds. */
export function positionOf(value: Value): number {
  return typeof value === 'string' ? Date.parse(value) : Number(value);
}

/** Undefined unless the conditions on the field are a range. */
export function rangeIn(filter: string, field: Field): Range | undefined {
  const conditions = conditionsOn(filter, field);
  const bounds = { '>': 'from', '>=': 'from', '<': 'to', '<=': 'to' } as const;
  const range: { from?: number; to?: number } = {};
  for (const condition of conditions) {
    const symbol = condition.operator;
    if (condition.kind !== 'comparison' || !isBound(symbol)) return undefined;
    const value = read(field, condition.value.text);
    const bound = bounds[symbol];
    if (value === undefined || value === null || range[bound] !== undefined) return undefined;
    range[bound] = positionOf(value);
  }
  return conditions.length === 0 ? undefined : { from: range.from, to: range.to };
}

/** The conditions that a range consists of: the one that says where it begins, and the one that says where it ends. */
export function boundsIn(filter: string, field: Field): readonly Condition[] {
  const isLower = ({ operator }: Condition) => operator.startsWith('>');
  return conditionsOn(filter, field).toSorted((a, b) => Number(isLower(b)) - Number(isLower(a)));
}

/** Undefined unless the only condition on the field says which values it has. */
export function valuesIn(filter: string, field: Field): readonly Value[] | undefined {
  const [condition, ...others] = conditionsOn(filter, field);
  if (condition === undefined || others.length > 0) return undefined;
  if (condition.operator !== '=' && condition.operator !== '[') return undefined;
  const literals = condition.kind === 'comparison' ? [condition.value] : condition.items;
  const values = literals.map(({ text }) => read(field, text));
  return values.every((value) => value !== undefined) ? values : undefined;
}

/**
 * The records among which a chart shows what its own field selects: without that, a selected range would fill the whole
 * chart, and a selected bar would be the only one.
 */
export function contextOf(filter: string, { field, kind }: Chart): string {
  const selection = kind === 'ranges' || kind === 'periods' ? rangeIn(filter, field) : valuesIn(filter, field);
  return selection === undefined ? filter : replaceField(filter, field.name, '');
}

/** From one value up to, but not including, another; either may be left out. */
export function selectRange(filter: string, field: Field, from: Value | undefined, to: Value | undefined): string {
  const bound = (operator: string, value: Value | undefined) =>
    value === undefined || value === null ? [] : [`${field.name}${operator}${printBound(value)}`];
  return replaceField(filter, field.name, [...bound('>=', from), ...bound('<', to)].join('&'));
}

/** Adds a value to those that are selected, or removes it. One flag takes the place of the other. */
export function toggleValue(filter: string, { field, kind }: Chart, value: Value): string {
  const selected = valuesIn(filter, field) ?? [];
  const others = selected.filter((other) => other !== value);
  const isAdded = others.length === selected.length;
  const values = isAdded ? [...(kind === 'flags' ? [] : others), value] : others;
  return replaceField(filter, field.name, printValues(field, values));
}

function printValues({ name }: Field, values: readonly Value[]): string {
  const [value, ...others] = values;
  if (value === undefined) return '';
  return name + (others.length === 0 ? filterText`=${value}` : filterText`[${values}]`);
}

function printBound(value: string | number | boolean): string {
  return typeof value === 'string' ? printInstant(Date.parse(value)) : String(value);
}

function conditionsOn(filter: string, field: Field): readonly Condition[] {
  const parsed = parseFilter(conditionOn(filter, field.name));
  const parts = parsed instanceof FilterError ? [] : operandsOf(parsed, 'and');
  // A group of alternatives is none of the selections above.
  return parts.every(isCondition) ? parts : [];
}

function isBound(symbol: string): symbol is '>' | '>=' | '<' | '<=' {
  return ['>', '>=', '<', '<='].includes(symbol);
}

function read({ type }: Field, text: string | null): Value | undefined {
  if (text === null) return null;
  const value = valueTypes[type].read(text);
  return value instanceof Mismatch ? undefined : value;
}
