/** The request that a view stands for: what a program has to send to get the same records. */

import { apiPath, type Resource } from '../../../src/catalog/resource.ts';
import { LONGEST_QUERY } from '../../../src/client/connection.ts';
import { orderOf, type View } from '../view/view.ts';

/** The page that is shown, or everything that matches. */
export const SCOPES = ['page', 'all'] as const;
export type Scope = (typeof SCOPES)[number];

export interface ListRequest {
  /** Where the service is, such as `https://acme.example.com`. */
  readonly origin: string;
  readonly resource: Resource;
  readonly scope: Scope;
  /** Undefined if there is none. */
  readonly q: string | undefined;
  /** Undefined if there is none. */
  readonly filter: string | undefined;
  readonly fields: readonly string[];
  readonly sort: readonly string[] | 'relevance';
  /** Undefined for all records, and for the first page. */
  readonly page: number | undefined;
  readonly limit: number | undefined;
}

export function listRequest(view: View, origin: string, scope: Scope): ListRequest {
  const { resource, fields, q, filter } = view;
  return {
    origin,
    resource,
    scope,
    q: q === '' ? undefined : q,
    filter: filter.trim() === '' ? undefined : filter,
    fields,
    sort: orderOf(view) ?? [],
    page: scope === 'page' && view.page > 1 ? view.page : undefined,
    limit: scope === 'page' ? view.limit : undefined,
  };
}

export function parametersOf({
  q,
  filter,
  fields,
  sort,
  page,
  limit,
}: ListRequest): readonly (readonly [string, string])[] {
  return [
    ...(q === undefined ? [] : [['q', q] as const]),
    ...(filter === undefined ? [] : [['filter', filter] as const]),
    ['fields', fields.join()],
    ...(sort.length === 0 ? [] : [['sort', String(sort)] as const]),
    ...(page === undefined ? [] : [['page', String(page)] as const]),
    ...(limit === undefined ? [] : [['limit', String(limit)] as const]),
  ];
}

export function queryOf(request: ListRequest): string {
  return String(new URLSearchParams(Object.fromEntries(parametersOf(request))));
}

export function endpointOf({ origin, resource }: ListRequest): string {
  return origin + apiPath(resource);
}

/** Programs between the client and the service may reject a longer URL: then the query is sent in the body. */
export function isLong(request: ListRequest): boolean {
  return queryOf(request).length > LONGEST_QUERY;
}

/** One line per record, as many as there are. */
export const STREAM_TYPE = 'application/x-ndjson';
