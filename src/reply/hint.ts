/** The header with what was probably meant by a filter that finds nothing. A body has exactly the documented members. */

import { apiPath } from '../catalog/resource.ts';
import { hintFor } from '../plan/filter-hints.ts';
import type { Selection } from '../plan/plan.ts';
import type { Query } from '../request/parameters.ts';
import { printQuery } from '../request/query-string.ts';

/** The longest query, in characters, that is repeated: all headers have to fit into the buffers of proxies. */
const MAX_QUERY = 500;

/** `values` are the parameters of the request, and `total` is the number of records that match. */
export function hintHeader(
  { resource, filter }: Pick<Selection, 'resource' | 'filter'>,
  below: '' | '/aggregate' | '/digest',
  values: Query['values'],
  total: number,
): Readonly<Record<string, string>> {
  const hint = hintFor(resource, values.filter, total, filter);
  if (hint === undefined) return {};
  const query = printQuery({ ...values, filter: hint.filter });
  const request = query.length > MAX_QUERY ? '' : ` Try ${apiPath(resource)}${below}?${query}`;
  return { 'stockbook-hint': `${hint.text}${request}` };
}
