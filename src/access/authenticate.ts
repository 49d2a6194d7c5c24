/** Host and key to a session: which account a request is for, and what it may do there. */

import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';
import type { RequestHeaders } from '../request/request.ts';
import type { Account, Keys, Scope, StoredKey } from '../store/store.ts';
import { accountInHost } from './host.ts';
import { type Key, readKey, secretMatches } from './key.ts';

/** What a key grants on its account. */
export interface Session {
  readonly account: Account;
  readonly keyId: string;
  readonly keyName: string;
  readonly scopes: readonly Scope[];
  /** The access version of the account when the session was granted. It holds while that is current. */
  readonly access: number;
  /** In milliseconds since the epoch; infinite if the key does not expire. */
  readonly expiresAt: number;
}

export async function authenticate(
  headers: RequestHeaders,
  keys: Pick<Keys, 'find'>,
  domain: string,
  now: string,
): Promise<Session | Problem> {
  if (headers.authorization === undefined) {
    return unauthorized('authentication_required', 'The request has no Authorization header.');
  }
  const word = wordIn(headers);
  if (word === undefined) {
    return unauthorized('credentials_malformed', 'The Authorization header does not have the form Bearer <API_KEY>.');
  }
  const key = readKey(word);
  if (key === undefined) {
    return unauthorized('credentials_malformed', 'This is not a complete key: a character is missing or mistyped.');
  }
  const claim = accountInHost(headers.host, domain);
  if (claim.kind === 'foreign') {
    const host = quoted(headers.host ?? '');
    return unauthorized('key_not_accepted', `The host ${host} does not belong to an account; use <account>.${domain}.`);
  }
  const found = await keys.find(key.id);
  // The secret is compared before anything else, so that timing reveals nothing about keys and accounts.
  const isGenuine = secretMatches(key.secret, found?.key.secretHash);
  const isOwnHost = claim.kind === 'any' || claim.name === found?.account.name;
  if (found === undefined || !isGenuine || !isOwnHost) return keyNotAccepted();
  const { account, access, key: stored } = found;
  const ended = endOf(stored, now);
  if (ended !== undefined) return ended;
  const { id: keyId, name: keyName, scopes } = stored;
  return { account, access, keyId, keyName, scopes, expiresAt: expiryOf(stored) };
}

function wordIn({ authorization = '' }: RequestHeaders): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
}

/** Undefined if the credentials are not a key. */
export function keyIn(headers: RequestHeaders): Key | undefined {
  const word = wordIn(headers);
  return word === undefined ? undefined : readKey(word);
}

function expiryOf({ expiresAt }: StoredKey): number {
  return expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
}

/** The same message for every key that is not one of the account's, so that it reveals nothing about others. */
export function keyNotAccepted(): Problem {
  return unauthorized('key_not_accepted', 'This key is not accepted for this host.');
}

/** Only the holder of the secret learns why a key no longer works. */
function endOf({ scopes, revokedAt, replacedBy, expiresAt }: StoredKey, now: string): Problem | undefined {
  const isCode = scopes.includes('sign-in');
  const ended = (what: string, at: string) =>
    isCode ? signInLinkEnded(`${what} on ${at}`) : unauthorized('key_not_accepted', `This key ${what} on ${at}.`);
  // Whatever the time: the clock of the machine that revoked it may have been ahead.
  if (revokedAt !== null) return ended(isCode && replacedBy !== null ? 'was used' : 'was revoked', revokedAt);
  if (expiresAt !== null && expiresAt <= now) return ended('expired', expiresAt);
  return undefined;
}

/** Another request was faster. */
export function signInLinkUsed(): Problem {
  return signInLinkEnded('was used just now');
}

function signInLinkEnded(how: string): Problem {
  const suggestion = 'A sign-in link works once, within an hour. Get a new one, or sign in with a key.';
  return unauthorized('key_not_accepted', `This sign-in link ${how}.`, suggestion);
}

/** Any of these scopes permits a request. */
export function requireScope({ scopes }: Session, permitting: readonly Scope[]): Problem | undefined {
  if (permitting.some((scope) => scopes.includes(scope))) return undefined;
  const detail = `This request requires the scope ${permitting.join(' or ')}; the key has ${scopes.join(', ')}.`;
  return new Problem('scope_missing', detail, {
    ...(scopes.includes('sign-in') && { suggestion: 'Exchange this code for a key first: POST /api/v1/sign-in.' }),
    ...(permitting.includes('sign-in') && {
      suggestion: 'Only the code of a sign-in link is exchanged. Use the key as it is.',
    }),
  });
}

function unauthorized(
  code: 'authentication_required' | 'credentials_malformed' | 'key_not_accepted',
  detail: string,
  suggestion?: string,
): Problem {
  // RFC 6750, section 3: no error code if no credentials were sent.
  const challenge =
    code === 'authentication_required' ? 'Bearer realm="stockbook"' : 'Bearer realm="stockbook", error="invalid_token"';
  return new Problem(code, detail, {
    ...(suggestion !== undefined && { suggestion }),
    headers: { 'www-authenticate': challenge },
  });
}
