/**
 * The header `Link` of RFC 8288: where the first, previous, next and last page of a list are.
 *
 *     </api/v1/inventory/product?limit=5&page=1>; rel="first", </api/v1/inventory/product?limit=5&page=3>; rel="next"
 */

import { apiPath, type Resource } from '../catalog/resource.ts';
import { decode } from '../request/percent-encoding.ts';

/** As in the body of a list. */
export interface Pagination {
  readonly previousPage: number | null;
  readonly currentPage: number;
  readonly nextPage: number | null;
  readonly totalPages: number;
}

/** A longer query, in characters, is not repeated in links: all headers have to fit into the buffers of proxies. */
const MAX_QUERY = 500;

/** `query` is the query string of the request. */
export function pageLinks(
  resource: Resource,
  query: string,
  { previousPage, nextPage, totalPages }: Pagination,
): { readonly link?: string } {
  if (query.length > MAX_QUERY || totalPages === 0) return {};
  const others = query.split('&').filter((segment) => segment !== '' && !isPage(segment));
  const base = `${apiPath(resource)}?${others.map((segment) => `${escaped(segment)}&`).join('')}`;
  const pages = { first: 1, prev: previousPage, next: nextPage, last: totalPages };
  const links = Object.entries(pages).flatMap(([relation, page]) =>
    page === null ? [] : [`<${base}page=${page}>; rel="${relation}"`],
  );
  return { link: links.join(', ') };
}

function isPage(segment: string): boolean {
  return decode(segment.split('=', 1)[0] ?? '') === 'page';
}

/** RFC 3986: clients may send characters that a URL must not contain, such as `>`. */
function escaped(segment: string): string {
  return segment.replaceAll(
    /[^\w\-.~!$&'()*+,;=:@/?%]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}
