/**
 * The header `Idempotency-Key`: a string as in RFC 8941, or a bare word.
 *
 *     Idempotency-Key: "8e03978e-40d5"     8e03978e-40d5
 *     Idempotency-Key: 8e03978e-40d5       8e03978e-40d5
 */

import { createHash } from 'node:crypto';
import type { ResourceOutline } from '../catalog/resource.ts';
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

/** What a key is used for: `PATCH 5` changes the record 5. */
export type KeyedRequest = 'POST' | 'import' | `${'PATCH' | 'DELETE'} ${string}`;

/** No member has this name. */
const REQUEST = '';

/** Tells whether another request with the key is the same one, and, if it is not, what it was. */
export function identityOf(request: KeyedRequest, members: object = {}): string {
  const content = request === 'POST' ? members : { ...members, [REQUEST]: request };
  return withRequest(fingerprint(content), request);
}

/** Keys that an older version has stored have the fingerprint only. */
export function withRequest(fingerprint: string, request: KeyedRequest): string {
  return `${fingerprint} ${request}`;
}

/** Seconds after which a retry is worthwhile. */
const RETRY_AFTER = 1;

export function keyInProgress(): Problem {
  return new Problem('idempotency_key_in_progress', 'A request with this Idempotency-Key is in progress.', {
    headers: { 'retry-after': String(RETRY_AFTER) },
  });
}

/** The identity is that of the request that has used the key. */
export function keyReused(
  { name }: ResourceOutline,
  request: KeyedRequest,
  { identity }: { readonly identity: string },
): Problem {
  const [, used = '', id = ''] = identity.split(' ');
  const same = request === 'import' ? 'an import with other rows or parameters' : 'a request with another body';
  const others: Readonly<Record<string, string>> = {
    POST: `creating a ${name}`,
    import: 'an import',
    PATCH: `changing the ${name} ${id}`,
    DELETE: `removing the ${name} ${id}`,
  };
  const what = identity.endsWith(` ${request}`) ? same : (others[used] ?? 'another request');
  return new Problem('idempotency_key_reused', `This Idempotency-Key was used for ${what}.`);
}
