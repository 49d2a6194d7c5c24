/**
 * Filters that are valid, but probably not what was meant: `name*chair and list_price>100` looks for one long text. They find
 * nothing, or, negated, everything.
 */

import { findField } from '../catalog/catalog.ts';
import type { Resource } from '../catalog/resource.ts';
import { isText } from '../catalog/value-types.ts';
import type { Condition, Filter } from '../filter/ast.ts';
import { FilterError } from '../filter/filter-error.ts';
import { parseFilter } from '../filter/parse.ts';
import { quoteIfNeeded } from '../filter/print.ts';
import { Problem } from '../problem/problem.ts';
import { planFilter } from './filter.ts';
import { periodOf } from './meant-time.ts';
import { conditionsOf, type MeantFilter, meantTexts, replaced } from './text-mistakes.ts';

/** The longest filter to analyze, in characters. */
const MAX_FILTER_LENGTH = 2_000;

/** Without it, a list that matches something is not analyzed. */
const NEGATED = /![=*]/;

/** How many rounds of corrections a filter needs at most: what is corrected first may show what else is wrong. */
const MAX_ROUNDS = 5;

const ANY_CASE = '= compares text exactly, upper and lower case included; * ignores case.';
const IN_LIST = 'A list compares text exactly, upper and lower case included; * finds a part of it.';
const WHOLE_PERIOD = '= compares a time exactly; a whole day is a range.';

/**
 * What was probably meant, the most likely first: the store knows which one finds records. `total` is the number of records that
 * match, `syntax` what the filter was parsed to.
 */
export function hintsFor(
  resource: Resource,
  filter: string | undefined,
  total: number,
  syntax?: Filter,
): readonly MeantFilter[] {
  if (filter === undefined || filter.length > MAX_FILTER_LENGTH) return [];
  if (total > 0 && !NEGATED.test(filter)) return [];
  const parsed = syntax ?? parseFilter(filter);
  // The service may have decoded it once more.
  if (parsed instanceof FilterError) return [];
  const certain = meantAsWritten(resource, filter, parsed, total);
  if (total > 0) return certain === undefined ? [] : [certain];
  const wider = meantWider(resource, certain?.filter ?? filter);
  const widest = wider && certain ? { text: `${certain.text} ${wider.text}`, filter: wider.filter } : wider;
  return [certain, widest].filter((hint) => hint !== undefined);
}

/** Without what other languages write, and words between conditions. */
function meantAsWritten(resource: Resource, filter: string, syntax: Filter, total: number): MeantFilter | undefined {
  let [parsed, current, text]: [Filter, string, string | undefined] = [syntax, filter, undefined];
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const meant = meantTexts(resource, parsed, current, ({ operator }) => total === 0 || operator.startsWith('!'));
    const valid = meant && validFilter(resource, meant.filter);
    const next = valid === undefined ? undefined : parseFilter(valid);
    if (meant === undefined || valid === undefined || next === undefined || next instanceof FilterError) break;
    text ??= meant.text;
    [parsed, current] = [next, valid];
  }
  return text === undefined ? undefined : { text, filter: current };
}

/** The filter, or what its problem suggests. */
function validFilter(resource: Resource, filter: string): string | undefined {
  const planned = planFilter(resource, filter, []);
  return planned instanceof Problem ? planned.context.fixed?.['filter'] : filter;
}

/** `country_code=de`, `name[oak,steel]`, `create_date=2026-01-31` */
function meantWider(resource: Resource, filter: string): MeantFilter | undefined {
  const parsed = parseFilter(filter);
  if (parsed instanceof FilterError) return undefined;
  const conditions = conditionsOf(parsed);
  let text: string | undefined;
  const wider = replaced(filter, conditions, (condition) => {
    const found = widened(resource, condition, filter);
    text ??= found?.text;
    if (found === undefined) return undefined;
    if (found.condition === undefined) return { at: 'operator', text: '*' };
    return { at: 'condition', text: conditions.length > 1 ? `(${found.condition})` : found.condition };
  });
  return text === undefined ? undefined : { text, filter: wider };
}

interface Widened {
  readonly text: string;
  /** Undefined if only the operator changes, to `*`. */
  readonly condition?: string;
}

function widened(resource: Resource, condition: Condition, filter: string): Widened | undefined {
  const field = findField(resource, condition.field.text);
  if (field === undefined) return undefined;
  const { name } = field;
  if (condition.kind === 'membership') {
    const items = condition.items.flatMap(({ text }) => (text === null || text === '' ? [] : [text]));
    if (!isText(field) || condition.operator !== '[' || items.length < condition.items.length) return undefined;
    return { text: IN_LIST, condition: items.map((item) => `${name}*${quoteIfNeeded(item)}`).join('|') };
  }
  const { operator, value } = condition;
  if (operator !== '=' || value.text === null || filter[value.at] === '"') return undefined;
  if (isText(field)) return value.text.toLowerCase() === value.text.toUpperCase() ? undefined : { text: ANY_CASE };
  const period = field.type === 'timestamp' ? periodOf(value.text) : undefined;
  return period && { text: WHOLE_PERIOD, condition: `${name}>=${period.from}&${name}<${period.until}` };
}
