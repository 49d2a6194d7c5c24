/** Host and key to a grant: which account the request speaks for, and what it may do there. */

import { mention } from '../problem/mention.ts';
import { Problem } from '../problem/problem.ts';
import type { Account, Keys, Scope, StoredKey } from '../store/store.ts';
import { claimOf } from './host.ts';
import { readKey, secretMatches } from './key.ts';

export interface Grant {
  readonly account: Account;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  /** The access revision of the account at which it was given, and the time up to which it holds, in milliseconds. */
  readonly access: number;
  readonly until: number;
}

export interface Credentials {
  readonly host: string | undefined;
  readonly authorization: string | undefined;
}

export async function grantAccess(
  credentials: Credentials,
  keys: Pick<Keys, 'find'>,
  domain: string,
  now: string,
): Promise<Grant | Problem> {
  if (credentials.authorization === undefined) {
    return refusal('authentication_required', 'The request has no Authorization header.');
  }
  const [, word] = /^Bearer +(\S+) *$/i.exec(credentials.authorization) ?? [];
  if (word === undefined) {
    return refusal('credentials_malformed', 'The Authorization header is not of the form Bearer <API_KEY>.');
  }
  const key = readKey(word);
  if (key === undefined) {
    return refusal('credentials_malformed', 'This is not a whole Stockbook key: a character is missing or mistyped.');
  }
  const claim = claimOf(credentials.host, domain);
  if (claim.kind === 'foreign') {
    const host = mention(credentials.host ?? '');
    return refusal('key_not_accepted', `The host ${host} is not that of an account: it has to be <account>.${domain}.`);
  }
  const found = await keys.find(key.id);
  // The secret is compared before anything else is looked at, so that time tells nothing about keys and accounts.
  const isGenuine = secretMatches(key.secret, found?.key.secretHash);
  const isAtHome = claim.kind === 'open' || (claim.kind === 'account' && claim.name === found?.account.name);
  if (found === undefined || !isGenuine || !isAtHome) {
    return keyNotAccepted();
  }
  const end = endOf(found.key, now);
  if (end !== undefined) return refusal('key_not_accepted', end);
  const { account, access, key: stored } = found;
  return { account, access, keyId: stored.id, scopes: stored.scopes, until: untilOf(stored) };
}

function untilOf({ revokedAt, expiresAt }: StoredKey): number {
  const ends = [revokedAt, expiresAt].filter((time) => time !== null).map((time) => Date.parse(time));
  return Math.min(...ends, Number.POSITIVE_INFINITY);
}

/** The same words for every key that is not one of the account's: they tell nothing about others. */
export function keyNotAccepted(): Problem {
  return refusal('key_not_accepted', 'This key is not accepted for this host.');
}

/** Only whoever holds the secret learns why a key no longer works. */
function endOf({ revokedAt, expiresAt }: StoredKey, now: string): string | undefined {
  if (revokedAt !== null && revokedAt <= now) return `This key was revoked on ${revokedAt}.`;
  if (expiresAt !== null && expiresAt <= now) return `This key expired on ${expiresAt}.`;
  return undefined;
}

export function requireScope(grant: Grant, scope: Scope): Problem | undefined {
  if (grant.scopes.includes(scope)) return undefined;
  return new Problem('scope_missing', `This request needs the scope ${scope}; the key has ${grant.scopes.join(', ')}.`);
}

function refusal(
  code: 'authentication_required' | 'credentials_malformed' | 'key_not_accepted',
  detail: string,
): Problem {
  // RFC 6750, section 3: no error code where no credentials were sent at all.
  const challenge =
    code === 'authentication_required' ? 'Bearer realm="stockbook"' : 'Bearer realm="stockbook", error="invalid_token"';
  return new Problem(code, detail, { headers: { 'www-authenticate': challenge } });
}
