/**
 * The filter of a request as a log may show it. Values may be confidential, and so may a text that is not a filter of the
 * resource, for example a key that was pasted into the wrong place.
 *
 *     filter=list_price%3E10%26name*chair     list_price>…&name*…
 */

import { fieldNames } from '../catalog/resource.ts';
import type { Filter } from '../filter/ast.ts';
import { FilterError } from '../filter/filter-error.ts';
import { parseFilter } from '../filter/parse.ts';
import { printFilter, printWithoutValues } from '../filter/print.ts';
import { Problem } from '../problem/problem.ts';
import { PARAMETER_NAMES } from '../request/parameters.ts';
import { readQuery } from '../request/query-string.ts';
import type { ResourceQuery } from './observed.ts';

/** The longest filter that is shown, in characters. The rest of a longer one is cut off. */
export const MAX_LOGGED_FILTER = 500;

/** The filter of a longer query string, in characters, is not printed: that takes up to a millisecond. */
const MAX_QUERY = 2_000;

/** A key, or what is left of a damaged one. It is a secret even if values are not. */
const KEY = /sbk_\w*/gi;

/** `planned` is the filter of the query, if it has been planned. Undefined if there is no filter, or if it is not valid. */
export function loggedFilter(
  query: ResourceQuery,
  planned: Filter | undefined,
  withValues: boolean,
): string | undefined {
  const { text } = query;
  // Most requests have none, and this is on the path of all of them.
  if (!text.includes('filter')) return undefined;
  if (text.length > MAX_QUERY) return '…';
  const filter = planned ?? parsed(query);
  if (filter === undefined) return undefined;
  const printed = withValues ? printFilter(filter).replaceAll(KEY, 'sbk_…') : printWithoutValues(filter);
  return printed.length > MAX_LOGGED_FILTER ? `${printed.slice(0, MAX_LOGGED_FILTER)}…` : printed;
}

/** For a problem, and for a response from the cache if its values are shown. Undefined unless it only has fields of the resource. */
function parsed({ resource, text }: ResourceQuery): Filter | undefined {
  const query = readQuery(text, PARAMETER_NAMES);
  if (query instanceof Problem || query.values.filter === undefined) return undefined;
  const filter = parseFilter(query.values.filter);
  return filter instanceof FilterError || !hasOnlyFields(filter, new Set(fieldNames(resource))) ? undefined : filter;
}

function hasOnlyFields(filter: Filter, names: ReadonlySet<string>): boolean {
  return 'operands' in filter
    ? filter.operands.every((operand) => hasOnlyFields(operand, names))
    : names.has(filter.field.text);
}
