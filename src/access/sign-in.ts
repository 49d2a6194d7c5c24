/**
 * Signing in by link. The link has a code, which is exchanged for a key, once, so that no key is ever part of an address. A
 * code is a key whose only scope is `sign-in`: it is authenticated, limited, listed and revoked like any other.
 */

import type { AccountId, Keys } from '../store/store.ts';
import { SCOPES } from '../store/store.ts';
import type { Session } from './authenticate.ts';
import { issueKey, newKey } from './issue-key.ts';

/** How long a code can be exchanged, in milliseconds. */
const CODE_LIFETIME = 3_600_000;

/** How long the key works that a code is exchanged for, in milliseconds. */
const KEY_LIFETIME = 12 * 3_600_000;

/** `now` is in milliseconds since the epoch. */
export function issueSignInCode(keys: Keys, account: AccountId, now: number): Promise<string> {
  return issueKey(keys, { account, name: 'sign-in link', scopes: ['sign-in'], ...lifetime(now, CODE_LIFETIME) });
}

/**
 * The key, with the scopes that keys have by default. Undefined if the code has been used or revoked meanwhile. `address` is
 * the client's.
 */
export async function exchangeSignInCode(
  keys: Keys,
  { account, keyId: code }: Session,
  address: string,
  now: number,
): Promise<string | undefined> {
  const { key, text } = newKey({
    account: account.id,
    name: 'console',
    scopes: SCOPES,
    ...lifetime(now, KEY_LIFETIME),
  });
  return (await keys.exchange(code, key, { name: `key ${code}`, origin: address })) ? text : undefined;
}

function lifetime(now: number, duration: number): { readonly createdAt: string; readonly expiresAt: string } {
  return { createdAt: new Date(now).toISOString(), expiresAt: new Date(now + duration).toISOString() };
}
