/** The request that a view stands for: what a program has to send to get the same records, or the same groups. */

import { apiPath, type Resource } from '../../../src/catalog/resource.ts';
import { LONGEST_QUERY } from '../../../src/client/connection.ts';
import { facetOf, groupsQuery } from '../groups/grouping.ts';
import { orderOf, type View } from '../view/view.ts';

/** The page that is shown, or everything that matches. */
export const SCOPES = ['page', 'all'] as const;
export type Scope = (typeof SCOPES)[number];

export interface ApiRequest {
  /** Where the service is, such as `https://acme.example.com`. */
  readonly origin: string;
  readonly resource: Resource;
  readonly result: Scope | 'groups';
  readonly query: Query;
}

/** By parameter. Those without a value are not sent. */
type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** A view with groups stands for these, whatever the scope. */
export function requestOf(view: View, origin: string, scope: Scope): ApiRequest {
  const { resource } = view;
  const facet = view.group === undefined ? undefined : facetOf(resource, view.group);
  return facet === undefined
    ? { origin, resource, result: scope, query: listQuery(view, scope) }
    : { origin, resource, result: 'groups', query: { ...groupsQuery(view, facet) } };
}

function listQuery(view: View, scope: Scope): Query {
  const { q, filter, fields, page, limit } = view;
  return {
    q: q === '' ? undefined : q,
    filter: filter.trim() === '' ? undefined : filter,
    fields,
    sort: orderOf(view),
    page: scope === 'page' && page > 1 ? page : undefined,
    limit: scope === 'page' ? limit : undefined,
  };
}

export function parametersOf({ query }: ApiRequest): readonly (readonly [name: string, value: string])[] {
  return Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
}

export function queryOf(request: ApiRequest): string {
  return String(new URLSearchParams(Object.fromEntries(parametersOf(request))));
}

export function pathOf({ resource, result }: ApiRequest): string {
  return apiPath(resource) + (result === 'groups' ? '/aggregate' : '');
}

/** Programs between the client and the service may reject a longer URL: then the query is sent in the body. */
export function isLong(request: ApiRequest): boolean {
  return queryOf(request).length > LONGEST_QUERY;
}

/** One line per record, as many as there are. */
export const STREAM_TYPE = 'application/x-ndjson';
