/** What goes back to the client. */

import type { Pieces } from '../pieces.ts';
import type { Export } from '../store/store.ts';
import { tagMatches } from './entity-tag.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Pieces | StreamedBody;
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
}

/** Responses belong to one account and are revalidated every time, which the revision in the entity tag makes cheap. */
export function cacheable(tag: string): Readonly<Record<string, string>> {
  return {
    etag: tag,
    'cache-control': 'private, no-cache',
    vary: 'authorization, accept',
    'cache-status': 'stockbook; fwd=miss',
  };
}

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

export function healthReply(): TextReply {
  return jsonReply(200, { 'cache-control': 'no-store' }, '{"status":"ok"}');
}

export function notModified(tag: string): Reply {
  return { status: 304, headers: { ...cacheable(tag), ...CACHE_HIT } };
}

/** RFC 7240: says that the request would have waited this many seconds for a change. */
export function withPreference(reply: Reply, wait: number): Reply {
  return wait === 0 ? reply : { ...reply, headers: { ...reply.headers, 'preference-applied': `wait=${wait}` } };
}

/** A 304 instead of the reply if the client has it already. */
export function unlessMatched(reply: Reply, ifNoneMatch: string | undefined): Reply {
  const tag = reply.headers['etag'];
  return ifNoneMatch !== undefined && tag !== undefined && tagMatches(ifNoneMatch, tag) ? notModified(tag) : reply;
}
