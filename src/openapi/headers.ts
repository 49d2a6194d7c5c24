/** The headers of responses, one row each. */

import { MAX_KEY_LENGTH } from '../request/idempotency-key.ts';
import type { JsonObject } from './json.ts';

const text = (description: string): JsonObject => ({ description, schema: { type: 'string' } });
const count = (description: string): JsonObject => ({ description, schema: { type: 'integer', minimum: 0 } });

export const responseHeaders = {
  'X-Request-Id': text('identifies the request in the log of the service; the one that was sent, if it is valid'),
  Traceparent: text('the trace that the request belongs to, with the id of our span; only if the request had one'),
  'Server-Timing': text('how long each stage took, if the operator has switched it on'),
  'Stockbook-Key-Expires': text('when the key expires, in its last 14 days: get another one from the operator'),
  'RateLimit-Policy': text('if requests are limited: how many there may be per second, of the key and of the account'),
  RateLimit: text('if requests are limited: how many are left'),
  ETag: text(
    'strong: the same tag means the same bytes. Send it as `If-None-Match`, or that of a record or a view as `If-Match`',
  ),
  'Cache-Control': text('`private, no-cache`: keep it, and revalidate it every time'),
  Vary: text('on which headers of the request the response depends'),
  'Cache-Status': text(
    '`stockbook; hit` if the response was cached or is a 304; otherwise `stockbook; fwd=miss`, with the source of the total, if there is one, as `detail`: `ledger`, `cached`, `index` or `counted`',
  ),
  Link: text('the first, previous, next and last page, as in RFC 8288'),
  'Preference-Applied': text('the preference that was applied'),
  'Content-Encoding': text('`gzip` or `zstd`, if the response is compressed'),
  'Stockbook-Hint': text('if the filter finds nothing, and was probably meant otherwise: how, and the request'),
  'Content-Disposition': text('under which name a browser saves a stream'),
  'Stockbook-Rows': count('number of records in the stream; also a trailer, with `TE: trailers`'),
  'Stockbook-Revision': count('revision of the resource; also a trailer of streams, with `TE: trailers`'),
  'Stockbook-Total': count('number of records that match the filter'),
  'Stockbook-Oldest-Cursor': text('the oldest cursor that has not expired'),
  Location: {
    description: 'the path of the new record or view, or of the import',
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Idempotent-Replayed': text('`true` if an earlier request with the same `Idempotency-Key` has done this'),
  'Accept-Query': text('the media type that `QUERY` takes'),
  'Set-Cookie': text('the cookie of the session: `HttpOnly`, `SameSite=Strict`, for this host only'),
  'WWW-Authenticate': text('how to authenticate, or which scope is missing, as in RFC 6750'),
  'Retry-After': count('seconds after which a retry is worthwhile'),
  'X-Accel-Buffering': text('tells a proxy to pass events on at once'),
} as const satisfies Record<string, JsonObject>;

export type HeaderName = keyof typeof responseHeaders;

/** Every response may have them. */
export const COMMON: readonly HeaderName[] = [
  'X-Request-Id',
  'Traceparent',
  'Server-Timing',
  'RateLimit-Policy',
  'RateLimit',
  'Cache-Control',
  'Vary',
  'Stockbook-Key-Expires',
];
export const CACHED: readonly HeaderName[] = [...COMMON, 'ETag', 'Cache-Status', 'Content-Encoding'];

export function headerReferences(names: readonly HeaderName[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Request headers that select or influence a response. */
const requestHeaders = {
  'If-None-Match': text('the `ETag` that the client has: a 304 if nothing has changed'),
  'If-Match': text('the `ETag` of the record or view: a 412 if it has changed since. `*` requires that it exists'),
  Prefer: text(
    '`wait=30`: if nothing has changed, wait up to this many seconds, 60 at most. For an import, `respond-async`: a 202 as soon as the body has arrived; `wording=client`: messages name the options of `@stockbook/client`',
  ),
  'Idempotency-Key': {
    description: 'makes a retry safe: the same request with the same key takes effect only once within 24 hours',
    schema: { type: 'string', maxLength: MAX_KEY_LENGTH },
  },
  'Stockbook-Console': {
    description: 'the scheme of the page: the console sends it, and pages of other origins cannot',
    schema: { type: 'string', enum: ['https', 'http'] },
  },
  'Last-Event-ID': text('with `text/event-stream`: the cursor after which to resume'),
} as const satisfies Record<string, JsonObject>;

export type RequestHeaderName = keyof typeof requestHeaders;

export function headerParameters(names: readonly RequestHeaderName[]): readonly JsonObject[] {
  return names.map((name) => ({ name, in: 'header', required: false, ...requestHeaders[name] }));
}
