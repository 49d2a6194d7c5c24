/**
 * Filters that are valid, but probably not what was meant: `name*chair and list_price>100` looks for one long text. They find
 * nothing, or, negated, everything.
 */

import { findField } from '../catalog/catalog.ts';
import { fieldNames, type Resource } from '../catalog/resource.ts';
import { isText } from '../catalog/value-types.ts';
import type { Comparison, Filter } from '../filter/ast.ts';
import { FilterError } from '../filter/filter-error.ts';
import { parseFilter } from '../filter/parse.ts';
import { nearest } from '../problem/nearest.ts';
import { Problem } from '../problem/problem.ts';
import { planFilter } from './filter.ts';
import { joinedBySymbols, MAX_LENGTH, symbolFor } from './filter-mistakes.ts';

export interface FilterHint {
  /** A sentence. */
  readonly text: string;
  /** The whole filter as it was probably meant. */
  readonly filter: string;
}

/** The longest filter to analyze, in characters. */
const MAX_FILTER_LENGTH = 2_000;

/** Without it, a list that matches something is not analyzed. */
const NEGATED = /![=*]/;
const WORD = /\s(?:and|or|und|oder)\s/i;

/** `total` is the number of records that match, `syntax` what the filter was parsed to. Undefined if nothing looks wrong. */
export function hintFor(
  resource: Resource,
  filter: string | undefined,
  total: number,
  syntax?: Filter,
): FilterHint | undefined {
  if (filter === undefined || filter.length > MAX_FILTER_LENGTH) return undefined;
  if (total > 0 && !(NEGATED.test(filter) && WORD.test(filter))) return undefined;
  const parsed = syntax ?? parseFilter(filter);
  // The service may have decoded it once more.
  if (parsed instanceof FilterError) return undefined;
  const searched = textComparisons(resource, parsed, filter);
  return meantJoined(resource, filter, searched, total) ?? (total === 0 ? meantAnyCase(filter, searched) : undefined);
}

/** Comparisons with bare text: what is in quotes is meant as it is. */
function textComparisons(resource: Resource, filter: Filter, text: string): readonly Comparison[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.operands.flatMap((operand) => textComparisons(resource, operand, text));
    case 'membership':
      return [];
    case 'comparison': {
      const field = findField(resource, filter.field.text);
      const isTextual = field !== undefined && isText(field);
      const isBare = filter.value.text !== null && text[filter.value.at] !== '"';
      return isTextual && isBare ? [filter] : [];
    }
  }
}

function meantJoined(
  resource: Resource,
  filter: string,
  comparisons: readonly Comparison[],
  total: number,
): FilterHint | undefined {
  const suspects = comparisons.filter(({ operator }) => total === 0 || operator.startsWith('!'));
  const isField = (name: string) => nearest(name, fieldNames(resource)) !== undefined;
  let word: string | undefined;
  const fixed = replaced(filter, suspects, ({ value: { text } }) => {
    const joined = text === null || text.length > MAX_LENGTH ? undefined : joinedBySymbols(text, isField);
    word ??= joined?.word;
    return joined && { at: 'value', text: joined.text };
  });
  if (word === undefined) return undefined;
  const meant = valid(resource, fixed);
  return meant === undefined
    ? undefined
    : { text: `Did you mean ${symbolFor(word)} instead of "${word}"?`, filter: meant };
}

/** The filter, or what its problem suggests. */
function valid(resource: Resource, filter: string): string | undefined {
  const planned = planFilter(resource, filter, []);
  if (!(planned instanceof Problem)) return filter;
  const fixed = planned.context.fixed?.['filter'];
  return fixed === undefined || planFilter(resource, fixed, []) instanceof Problem ? undefined : fixed;
}

/** `country_code=de` */
function meantAnyCase(filter: string, comparisons: readonly Comparison[]): FilterHint | undefined {
  const exact = comparisons.filter(
    ({ operator, value: { text } }) => operator === '=' && text?.toLowerCase() !== text?.toUpperCase(),
  );
  if (exact.length === 0) return undefined;
  const meant = replaced(filter, exact, () => ({ at: 'operator', text: '*' }));
  return { text: '= compares text exactly, upper and lower case included; * ignores case.', filter: meant };
}

interface Replacement {
  readonly at: 'operator' | 'value';
  readonly text: string;
}

/** The filter with an operator or a value of some comparisons replaced. */
function replaced(
  filter: string,
  comparisons: readonly Comparison[],
  replace: (comparison: Comparison) => Replacement | undefined,
): string {
  let [result, end] = ['', 0];
  for (const comparison of comparisons) {
    const replacement = replace(comparison);
    if (replacement === undefined) continue;
    const { operator, operatorAt, value } = comparison;
    const place = replacement.at === 'value' ? value : { at: operatorAt, end: operatorAt + operator.length };
    result += filter.slice(end, place.at) + replacement.text;
    end = place.end;
  }
  return result + filter.slice(end);
}
