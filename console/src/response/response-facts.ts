/** The facts in the headers of a response, in words. */

import type { Exchange } from '../data/exchange.ts';

/** Undefined if the response does not have it. */
export function headerOf({ headers }: Exchange, name: string): string | undefined {
  return headers.find(([header]) => header === name)?.[1];
}

/** Where the total came from: docs/api.md lists the sources. */
export const SOURCES: Readonly<Record<string, string>> = {
  ledger: 'known without counting: there is no filter',
  cached: 'counted earlier, and unchanged since',
  index: 'from an in-memory index',
  counted: 'counted in the database',
};

/** As RFC 9211 writes it: `stockbook; fwd=miss; detail=index`. */
export function cacheStatusOf(exchange: Exchange): { readonly cache?: string; readonly source?: string } {
  const status = headerOf(exchange, 'cache-status');
  if (status === undefined) return {};
  const [, ...parameters] = status.split(';').map((part) => part.trim());
  if (parameters.includes('hit')) return { cache: 'hit: sent from the cache', source: 'the cached response' };
  const detail = parameters.find((parameter) => parameter.startsWith('detail='))?.slice('detail='.length);
  const source = detail === undefined ? undefined : (SOURCES[detail] ?? detail);
  return { cache: 'miss: the response was computed', ...(source !== undefined && { source }) };
}

const STATUSES: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};

/** HTTP/2 has no reason phrases. */
export function statusOf({ status }: Exchange): string {
  return `${status} ${STATUSES[status] ?? ''}`.trim();
}

/** The body as indented JSON. Anything else stays as it was received. */
export function linesOf({ body }: Exchange): readonly string[] {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2).split('\n');
  } catch {
    return body.split('\n');
  }
}
