/** What was probably meant by a filter that finds nothing: in a header, and in the body if an explanation is asked for. */

import { apiPath } from '../catalog/resource.ts';
import type { Selection } from '../plan/plan.ts';
import type { MeantFilter } from '../plan/text-mistakes.ts';
import type { Query } from '../request/parameters.ts';
import { printQuery } from '../request/query-string.ts';

/** The longest query, in characters, that is repeated: all headers have to fit into the buffers of proxies. */
const MAX_QUERY = 500;

/** `values` are the parameters of the request. */
export function hintHeader(
  selection: Pick<Selection, 'resource'>,
  below: '' | '/aggregate' | '/digest',
  values: Query['values'],
  hint: MeantFilter | undefined,
): Readonly<Record<string, string>> {
  if (hint === undefined) return {};
  const request = hintedRequest(selection, below, values, hint);
  return { 'stockbook-hint': request.length > MAX_QUERY ? hint.text : `${hint.text} Try ${request}` };
}

/** Without the page, which the records that the hint is about may not fill. */
export function hintedRequest(
  { resource }: Pick<Selection, 'resource'>,
  below: '' | '/aggregate' | '/digest',
  values: Query['values'],
  { filter }: MeantFilter,
): string {
  return `${apiPath(resource)}${below}?${printQuery({ ...values, filter, page: undefined })}`;
}
