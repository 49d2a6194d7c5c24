/** Filter text to predicate: fields looked up, operators checked against their types, values typed. */

import { findField } from '../catalog/catalog.ts';
import { fold } from '../catalog/fold.ts';
import { type Field, MAX_INTEGER, type Resource, type Value } from '../catalog/resource.ts';
import { Mismatch, readValue } from '../catalog/value.ts';
import type { Comparison, Condition, Filter, Literal } from '../filter/ast.ts';
import { FilterError } from '../filter/filter-error.ts';
import { type Operator, operators } from '../filter/operators.ts';
import { parseFilter } from '../filter/parse.ts';
import { Problem } from '../problem/problem.ts';
import { FilterProblems } from './filter-problems.ts';
import type { Predicate } from './plan.ts';

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
    return condition.kind === 'membership'
      ? this.#equals(condition, field, condition.items, condition.operator === '![')
      : this.#comparison(field, condition);
  }

  #comparison(field: Field, condition: Comparison): Predicate | Problem {
    const { operator, value: literal } = condition;
    switch (operator) {
      case '=':
        return this.#equals(condition, field, [literal], false);
      case '!=':
        return this.#equals(condition, field, [literal], true);
      case '*':
        return this.#contains(field, literal, false);
      case '!*':
        return this.#contains(field, literal, true);
      default: {
        const value = this.#value(condition, field, literal);
        if (value instanceof Problem) return value;
        return value === null
          ? this.#problems.nullNotAllowed(literal, field)
          : { kind: 'ordered', field, operator, value };
      }
    }
  }

  #equals(condition: Condition, field: Field, literals: readonly Literal[], negated: boolean): Predicate | Problem {
    const anyOf = all(literals, (literal) => {
      const value = this.#value(condition, field, literal);
      return value === null && !field.nullable ? this.#problems.nullNotAllowed(literal, field) : value;
    });
    return anyOf instanceof Problem ? anyOf : { kind: 'equals', field, anyOf, negated };
  }

  #contains(field: Field, literal: Literal, negated: boolean): Predicate | Problem {
    if (literal.text === null) return this.#problems.nullNotAllowed(literal, field);
    if (literal.text === '') return this.#problems.emptyContains(literal, field);
    return { kind: 'contains', field, folded: fold(literal.text), negated };
  }

  #value(condition: Condition, field: Field, literal: Literal): Value | null | Problem {
    if (literal.text === null) return null;
    const value = readValue(field.type, literal.text);
    if (value instanceof Mismatch) return this.#problems.invalidValue(condition, literal, field, value);
    return field.type === 'integer' ? withinReach(value) : value;
  }
}

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
