/** Filter text to predicate: fields looked up, operators checked against their types, values typed. */

import { findField } from '../catalog/catalog.ts';
import { fold } from '../catalog/fold.ts';
import { type Field, MAX_INTEGER, type Resource, type Value } from '../catalog/resource.ts';
import { isFinerThanStored } from '../catalog/timestamp.ts';
import { Mismatch, readValue } from '../catalog/value.ts';
import type { Comparison, Condition, Filter, Literal, Membership } from '../filter/ast.ts';
import { FilterError } from '../filter/filter-error.ts';
import { type Operator, operators } from '../filter/operators.ts';
import { parseFilter } from '../filter/parse.ts';
import { Problem } from '../problem/problem.ts';
import { FilterProblems } from './filter-problems.ts';
import type { Ordering, Predicate } from './plan.ts';

/** `continuations` are the offsets of what stood behind a raw `&`: they explain errors, and change nothing else. */
export function planFilter(resource: Resource, text: string, continuations: readonly number[]): Predicate | Problem {
  const problems = new FilterProblems(resource, text, continuations);
  const filter = parseFilter(text);
  return filter instanceof FilterError
    ? problems.notReadable(filter)
    : new FilterPlanner(resource, problems).predicate(filter);
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
    const operands = all(filter.operands, (operand) => this.predicate(operand));
    return operands instanceof Problem ? operands : { kind: filter.kind, operands };
  }

  #condition(condition: Condition): Predicate | Problem {
    const field = findField(this.#resource, condition.field.text);
    if (field === undefined) return this.#problems.unknownField(condition.field);
    const operator: Operator = operators[condition.operator];
    if (!operator.types.includes(field.type)) return this.#problems.operatorNotAllowed(condition, field);
    return condition.kind === 'membership' ? this.#membership(field, condition) : this.#comparison(field, condition);
  }

  #membership(field: Field, condition: Membership): Predicate | Problem {
    const values = all(condition.items, (item) => this.#value(condition, field, item));
    if (values instanceof Problem) return values;
    const anyOf = values.filter((_, index) => !isFiner(field, condition.items[index]));
    return { kind: 'equals', field, anyOf, negated: condition.operator === '![' };
  }

  #comparison(field: Field, condition: Comparison): Predicate | Problem {
    const { operator, value: literal } = condition;
    const value = this.#value(condition, field, literal);
    if (value instanceof Problem) return value;
    switch (operator) {
      case '=':
      case '!=':
        return { kind: 'equals', field, anyOf: isFiner(field, literal) ? [] : [value], negated: operator === '!=' };
      case '*':
      case '!*':
        if (value === '') return this.#problems.emptyContains(literal, field);
        return { kind: 'contains', field, folded: fold(String(value)), negated: operator === '!*' };
      default:
        if (value === null) throw new Error(`${operator} takes no null`);
        return { kind: 'ordered', field, operator: isFiner(field, literal) ? FINER[operator] : operator, value };
    }
  }

  #value(condition: Condition, field: Field, literal: Literal): Value | null | Problem {
    if (literal.text === null) {
      const isAllowed = operators[condition.operator].takesNull && field.nullable;
      return isAllowed ? null : this.#problems.nullNotAllowed(literal, field);
    }
    const value = readValue(field.type, literal.text);
    if (value instanceof Mismatch) return this.#problems.invalidValue(condition, literal, field, value);
    return field.type === 'integer' ? withinReach(value) : value;
  }
}

/** Between two milliseconds, where no record can be: equal to none, and after the millisecond to which it was cut. */
function isFiner(field: Field, literal: Literal | undefined): boolean {
  return field.type === 'timestamp' && isFinerThanStored(literal?.text ?? '');
}

/** What an ordering by such a time is, by the millisecond before it. */
const FINER: Record<Ordering, Ordering> = { '>': '>', '>=': '>', '<': '<=', '<=': '<=' };

/** Beyond the integers that a record can hold, one step is as good as any: every comparison gives the same. */
function withinReach(value: Value): Value {
  return typeof value === 'number' ? Math.max(-MAX_INTEGER - 1, Math.min(value, MAX_INTEGER + 1)) : value;
}

function all<In, Out>(items: readonly In[], each: (item: In) => Out | Problem): Out[] | Problem {
  const results: Out[] = [];
  for (const item of items) {
    const result = each(item);
    if (result instanceof Problem) return result;
    results.push(result);
  }
  return results;
}
