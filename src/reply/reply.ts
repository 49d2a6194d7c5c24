/** What goes back to the caller. */

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** Answers are for one account, and are asked about again each time: the revision in the entity tag makes that cheap. */
export function cacheable(tag: string): Readonly<Record<string, string>> {
  return { etag: tag, 'cache-control': 'private, no-cache', vary: 'authorization' };
}

/** The body in pieces: text of ours around bytes of the store. */
export function jsonReply(status: number, headers: Reply['headers'], body: readonly (string | Uint8Array)[]): Reply {
  const bytes = Buffer.concat(body.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: bytes };
}

export function notModified(tag: string): Reply {
  return { status: 304, headers: cacheable(tag) };
}
