/** Host and key to a session: which account a request is for, and what it may do there. */

import type { Catalog } from '../catalog/catalog.ts';
import { DEFAULT_SCOPES, type Scope } from '../catalog/scopes.ts';
import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';
import type { Request } from '../request/request.ts';
import type { Account, Keys, StoredKey } from '../store/store.ts';
import { basicPassword } from './basic.ts';
import { accountInHost } from './host.ts';
import { type Key, readKey, secretMatches } from './key.ts';
import { hasSessionCookie } from './session-cookie.ts';

/** What a key grants on its account. */
export interface Session {
  readonly account: Account;
  readonly keyId: string;
  readonly keyName: string;
  readonly scopes: readonly Scope[];
  /** What somebody who signs in with these credentials may do: the scopes of the key, or those that the link is for. */
  readonly granted: readonly Scope[];
  /** Of a browser session: the id of the key, or of the code of a link, that somebody signed in with. */
  readonly sessionOf: string | null;
  /** The access version of the account when the session was granted. It holds while that is current. */
  readonly access: number;
  /** The resources and their fields then. If they change, so does the access version. */
  readonly catalog: Catalog;
  readonly keyCreatedAt: string;
  /** In milliseconds since the epoch; infinite if the key does not expire. */
  readonly expiresAt: number;
  /** The same of the key that a browser session comes from; infinite if that is a link. */
  readonly keyExpiresAt: number;
  /** Requests per second; 0 means unlimited, and null that there is no individual limit. */
  readonly rateLimits: { readonly key: number | null; readonly account: number | null };
}

/** Why a key is not accepted. Only operators learn it: clients could find out which keys and accounts exist. */
export type RefusalReason =
  | 'no key'
  | 'malformed key'
  | 'host of no account'
  | 'unknown key'
  | 'wrong secret'
  | 'key of another account'
  | 'session key without its cookie'
  | 'revoked'
  | 'used sign-in link'
  | 'expired';

export class Refusal {
  /** What the client learns. */
  readonly problem: Problem;
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, problem: Problem) {
    this.reason = reason;
    this.problem = problem;
  }
}

/** What says who sends a request. */
export type Credentials = Pick<Request, 'headers' | 'sessionKey'>;

export async function authenticate(
  request: Credentials,
  keys: Pick<Keys, 'find'>,
  domain: string,
  now: string,
): Promise<Session | Refusal> {
  const { headers } = request;
  if (!hasCredentials(request)) {
    const detail = hasSessionCookie(headers)
      ? 'The request has no Authorization header, and the cookie of a session counts only if the console sends it.'
      : 'The request has no Authorization header.';
    return new Refusal('no key', unauthorized('authentication_required', detail));
  }
  const word = wordIn(request);
  if (word === undefined) {
    const detail = 'The Authorization header does not have the form Bearer <API_KEY>.';
    return new Refusal('no key', unauthorized('credentials_malformed', detail));
  }
  const key = readKey(word);
  if (key === undefined) {
    const detail =
      basicPassword(headers) === undefined
        ? 'This is not a complete key: a character is missing or mistyped.'
        : 'The password is not a complete key. The user name can be anything.';
    return new Refusal('malformed key', unauthorized('credentials_malformed', detail));
  }
  const claim = accountInHost(headers.host, domain);
  if (claim.kind === 'foreign') {
    const host = quoted(headers.host ?? '');
    const detail = `The host ${host} does not belong to an account; use <account>.${domain}.`;
    return new Refusal('host of no account', unauthorized('key_not_accepted', detail));
  }
  const found = await keys.find(key.id);
  // The secret is compared before anything else, so that timing reveals nothing about keys and accounts.
  const isGenuine = secretMatches(key.secret, found?.key.secretHash);
  const isOwnHost = claim.kind === 'any' || claim.name === found?.account.name;
  if (found === undefined) return new Refusal('unknown key', keyNotAccepted());
  if (!isGenuine) return new Refusal('wrong secret', keyNotAccepted());
  if (!isOwnHost) return new Refusal('key of another account', keyNotAccepted());
  const { account, access, catalog, key: stored } = found;
  const ended = endOf(stored, now);
  if (ended !== undefined) return ended;
  if (stored.sessionOf !== null && request.sessionKey === undefined)
    return new Refusal('session key without its cookie', sessionKeyAlone());
  const { id: keyId, name: keyName, createdAt: keyCreatedAt, sessionOf } = stored;
  return {
    account,
    access,
    catalog,
    keyId,
    keyName,
    ...permissionsOf(stored),
    sessionOf,
    keyCreatedAt,
    expiresAt: timeOf(stored.expiresAt),
    keyExpiresAt: timeOf(stored.keyExpiresAt),
    rateLimits: { key: stored.rateLimit, account: account.rateLimit },
  };
}

