/** Text that is written as in another language: any is valid, so it is not an error, but no record has it. */

import { findField } from '../catalog/catalog.ts';
import { fieldNames, type Resource } from '../catalog/resource.ts';
import { isText } from '../catalog/value-types.ts';
import type { Comparison, Condition, Filter } from '../filter/ast.ts';
import type { ValueSymbol } from '../filter/operators.ts';
import { nearest } from '../problem/nearest.ts';
import { findMistake, joinedBySymbols, symbolFor } from './filter-mistakes.ts';

export interface MeantFilter {
  /** A sentence about the first mistake. */
  readonly text: string;
  /** The whole filter, corrected. */
  readonly filter: string;
}

/** Undefined if nothing looks wrong. `isSuspect` chooses the comparisons to look at. */
export function meantTexts(
  resource: Resource,
  parsed: Filter,
  filter: string,
  isSuspect: (comparison: Comparison) => boolean = () => true,
): MeantFilter | undefined {
  const isField = (name: string) => nearest(name, fieldNames(resource)) !== undefined;
  let first: string | undefined;
  const corrected = replaced(filter, bareTexts(resource, parsed, filter).filter(isSuspect), (comparison) => {
    const field = findField(resource, comparison.field.text);
    const value = comparison.value.text ?? '';
    const mistake = field && findMistake(field, comparison.operator, value, isField);
    if (mistake === undefined) return undefined;
    const joined = joinedBySymbols(value, isField);
    first ??=
      joined === undefined ? mistake.suggestion : `Did you mean ${symbolFor(joined.word)} instead of "${joined.word}"?`;
    return mistake.condition;
  });
  return first === undefined ? undefined : { text: first, filter: corrected };
}

/** Comparisons with bare text: what is in quotes is meant as it is. */
function bareTexts(resource: Resource, filter: Filter, text: string): readonly Comparison[] {
  return conditionsOf(filter).filter((condition): condition is Comparison => {
    if (condition.kind === 'membership') return false;
    const field = findField(resource, condition.field.text);
    return field !== undefined && isText(field) && text[condition.value.at] !== '"';
  });
}

/** In the order of the text. */
export function conditionsOf(filter: Filter): readonly Condition[] {
  return 'operands' in filter ? filter.operands.flatMap(conditionsOf) : [filter];
}

/** The filter with some conditions replaced. */
export function replaced<One extends Condition>(
  filter: string,
  conditions: readonly One[],
  replace: (condition: One) => string | undefined,
): string {
  let [result, end] = ['', 0];
  for (const condition of conditions) {
    const replacement = replace(condition);
    if (replacement === undefined) continue;
    result += filter.slice(end, condition.field.at) + replacement;
    end = endOf(filter, condition);
  }
  return result + filter.slice(end);
}

/** A condition of the filter with another operator that compares with a value. */
export function withOperator(filter: string, condition: Condition, operator: ValueSymbol): string {
  const { field, operatorAt } = condition;
  const value = filter.slice(operatorAt + condition.operator.length, endOf(filter, condition));
  return filter.slice(field.at, operatorAt) + operator + value;
}

function endOf(filter: string, condition: Condition): number {
  if (condition.kind === 'comparison') return condition.value.end;
  const last = condition.items.at(-1) ?? condition.items[0];
  // A list ends with its bracket.
  return filter.indexOf(']', last.end) + 1;
}
