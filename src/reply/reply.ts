/** What goes back to the client. */

import type { ProblemCode } from '../problem/registry.ts';
import { QUERY_TYPE } from '../request/body.ts';
import type { Pieces } from '../store/pieces.ts';
import type { Export, TotalSource } from '../store/store.ts';
import type { CompressedText } from './compressed-text.ts';
import { matchingTag } from './entity-tag.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Pieces | StreamedBody;
  /** Compressed forms of the body, if it is sent more than once. */
  readonly compressed?: CompressedText | undefined;
  /** How many records the body has; undefined if it does not consist of records. */
  readonly rows?: number | undefined;
  /** What is wrong with the request. */
  readonly problem?: ProblemCode;
}

/** A reply that is not a stream. */
export interface CompleteReply extends Reply {
  readonly body: string | Pieces;
}

export interface TextReply extends CompleteReply {
  readonly body: string;
}

/** A body that is sent chunk by chunk, and the trailers that follow it. */
export interface StreamedBody extends Pick<Export, 'next' | 'close'> {
  /** Their values are known at the end, their names before. */
  readonly trailers: () => Readonly<Record<string, string>>;
  /** How many records have been sent so far; the reply says it if they are known before. */
  readonly rows?: () => number;
}

export function isStreamed(body: Reply['body']): body is StreamedBody {
  return typeof body === 'object' && 'next' in body;
}

/** Which headers of a request its response depends on. */
export const VARY = 'authorization, cookie, accept, accept-encoding';

/**
 * Responses belong to one account and are revalidated every time, which the revision in the entity tag makes cheap. The cache
 * status of RFC 9211 has the source of the total as its detail, if there is a total.
 */
export function cacheable(tag: string, source?: TotalSource): Readonly<Record<string, string>> {
  return {
    etag: tag,
    'cache-control': 'private, no-cache',
    vary: VARY,
    'cache-status': source === undefined ? CACHE_MISS : `${CACHE_MISS}; detail=${source}`,
  };
}

const CACHE_MISS = 'stockbook; fwd=miss';

/** RFC 9211: the response was computed before. */
export const CACHE_HIT = { 'cache-status': 'stockbook; hit' } as const;

export function asCacheHit<Kind extends CompleteReply>(reply: Kind): Kind {
  return { ...reply, headers: { ...reply.headers, ...CACHE_HIT } };
}

export function jsonReply<Body extends string | Pieces>(
  status: number,
  headers: Reply['headers'],
  body: Body,
): Reply & { readonly body: Body } {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

/** `OPTIONS`: which methods there are, and in which form `QUERY` takes its parameters. */
export function optionsReply(allow: string): Reply {
  return { status: 204, headers: { allow, ...(allow.includes('QUERY') && { 'accept-query': QUERY_TYPE }) } };
}

/** A 304 if the client has the representation with this tag. */
export function notModified(ifNoneMatch: string | undefined, tag: string): Reply | undefined {
  const known = matchingTag(ifNoneMatch, tag);
  return known === undefined ? undefined : { status: 304, headers: { ...cacheable(known), ...CACHE_HIT } };
}

/** RFC 7240: says that the request would have waited this many seconds for a change. */
export function withPreference(reply: Reply, wait: number): Reply {
  return wait === 0 ? reply : { ...reply, headers: { ...reply.headers, 'preference-applied': `wait=${wait}` } };
}

/** A 304 instead of the reply if the client has it already. */
export function unlessMatched(reply: Reply, ifNoneMatch: string | undefined): Reply {
  const tag = reply.headers['etag'];
  return (tag === undefined ? undefined : notModified(ifNoneMatch, tag)) ?? reply;
}