/** A code permits nothing but to sign in, whatever it is for. */
function permissionsOf({ scopes }: StoredKey): Pick<Session, 'scopes' | 'granted'> {
  if (!scopes.includes('sign-in')) return { scopes, granted: scopes };
  const granted = scopes.filter((scope) => scope !== 'sign-in');
  return { scopes: ['sign-in'], granted: granted.length === 0 ? DEFAULT_SCOPES : granted };
}

/** A request without any guesses no key. */
export function hasCredentials({ headers, sessionKey }: Credentials): boolean {
  return headers.authorization !== undefined || sessionKey !== undefined;
}

function wordIn({ headers, sessionKey }: Credentials): string | undefined {
  const { authorization = '' } = headers;
  return sessionKey ?? basicPassword(headers) ?? /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
}

/** Undefined if the credentials are not a key. */
export function keyIn(request: Credentials): Key | undefined {
  const word = wordIn(request);
  return word === undefined ? undefined : readKey(word);
}

function timeOf(time: string | null): number {
  return time === null ? Number.POSITIVE_INFINITY : Date.parse(time);
}

/** The same message for every key that is not one of the account's, so that it reveals nothing about others. */
function keyNotAccepted(): Problem {
  return unauthorized('key_not_accepted', 'This key is not accepted for this host.');
}

function sessionKeyAlone(): Problem {
  const detail = 'This is the key of a session of the console, which counts in its cookie and nowhere else.';
  return unauthorized('key_not_accepted', detail, 'Use an API key.');
}

/** Only the holder of the secret learns why a key no longer works. */
function endOf(stored: StoredKey, now: string): Refusal | undefined {
  const { scopes, revokedAt, replacedBy, expiresAt, sessionOf } = stored;
  const isUsed = scopes.includes('sign-in') && replacedBy !== null;
  const ended = (reason: RefusalReason, what: string, at: string) =>
    new Refusal(reason, endedProblem(stored, `${what} on ${at}`));
  // Whatever the time: the clock of the machine that revoked it may have been ahead.
  if (revokedAt !== null && isUsed) return ended('used sign-in link', 'was used', revokedAt);
  if (revokedAt !== null) return ended('revoked', sessionOf === null ? 'was revoked' : 'ended', revokedAt);
  if (expiresAt !== null && expiresAt <= now) return ended('expired', 'expired', expiresAt);
  return undefined;
}

function endedProblem({ scopes, sessionOf }: StoredKey, how: string): Problem {
  if (scopes.includes('sign-in')) return signInLinkEnded(how);
  if (sessionOf !== null) return unauthorized('key_not_accepted', `This session ${how}.`, 'Sign in again.');
  return unauthorized('key_not_accepted', `This key ${how}.`);
}

/** Another request was faster. */
export function signInLinkUsed(): Problem {
  return signInLinkEnded('was used just now');
}

function signInLinkEnded(how: string): Problem {
  const suggestion = 'A sign-in link works once, and for a limited time. Ask for a new one, or sign in with a key.';
  return unauthorized('key_not_accepted', `This sign-in link ${how}.`, suggestion);
}

/** Any of these scopes permits a request. The first one is what RFC 6750 calls necessary. */
export function requireScope({ scopes, account }: Session, required: readonly Scope[]): Problem | undefined {
  if (required.some((scope) => scopes.includes(scope))) return undefined;
  const held = scopes.length === 0 ? 'no scope that this version of Stockbook knows' : scopes.join(', ');
  return new Problem(
    'scope_missing',
    `This request requires the scope ${required.join(' or ')}; the key has ${held}.`,
    {
      suggestion: suggestionFor(account, scopes, required),
      headers: {
        'www-authenticate': `Bearer realm="stockbook", error="insufficient_scope", scope="${required[0]}"`,
      },
    },
  );
}

function suggestionFor({ name }: Account, scopes: readonly Scope[], required: readonly Scope[]): string {
  if (scopes.includes('sign-in')) return 'Exchange this code for a key first: POST /api/v1/sign-in.';
  if (required.includes('sign-in')) return 'Only the code of a sign-in link is exchanged. Use the key as it is.';
  const wanted = [...scopes, required[0]].join(',');
  return `Use a key with this scope; an operator issues one with stockbook key add ${name} --name LABEL --scope ${wanted}.`;
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
