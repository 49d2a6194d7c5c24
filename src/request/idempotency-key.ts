/**
 * The header `Idempotency-Key`: a string as in RFC 8941, or a bare word.
 *
 *     Idempotency-Key: "8e03978e-40d5"     8e03978e-40d5
 *     Idempotency-Key: 8e03978e-40d5       8e03978e-40d5
 */

import { createHash } from 'node:crypto';
import { Problem } from '../problem/problem.ts';
import type { Request } from './request.ts';

/** The longest key in characters, without quotes and escapes. */
export const MAX_KEY_LENGTH = 255;

/** RFC 8941, section 3.3.3: printable ASCII, with `\` before `"` and `\`. */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;

/** Visible ASCII without what has a meaning in lists, parameters and strings. */
const BARE = /^[!#-+\--:<-[\]-~]+$/;

/** Undefined if the request has none. */
export function readIdempotencyKey({ headers, rawHeaders }: Request): string | undefined | Problem {
  const value = headers['idempotency-key'];
  if (value === undefined) return undefined;
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  if (names.filter((name) => name.toLowerCase() === 'idempotency-key').length > 1)
    return invalid('The request has several Idempotency-Key headers.');
  const key = BARE.test(value) ? value : QUOTED.exec(value)?.[1]?.replaceAll(/\\(.)/g, '$1');
  if (key === undefined) return invalid('The Idempotency-Key is neither a word nor a quoted string.');
  if (key === '') return invalid('The Idempotency-Key is empty.');
  if (key.length > MAX_KEY_LENGTH) return invalid(`The Idempotency-Key has more than ${MAX_KEY_LENGTH} characters.`);
  return key;
}

function invalid(detail: string): Problem {
  return new Problem('invalid_idempotency_key', detail);
}

/**
 * Identifies what a body contains, not how it is written: a client that serializes a request again may order or escape its
 * members differently. Keys outlive an upgrade, so the fingerprint of a body must not change.
 */
export function fingerprint(members: object): string {
  const sorted = Object.entries(members).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}

/** Seconds after which a retry is worthwhile. */
const RETRY_AFTER = 1;

export function keyInProgress(): Problem {
  return new Problem('idempotency_key_in_progress', 'A request with this Idempotency-Key is in progress.', {
    headers: { 'retry-after': String(RETRY_AFTER) },
  });
}

export function keyReused(): Problem {
  return new Problem('idempotency_key_reused', 'This Idempotency-Key was used for a request with another body.');
}
