/** Text that is written as in another language: any is valid, so it is not an error, but no record has it. */

import { findField } from '../catalog/catalog.ts';
import { fieldNames, type Resource } from '../catalog/resource.ts';
import { isText } from '../catalog/value-types.ts';
import type { Comparison, Condition, Filter } from '../filter/ast.ts';
import { nearest } from '../problem/nearest.ts';
import { findMistake, joinedBySymbols, MAX_LENGTH, symbolFor } from './filter-mistakes.ts';

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
    if (field === undefined || value.length > MAX_LENGTH) return undefined;
    const joined = joinedBySymbols(value, isField);
    const mistake = findMistake(field, comparison.operator, value, isField);
    if (mistake === undefined) return undefined;
    first ??=
      joined === undefined
        ? mistake.suggestion
        : `Did you mean ${symbolFor(joined.word)} instead of "${joined.word.trim()}"?`;
    return joined === undefined ? { at: 'condition', text: mistake.condition } : { at: 'value', text: joined.text };
  });
  return first === undefined ? undefined : { text: first, filter: corrected };
}

/** Comparisons with bare text: what is in quotes is meant as it is. */
function bareTexts(resource: Resource, filter: Filter, text: string): readonly Comparison[] {
  return conditionsOf(filter).filter((condition): condition is Comparison => {
    if (condition.kind === 'membership') return false;
    const field = findField(resource, condition.field.text);
    const isTextual = field !== undefined && isText(field);
    return isTextual && condition.value.text !== null && text[condition.value.at] !== '"';
  });
}

/** In the order of the text. */
export function conditionsOf(filter: Filter): readonly Condition[] {
  return 'operands' in filter ? filter.operands.flatMap(conditionsOf) : [filter];
}

interface Replacement {
  readonly at: 'condition' | 'operator' | 'value';
  readonly text: string;
}

/** The filter with some conditions, or parts of them, replaced. */
export function replaced<One extends Condition>(
  filter: string,
  conditions: readonly One[],
  replace: (condition: One) => Replacement | undefined,
): string {
  let [result, end] = ['', 0];
  for (const condition of conditions) {
    const replacement = replace(condition);
    if (replacement === undefined) continue;
    const [from, until] = placeOf(filter, condition, replacement.at);
    result += filter.slice(end, from) + replacement.text;
    end = until;
  }
  return result + filter.slice(end);
}

function placeOf(filter: string, condition: Condition, at: Replacement['at']): readonly [number, number] {
  const { field, operator, operatorAt } = condition;
  if (at === 'operator') return [operatorAt, operatorAt + operator.length];
  const last = condition.kind === 'comparison' ? condition.value : (condition.items.at(-1) ?? condition.items[0]);
  // A list ends with its bracket.
  const end = condition.kind === 'comparison' ? last.end : filter.indexOf(']', last.end) + 1;
  return [at === 'value' ? last.at : field.at, end];
}
