/** Issues keys. The returned text is shown once: the store holds only the hash of the secret. */

import type { Keys, NewKey, StoredKey } from '../store/store.ts';
import { generateKey, hashSecret, printKey } from './key.ts';

type Terms = Omit<NewKey, 'id' | 'secretHash' | 'rateLimit'> & Partial<Pick<NewKey, 'rateLimit'>>;

export async function issueKey(keys: Keys, terms: Terms): Promise<string> {
  const { key, text } = newKey(terms);
  await keys.add(key);
  return text;
}

/**
 * Issues a key with the name, scopes, lifetime and rate limit of an existing one, which keeps working for `overlap` milliseconds so that
 * clients can switch. Undefined if the existing key has been revoked or replaced meanwhile.
 */
export async function rotateKey(keys: Keys, old: StoredKey, now: number, overlap: number): Promise<string | undefined> {
  const { account, name, scopes, rateLimit } = old;
  const lifetime = old.expiresAt === null ? null : Date.parse(old.expiresAt) - Date.parse(old.createdAt);
  const { key, text } = newKey({
    account,
    name,
    scopes,
    createdAt: new Date(now).toISOString(),
    expiresAt: lifetime === null ? null : new Date(now + lifetime).toISOString(),
    rateLimit,
  });
  const isReplaced = await keys.replace(old.id, key, overlap === 0 ? null : new Date(now + overlap).toISOString());
  return isReplaced ? text : undefined;
}

/** A key that is not stored yet, and its text. */
export function newKey(terms: Terms): { readonly key: NewKey; readonly text: string } {
  const { text, ...identity } = newIdentity();
  return { key: { rateLimit: null, ...terms, ...identity }, text };
}

/** What makes a key unique, and its text. */
export function newIdentity(): Pick<NewKey, 'id' | 'secretHash'> & { readonly text: string } {
  const key = generateKey();
  return { id: key.id, secretHash: hashSecret(key.secret), text: printKey(key) };
}
