/** Filter text to predicate: fields resolved, operators checked against their types, values typed. */

import { findField } from '../catalog/catalog.ts';
import { fold } from '../catalog/fold.ts';
import type { Field, Resource } from '../catalog/resource.ts';
import { Mismatch, type Value } from '../catalog/value.ts';
import { valueTypes } from '../catalog/value-types.ts';
import type { Comparison, Condition, Filter, Literal, Membership } from '../filter/ast.ts';
import { FilterError } from '../filter/filter-error.ts';
import {
  isNegated,
  isOrderSymbol,
  isTextSymbol,
  type Operator,
  type OrderSymbol,
  operators,
  positive,
} from '../filter/operators.ts';
import { parseFilter } from '../filter/parse.ts';
import { Problem } from '../problem/problem.ts';
import { FilterProblems } from './filter-problems.ts';
import type { Predicate, Selection } from './plan.ts';
import { meantTexts } from './text-mistakes.ts';

export type PlannedFilter = Required<Pick<Selection, 'filter' | 'where'>>;

const NO_FILTER: PlannedFilter = { filter: undefined, where: undefined };

/** How many mistakes of one filter are fixed. */
const MAX_FIXES = 20;

/** The longest filter, in characters, with more than one mistake that is fixed. */
const MAX_FIXED_LENGTH = 4_000;

/**
 * `continuations` are the offsets of segments that followed a raw `&`. They only make errors clearer. A problem that has a fixed filter has one in
 * which all mistakes are fixed.
 */
export function planFilter(
  resource: Resource,
  text: string | undefined,
  continuations: readonly number[],
): PlannedFilter | Problem {
  const planned = planOnce(resource, text, continuations);
  if (!(planned instanceof Problem)) return planned;
  const { code, detail, context } = planned;
  const filter = context.fixed?.['filter'];
  if (filter === undefined) return planned;
  const fixed = allFixed(resource, filter);
  const { fixed: _, ...rest } = context;
  return new Problem(code, detail, { ...rest, ...(fixed !== undefined && { fixed: { filter: fixed } }) });
}

/** Undefined if it has a mistake that cannot be fixed. */
function allFixed(resource: Resource, filter: string): string | undefined {
  let fixed = filter;
  for (let fixes = 0; fixes < MAX_FIXES; fixes += 1) {
    const planned = planOnce(resource, fixed, []);
    if (!(planned instanceof Problem)) return withTexts(resource, fixed, planned.filter);
    const next = planned.context.fixed?.['filter'];
    if (next === undefined || fixed.length > MAX_FIXED_LENGTH) return undefined;
    fixed = next;
  }
  return undefined;
}

/** What looks wrong about texts is no error, but would be the next mistake to correct. */
function withTexts(resource: Resource, filter: string, parsed: Filter | undefined): string {
  const meant = parsed && filter.length <= MAX_FIXED_LENGTH ? meantTexts(resource, parsed, filter) : undefined;
  if (meant === undefined) return filter;
  return allFixed(resource, meant.filter) ?? filter;
}

function planOnce(
  resource: Resource,
  text: string | undefined,
  continuations: readonly number[],
): PlannedFilter | Problem {
  if (text === undefined) return NO_FILTER;
  const problems = new FilterProblems(resource, text, continuations);
  const filter = parseFilter(text);
  if (filter instanceof FilterError) return problems.invalidSyntax(filter);
  const where = new FilterPlanner(resource, problems).predicate(filter);
  return where instanceof Problem ? where : { filter, where };
}

class FilterPlanner {
  readonly #resource: Resource;
  readonly #problems: FilterProblems;

  constructor(resource: Resource, problems: FilterProblems) {
    this.#resource = resource;
    this.#problems = problems;
  }

  predicate(filter: Filter): Predicate | Problem {
    if (filter.kind === 'comparison' || filter.kind === 'membership') return this.#condition(filter);
    const operands = mapAll(filter.operands, (operand) => this.predicate(operand));
    return operands instanceof Problem ? operands : { kind: filter.kind, operands };
  }

  #condition(condition: Condition): Predicate | Problem {
    const field = findField(this.#resource, condition.field.text);
    if (field === undefined) return this.#problems.unknownField(condition.field);
    const operator: Operator = operators[condition.operator];
    if (!operator.classes.includes(valueTypes[field.type].operatorClass))
      return this.#problems.operatorNotAllowed(condition, field);
    return condition.kind === 'membership' ? this.#membership(field, condition) : this.#comparison(field, condition);
  }

  #membership(field: Field, condition: Membership): Predicate | Problem {
    const values = mapAll(condition.items, (item) => this.#value(condition, field, item));
    if (values instanceof Problem) return values;
    const anyOf = values.filter((_, index) => !isRounded(field, condition.items[index]));
    return { kind: 'equals', field, anyOf, negated: isNegated(condition.operator) };
  }

  #comparison(field: Field, condition: Comparison): Predicate | Problem {
    const { operator, value: literal } = condition;
    const value = this.#value(condition, field, literal);
    if (value instanceof Problem) return value;
    const negated = isNegated(operator);
    if (isOrderSymbol(operator)) {
      if (value === null) throw new Error(`${operator} does not accept null`);
      return { kind: 'ordered', field, operator: isRounded(field, literal) ? ROUNDED[operator] : operator, value };
    }
    const test = positive(operator);
    if (!isTextSymbol(test)) return { kind: 'equals', field, anyOf: isRounded(field, literal) ? [] : [value], negated };
    if (value === '') return this.#problems.emptyContains(literal, field);
    return { kind: 'text', field, test, form: 'folded', text: fold(String(value)), negated };
  }

  #value(condition: Condition, field: Field, literal: Literal): Value | null | Problem {
    if (literal.text === null) {
      const isAllowed = operators[condition.operator].acceptsNull && field.nullable;
      return isAllowed ? null : this.#problems.nullNotAllowed(literal, field);
    }
    const value = valueTypes[field.type].read(literal.text);
    return value instanceof Mismatch ? this.#problems.invalidValue(condition, literal, field, value) : value;
  }
}

/** Whether the literal lies between two storable values: equal to none, and greater than the one it was rounded down to. */
function isRounded(field: Field, literal: Literal | undefined): boolean {
  return valueTypes[field.type].isRounded(literal?.text ?? '');
}

/** The operator that compares with the rounded value as the original does with the exact one. */
const ROUNDED: Record<OrderSymbol, OrderSymbol> = { '>': '>', '>=': '>', '<': '<=', '<=': '<=' };

function mapAll<In, Out>(items: readonly In[], map: (item: In) => Out | Problem): Out[] | Problem {
  const results: Out[] = [];
  for (const item of items) {
    const result = map(item);
    if (result instanceof Problem) return result;
    results.push(result);
  }
  return results;
}
