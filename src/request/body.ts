/** The bytes of a request body to the JSON value or the parameters they contain: syntax only. */

import { Problem } from '../problem/problem.ts';
import { quoted, truncated } from '../problem/quoted.ts';
import { exceededLimit, type StructureLimits } from './json-structure.ts';
import { LONG_INPUT, type Turn } from './long-input.ts';
import { repeatedMember } from './repeated-member.ts';
import type { Request, RequestHeaders } from './request.ts';

/** The largest body in bytes: a record is smaller, and so is what a tool call may become, which is a request line. */
export const MAX_BODY_BYTES = 64 * 1024;

/** A body has few values. Reading thousands of them would keep the serving thread busy for many milliseconds. */
export const JSON_LIMITS: StructureLimits = { depth: 100, commas: 1_000 };

const utf8 = new TextDecoder('utf-8', { fatal: true });

const JSON_TYPES = ['application/json'] as const;

/** RFC 7396. */
export const PATCH_TYPES = ['application/merge-patch+json', 'application/json'] as const;

export async function readJsonBody(
  request: Request,
  turn: Turn,
  types: readonly string[] = JSON_TYPES,
): Promise<{ readonly json: unknown } | Problem> {
  const body = await request.body(MAX_BODY_BYTES);
  if (body instanceof Problem) return body;
  const problem = body.length === 0 ? undefined : checkBodyType(request.headers, types);
  if (problem !== undefined) return problem;
  if (body.length > LONG_INPUT) await turn();
  return readJson(body);
}

/** The largest body of `QUERY` in bytes: enough for the longest filter, with every byte percent-encoded. */
export const MAX_QUERY_BYTES = 128 * 1024;

/** What the body of `QUERY` is: a query string. */
export const QUERY_TYPE = 'application/x-www-form-urlencoded';

/** The parameters of `QUERY`, as they would be in a URL. */
export async function readQueryBody(request: Request): Promise<string | Problem> {
  const body = await request.body(MAX_QUERY_BYTES);
  if (body instanceof Problem) return body;
  if (body.length === 0) return '';
  const problem = checkBodyType(request.headers, [QUERY_TYPE]);
  if (problem !== undefined) return problem;
  // As in a URL, everything but ASCII is percent-encoded.
  if (body.every((byte) => byte < 0x80)) return Buffer.from(body).toString('latin1');
  return new Problem('malformed_encoding', 'The body has characters other than ASCII.', {
    suggestion: 'Percent-encode them as UTF-8.',
  });
}

/** A problem if the request has a body, although it takes none. */
export async function checkNoBody(request: Request): Promise<Problem | undefined> {
  const body = await request.body(MAX_BODY_BYTES);
  if (body instanceof Problem) return body;
  if (body.length === 0) return undefined;
  return new Problem('invalid_body', 'This request takes no body.', { suggestion: 'Send it without a body.' });
}

/** Whether the headers say that the body has one of these media types, is in UTF-8, and is not compressed. */
function checkBodyType(headers: RequestHeaders, expected: readonly string[]): Problem | undefined {
  const problem = checkMediaType(headers, expected, []);
  if (problem !== undefined) return problem;
  const charset = charsetOf(headers['content-type']) ?? 'utf-8';
  if (/^(utf-8|us-ascii)$/i.test(charset)) return undefined;
  return unsupported(`The body's character set is ${charset}.`, 'Send the body in UTF-8.', expected);
}

/** Whether they say that it has one of these media types, and is compressed in one of these ways or not at all. */
export function checkMediaType(
  headers: RequestHeaders,
  expected: readonly string[],
  codings: readonly string[],
): Problem | undefined {
  const type = headers['content-type'];
  if (type === undefined || !expected.includes(mediaTypeOf(type)))
    return unsupported(
      type === undefined ? 'The body has no Content-Type.' : `The body's Content-Type is ${type}.`,
      `Send the body with the Content-Type ${anyOf(expected)}.`,
      expected,
    );
  const coding = headers['content-encoding'] ?? 'identity';
  if ([...codings, 'identity'].includes(coding.trim().toLowerCase())) return undefined;
  return unsupported(
    `The body is compressed with ${coding}.`,
    codings.length === 0 ? 'Send it as it is.' : `Compress it with ${anyOf(codings)}, or send it as it is.`,
    expected,
  );
}

/** `a, b or c` */
function anyOf(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(Boolean).join(' or ');
}

/** `text/csv; charset=utf-8` says `utf-8`. */
export function charsetOf(type: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(type ?? '')?.[1];
}

/** `text/csv; charset=utf-8` is `text/csv`. */
export function mediaTypeOf(type: string): string {
  return type.split(';')[0]?.trim().toLowerCase() ?? '';
}

/** RFC 9112, section 6.1: `Transfer-Encoding: gzip, chunked` would have to be decompressed. */
export function checkTransferCoding(coding: string | undefined): Problem | undefined {
  if (coding === undefined || coding.trim().toLowerCase() === 'chunked') return undefined;
  return new Problem('transfer_coding_unsupported', `The body has the transfer coding ${coding}.`, {
    headers: { connection: 'close' },
  });
}

function unsupported(detail: string, suggestion: string, expected: readonly string[]): Problem {
  return new Problem('unsupported_media_type', detail, {
    suggestion,
    ...(expected.includes(QUERY_TYPE) && { headers: { 'accept-query': QUERY_TYPE } }),
  });
}

/** A body that is read in pieces is too large, or does not arrive. */
export class BodyFailed extends Error {
  override readonly name = 'BodyFailed';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

function readJson(body: Uint8Array): { readonly json: unknown } | Problem {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    return new Problem('malformed_json', 'The body is not UTF-8.');
  }
  switch (exceededLimit(body, JSON_LIMITS)) {
    case 'depth':
      return new Problem('malformed_json', `The body is nested more than ${JSON_LIMITS.depth} levels deep.`);
    case 'commas':
      return new Problem('malformed_json', `The body has more than ${JSON_LIMITS.commas} commas outside of strings.`);
  }
  if (text.trim() === '') return new Problem('malformed_json', 'The request has no body.');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof SyntaxError ? `: ${error.message}` : '';
    return new Problem('malformed_json', `The body is not JSON${reason}.`);
  }
  const repeated = repeatedMember(text);
  if (repeated === undefined) return { json };
  return new Problem('repeated_member', `The body has the member ${quoted(repeated)} more than once.`, {
    parameter: truncated(repeated),
  });
}

export function bodyTooLarge(maxBytes: number): Problem {
  return new Problem('body_too_large', `The body has more than ${maxBytes} bytes.`, {
    // The rest of the body is not read.
    headers: { connection: 'close' },
  });
}
