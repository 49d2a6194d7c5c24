/**
 * Signing in to the console, with a key or by link, begins a browser session, which has a key of its own. A link has a code, which is
 * exchanged once, so that no key is ever part of an address. A code is a key with the scope `sign-in`: it is authenticated, limited,
 * listed and revoked like any other. Its other scopes are what it is exchanged for.
 */

import { DEFAULT_SCOPES, type Scope } from '../catalog/scopes.ts';
import type { AccountId, Actor, Keys } from '../store/store.ts';
import type { Session } from './authenticate.ts';
import { issueKey, newKey } from './issue-key.ts';

/** How long a code can be exchanged unless it is issued for longer, in milliseconds. */
const CODE_LIFETIME = 3_600_000;

/** How long the key works that a program gets for a code, and a session that is not remembered, in milliseconds. */
const SHORT_SESSION = 12 * 3_600_000;

/** How long a session lasts that the browser remembers, in milliseconds. */
const LONG_SESSION = 30 * 86_400_000;

interface CodeOptions {
  readonly scopes?: readonly Scope[];
  /** In milliseconds. */
  readonly lifetime?: number;
}

/** `now` is in milliseconds since the epoch. */
export function issueSignInCode(
  keys: Keys,
  account: AccountId,
  now: number,
  { scopes = DEFAULT_SCOPES, lifetime = CODE_LIFETIME }: CodeOptions = {},
): Promise<string> {
  return issueKey(keys, { account, name: 'sign-in link', scopes: ['sign-in', ...scopes], ...lasting(now, lifetime) });
}

/** The fragment of an address is not sent to any server. */
export function signInLink(origin: string, code: string): string {
  return `${origin}/#code=${code}`;
}

/** The key for a program. Undefined if the code has been used or revoked meanwhile. `address` is the client's. */
export async function exchangeSignInCode(
  keys: Keys,
  { account, granted, keyId: code }: Session,
  address: string,
  now: number,
): Promise<string | undefined> {
  const { key, text } = newKey({
    account: account.id,
    name: 'console',
    scopes: granted,
    ...lasting(now, SHORT_SESSION),
  });
  return (await keys.exchange(code, key, actorOf(code, address))) ? text : undefined;
}

export interface StartedSession {
  /** The text of its key. */
  readonly key: string;
  /** How long the browser remembers it, in seconds; undefined if it does not. */
  readonly remembered: number | undefined;
}

/** Begins a browser session with a key or a code, unless the code has been used or revoked meanwhile, or too many sign in with the key. */
export async function startSession(
  keys: Keys,
  { account, keyId, keyName, scopes, granted, expiresAt }: Session,
  address: string,
  now: number,
  isRemembered: boolean,
): Promise<StartedSession | 'used' | 'too many'> {
  const isCode = scopes.includes('sign-in');
  const wanted = isRemembered ? LONG_SESSION : SHORT_SESSION;
  // It ends with the key in any case; so the browser and the list of keys know it from the start.
  const duration = isCode ? wanted : Math.min(wanted, expiresAt - now);
  const { key, text } = newKey({
    account: account.id,
    name: isCode ? 'console' : keyName,
    scopes: granted,
    ...lasting(now, duration),
  });
  const session = { ...key, sessionOf: keyId };
  const actor = actorOf(keyId, address);
  if (isCode && !(await keys.exchange(keyId, session, actor))) return 'used';
  if (!isCode && !(await keys.startSession(session, actor))) return 'too many';
  return { key: text, remembered: isRemembered ? Math.floor(duration / 1_000) : undefined };
}

export function endSession(keys: Keys, { keyId }: Session, address: string, now: number): Promise<void> {
  return keys.endSession(keyId, new Date(now).toISOString(), actorOf(keyId, address));
}

function actorOf(keyId: string, address: string): Actor {
  return { name: `key ${keyId}`, origin: address };
}

function lasting(now: number, duration: number): { readonly createdAt: string; readonly expiresAt: string } {
  return { createdAt: new Date(now).toISOString(), expiresAt: new Date(now + duration).toISOString() };
}
