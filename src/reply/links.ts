/**
 * The header `Link` of RFC 8288: where the first, previous, next and last page of a list are.
 *
 * Cached responses are for all hosts, so an origin is added when they are sent.
 *
 *     </api/v1/inventory/product?limit=5&page=1>; rel="first", </api/v1/inventory/product?limit=5&page=3>; rel="next"
 */

import type { Query } from '../request/parameters.ts';
import { printQuery } from '../request/query-string.ts';
import type { Reply } from './reply.ts';

/** As in the body of a list. */
export interface Pagination {
  readonly previousPage: number | null;
  readonly currentPage: number;
  readonly nextPage: number | null;
  readonly totalPages: number;
}

/** A longer query, in characters, is not repeated in links: all headers have to fit into the buffers of proxies. */
const MAX_QUERY = 500;

/** The same links with whole addresses, for clients that do not resolve them. Paths are encoded, so nothing else begins with `</`. */
export function withOrigin<Kind extends Reply>(reply: Kind, originOf: () => string | undefined): Kind {
  const { link } = reply.headers;
  const origin = link === undefined ? undefined : originOf();
  if (link === undefined || origin === undefined) return reply;
  return { ...reply, headers: { ...reply.headers, link: link.replaceAll('</', `<${origin}/`) } };
}

/** `values` are the parameters of the request. */
export function pageLinks(
  path: string,
  values: Query['values'],
  { previousPage, nextPage, totalPages }: Pagination,
): { readonly link?: string } {
  const query = printQuery({ ...values, page: undefined });
  if (query.length > MAX_QUERY || totalPages === 0) return {};
  const base = `${path}?${query}${query === '' ? '' : '&'}`;
  const pages = { first: 1, prev: previousPage, next: nextPage, last: totalPages };
  const links = Object.entries(pages).flatMap(([relation, page]) =>
    page === null ? [] : [`<${base}page=${page}>; rel="${relation}"`],
  );
  return { link: links.join(', ') };
}
