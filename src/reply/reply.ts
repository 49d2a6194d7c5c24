/** What goes back to the caller. */

import type { Export } from '../store/store.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | StreamedBody;
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

/** The body in pieces: text of ours around bytes of the store. */
export function jsonReply(status: number, headers: Reply['headers'], body: readonly (string | Uint8Array)[]): Reply {
  const bytes = Buffer.concat(body.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: bytes };
}

export function notModified(tag: string): Reply {
  return { status: 304, headers: { ...cacheable(tag), ...CACHE_HIT } };
}
