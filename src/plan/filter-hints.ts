/**
 * Filters that are valid, but probably not what was meant: `name*chair and list_price>100` looks for one long text. They find
 * nothing, or, negated, everything.
 */

import { findField } from '../catalog/catalog.ts';
import type { Resource } from '../catalog/resource.ts';
import { isText } from '../catalog/value-types.ts';
import type { Comparison, Condition, Filter } from '../filter/ast.ts';
import { FilterError } from '../filter/filter-error.ts';
import { parseFilter } from '../filter/parse.ts';
import { quoteIfNeeded } from '../filter/print.ts';
import { Problem } from '../problem/problem.ts';
import { planFilter } from './filter.ts';
import { periodOf } from './meant-time.ts';
import { conditionsOf, type MeantFilter, meantTexts, replaced, withOperator } from './text-mistakes.ts';

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
  const hints = certain === undefined ? [] : [{ text: certain.text, filter: certain.filter }];
  if (total > 0) return hints;
  const wider = meantWider(resource, certain ?? { text: '', filter, syntax: parsed });
  return wider === undefined ? hints : [...hints, wider];
}

interface ParsedHint extends MeantFilter {
  readonly syntax: Filter;
}

/** Without what other languages write, and words between conditions. */
function meantAsWritten(resource: Resource, filter: string, syntax: Filter, total: number): ParsedHint | undefined {
  let hint: ParsedHint | undefined;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const current = hint ?? { syntax, filter };
    const isSuspect = ({ operator }: Comparison) => total === 0 || operator.startsWith('!');
    const meant = meantTexts(resource, current.syntax, current.filter, isSuspect);
    const valid = meant && validHint(resource, meant);
    if (valid === undefined) break;
    hint = { ...valid, text: hint?.text ?? valid.text };
  }
  return hint;
}

/** With this filter, or with what its problem suggests, which is valid. */
function validHint(resource: Resource, { text, filter }: MeantFilter): ParsedHint | undefined {
  const planned = planFilter(resource, filter, []);
  if (!(planned instanceof Problem)) return planned.filter && { text, filter, syntax: planned.filter };
  const fixed = planned.context.fixed?.['filter'];
  return fixed === undefined ? undefined : validHint(resource, { text, filter: fixed });
}

/** `country_code=de`, `name[oak,steel]`, `create_date=2026-01-31` */
function meantWider(resource: Resource, { text, filter, syntax }: ParsedHint): MeantFilter | undefined {
  const conditions = conditionsOf(syntax);
  let first: string | undefined;
  const wider = replaced(filter, conditions, (condition) => {
    const found = widened(resource, condition, filter);
    first ??= found?.text;
    return found && (found.isGroup && conditions.length > 1 ? `(${found.condition})` : found.condition);
  });
  return first === undefined ? undefined : { text: `${text} ${first}`.trim(), filter: wider };
}

interface Widened {
  readonly text: string;
  readonly condition: string;
  /** Whether it consists of several conditions. */
  readonly isGroup: boolean;
}

function widened(resource: Resource, condition: Condition, filter: string): Widened | undefined {
  const field = findField(resource, condition.field.text);
  if (field === undefined) return undefined;
  const { name } = field;
  if (condition.kind === 'membership') {
    const items = condition.items.flatMap(({ text }) => (text === null || text === '' ? [] : [text]));
    if (!isText(field) || condition.operator !== '[' || items.length < condition.items.length) return undefined;
    const any = items.map((item) => `${name}*${quoteIfNeeded(item)}`).join('|');
    return { text: IN_LIST, condition: any, isGroup: true };
  }
  const { operator, value } = condition;
  if (operator !== '=' || value.text === null || filter[value.at] === '"') return undefined;
  if (isText(field)) {
    const hasCase = value.text.toLowerCase() !== value.text.toUpperCase();
    return hasCase ? { text: ANY_CASE, condition: withOperator(filter, condition, '*'), isGroup: false } : undefined;
  }
  const period = field.type === 'timestamp' ? periodOf(value.text) : undefined;
  if (period === undefined) return undefined;
  return { text: WHOLE_PERIOD, condition: `${name}>=${period.from}&${name}<${period.until}`, isGroup: true };
}
