/**
 * Adds conditions to the text of a filter, and removes them. "Conditions" are the operands of its
 * outermost `&`.
 *
 * A filter that is invalid has no conditions: what is added to it takes its place.
 */

import { type Filter, FilterError, parseFilter, printFilter } from '@stockbook/client/filter';
import { conditionsOf, join, operandsOf } from './filter-tree.ts';

/** The records that meet both. A condition that the filter has already is not repeated. */
export function andFilter(filter: string, condition: string): string {
  const present = conditionsIn(filter);
  const texts = new Set(present.map(printFilter));
  return printed([...present, ...conditionsIn(condition).filter((added) => !texts.has(printFilter(added)))]);
}

/** Without the conditions that `condition` consists of. */
export function withoutCondition(filter: string, condition: string): string {
  const texts = new Set(conditionsIn(condition).map(printFilter));
  return printed(conditionsIn(filter).filter((present) => !texts.has(printFilter(present))));
}

/** Puts `condition` in the place of all conditions on a field. If it is empty, they are removed. */
export function replaceField(filter: string, field: string, condition: string): string {
  const present = conditionsIn(filter);
  const found = present.findIndex((part) => isOnField(part, field));
  const place = found === -1 ? present.length : found;
  const isOther = (part: Filter) => !isOnField(part, field);
  return printed([...present.slice(0, place), ...conditionsIn(condition), ...present.slice(place).filter(isOther)]);
}

/** The conditions of a filter on a field, as a filter. Empty if there are none. */
export function conditionOn(filter: string, field: string): string {
  return printed(conditionsIn(filter).filter((part) => isOnField(part, field)));
}

function conditionsIn(text: string): readonly Filter[] {
  if (text.trim() === '') return [];
  const filter = parseFilter(text);
  return filter instanceof FilterError ? [] : operandsOf(filter, 'and');
}

function printed(conditions: readonly Filter[]): string {
  const filter = join('and', conditions);
  return filter === undefined ? '' : printFilter(filter);
}

function isOnField(filter: Filter, field: string): boolean {
  return fieldsOf(filter).every((name) => name === field);
}

function fieldsOf(filter: Filter): readonly string[] {
  return conditionsOf(filter).map((condition) => condition.field.text);
}
