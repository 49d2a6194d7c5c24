/** A page, stylesheet, script or image as it is sent. It is made once, and its strong entity tag identifies its bytes. */

import { createHash } from 'node:crypto';
import { CODINGS, type CompressedText, compressible, FILE_CODINGS } from '../reply/compressed-text.ts';
import { matchingTag } from '../reply/entity-tag.ts';
import type { Reply } from '../reply/reply.ts';
import type { Request } from '../request/request.ts';
import { encoded, type Pieces } from '../store/pieces.ts';

export interface Page {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Pieces;
  /** Of a page that is kept. */
  readonly compressed?: CompressedText | undefined;
}

export const HTML = 'text/html; charset=utf-8';

/** What a document with text and images of our own needs, and nothing else. */
const OWN_CONTENT =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** A page may change with a release, so it is revalidated every time, which its entity tag makes cheap. */
export function newPage(type: string, body: string | Pieces, headers: Page['headers'] = {}): Page {
  return {
    headers: {
      'content-type': type,
      etag: tagOf(body),
      'cache-control': 'public, no-cache',
      vary: 'accept-encoding',
      'content-security-policy': OWN_CONTENT,
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      ...headers,
    },
    body: encoded(body),
  };
}

/** Identifies the bytes. */
export function tagOf(body: string | Pieces): string {
  const hash = createHash('sha256');
  for (const piece of typeof body === 'string' ? [body] : body) hash.update(piece);
  return `"${hash.digest('base64url').slice(0, 22)}"`;
}

const PAGE_CODINGS = [...new Set([...CODINGS, ...FILE_CODINGS])];

/** A 304 if the client has the page already. */
export function pageReply(page: Page, request: Request): Reply {
  const { headers, body, compressed } = page;
  const { 'content-type': _, 'content-encoding': __, etag = '', ...others } = headers;
  const known = matchingTag(request.headers['if-none-match'], etag, PAGE_CODINGS);
  if (known !== undefined) return { status: 304, headers: { ...others, etag: known } };
  return { status: 200, headers, body, compressed };
}

/** A page that is kept is compressed for clients that want it. */
export function kept(page: Page): Page {
  return { ...page, compressed: compressible(page.body) };
}
