/** Makes keys. What is returned is shown once: the store keeps only the hash of the secret. */

import type { Keys, NewKey, StoredKey } from '../store/store.ts';
import { hashSecret, mintKey, printKey } from './key.ts';

export async function issueKey(keys: Keys, terms: Omit<NewKey, 'id' | 'secretHash'>): Promise<string> {
  const key = mintKey();
  await keys.add({ ...terms, id: key.id, secretHash: hashSecret(key.secret) });
  return printKey(key);
}

/**
 * A key with the same name and scopes that lasts as long as the old one was made for. The old one goes on working for a
 * while, so that it can be exchanged at leisure.
 */
export async function rotateKey(keys: Keys, old: StoredKey, now: number, overlap: number): Promise<string> {
  const { account, name, scopes } = old;
  const lifetime = old.expiresAt === null ? null : Date.parse(old.expiresAt) - Date.parse(old.createdAt);
  const issued = await issueKey(keys, {
    account,
    name,
    scopes,
    createdAt: new Date(now).toISOString(),
    expiresAt: lifetime === null ? null : new Date(now + lifetime).toISOString(),
  });
  await keys.revoke(old.id, new Date(now + overlap).toISOString());
  return issued;
}
