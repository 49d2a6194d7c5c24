/**
 * Which web pages may use the service: those of the allowed origins (CORS). A browser asks before it sends a request with a
 * key (preflight), so that is answered before authentication. It reveals nothing: the session of the console is not for other pages.
 */

import type { Request } from '../request/request.ts';

/** Any page, or the pages of these origins: `https://shop.example.com`. */
export type AllowedOrigins = '*' | readonly string[];

type Headers = Readonly<Record<string, string>>;

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, QUERY';
/** Without `stockbook-console`, which makes the cookie of a session count. */
const REQUEST_HEADERS =
  'authorization, content-encoding, content-type, accept, idempotency-key, if-match, if-none-match, last-event-id, mcp-method, mcp-name, mcp-protocol-version, prefer, traceparent, tracestate, x-request-id';
const RESPONSE_HEADERS =
  'accept-query, allow, cache-status, content-disposition, etag, idempotent-replayed, link, location, preference-applied, ratelimit, ratelimit-policy, retry-after, server-timing, stockbook-hint, stockbook-key-expires, stockbook-oldest-cursor, stockbook-revision, stockbook-rows, stockbook-total, traceparent, x-request-id';

/** How long a browser may remember the answer to a preflight, in seconds. */
const MAX_AGE = 7_200;

export class CrossOrigin {
  readonly #allowed: AllowedOrigins;

  constructor(allowed: AllowedOrigins) {
    this.#allowed = allowed;
  }

  /** The headers of the response to a preflight. Undefined if the request is not a preflight, or its origin is not allowed. */
  preflight({ method, headers }: Request): Headers | undefined {
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return undefined;
    const origin = this.#allowedOrigin(headers.origin);
    if (origin === undefined) return undefined;
    return {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': REQUEST_HEADERS,
      'access-control-max-age': String(MAX_AGE),
      vary: 'origin',
    };
  }

  /** The response with the headers that let the page read it. */
  withAccess<Reply extends { readonly headers: Headers }>(
    { headers: { origin } }: Pick<Request, 'headers'>,
    reply: Reply,
  ): Reply {
    if (this.#allowed.length === 0) return reply;
    const { vary } = reply.headers;
    const allowed = this.#allowedOrigin(origin);
    const access = allowed && {
      'access-control-allow-origin': allowed,
      'access-control-expose-headers': RESPONSE_HEADERS,
    };
    return {
      ...reply,
      headers: { ...reply.headers, vary: vary === undefined ? 'origin' : `${vary}, origin`, ...access },
    };
  }

  allows(origin: string): boolean {
    return this.#allowedOrigin(origin) !== undefined;
  }

  #allowedOrigin(origin: string | undefined): string | undefined {
    if (origin === undefined) return undefined;
    if (this.#allowed === '*') return '*';
    return this.#allowed.includes(origin) ? origin : undefined;
  }
}
