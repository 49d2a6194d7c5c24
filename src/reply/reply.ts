/** What goes back to the caller. */

import type { Export, Json } from '../store/store.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Json | StreamedBody;
}

/** A body that is sent piece by piece, and what follows it. */
export interface StreamedBody extends Pick<Export, 'next' | 'close'> {
  readonly trailers: Readonly<Record<string, string>>;
}

/** Answers are for one account, and are asked about again each time: the revision in the entity tag makes that cheap. */
export function cacheable(tag: string): Readonly<Record<string, string>> {
  return {
    etag: tag,
    'cache-control': 'private, no-cache',
    vary: 'authorization, accept',
    'cache-status': 'stockbook; fwd=miss',
  };
}

/** RFC 9211: the answer was made before, and is given again. */
export const CACHE_HIT = { 'cache-status': 'stockbook; hit' } as const;

export function jsonReply(status: number, headers: Reply['headers'], body: Json): Reply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

/** Up to so many bytes, it costs less to make text of them: text leaves with the headers in one piece, bytes beside them. */
const FEW_BYTES = 16 * 1024;

const utf8 = new TextDecoder();

/** Text of ours around JSON of the store. */
export function enclosed(before: string, json: Json, after: string): Json {
  if (typeof json === 'string') return `${before}${json}${after}`;
  if (json.length <= FEW_BYTES) return `${before}${utf8.decode(json)}${after}`;
  return joined([Buffer.from(before), json, Buffer.from(after)]);
}

/** In memory of its own: `Buffer.concat` may take it from a larger piece, which would be kept for as long as the answer is. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = Buffer.allocUnsafeSlow(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function isStream(body: Reply['body']): body is StreamedBody {
  return typeof body === 'object' && !(body instanceof Uint8Array);
}

export function notModified(tag: string): Reply {
  return { status: 304, headers: { ...cacheable(tag), ...CACHE_HIT } };
}
