/** A page, stylesheet, script or image as it is sent. It is made once, and its strong entity tag identifies its bytes. */

import { createHash } from 'node:crypto';
import { encoded, type Pieces } from '../pieces.ts';
import { tagMatches } from '../reply/entity-tag.ts';
import type { Reply } from '../reply/reply.ts';
import type { Request } from '../request/request.ts';

export interface Page {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Pieces;
}

/** What a document with text and images of our own needs, and nothing else. Forms are sent to the search. */
export const OWN_CONTENT =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** A page may change with a release, so it is revalidated every time, which its entity tag makes cheap. */
export function newPage(type: string, body: string | Pieces, headers: Page['headers'] = {}): Page {
  const hash = createHash('sha256');
  for (const piece of typeof body === 'string' ? [body] : body) hash.update(piece);
  return {
    headers: {
      'content-type': type,
      etag: `"${hash.digest('base64url').slice(0, 22)}"`,
      'cache-control': 'public, no-cache',
      'content-security-policy': OWN_CONTENT,
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      ...headers,
    },
    body: encoded(body),
  };
}

/** A 304 if the client has the page already. */
export function pageReply({ headers, body }: Page, request: Request): Reply {
  const ifNoneMatch = request.headers['if-none-match'];
  const isMatched = ifNoneMatch !== undefined && tagMatches(ifNoneMatch, headers['etag'] ?? '');
  if (!isMatched) return { status: 200, headers, body };
  const { 'content-type': _, 'content-encoding': __, ...validators } = headers;
  return { status: 304, headers: validators };
}
