/** Issues keys. The returned text is shown once: the store holds only the hash of the secret. */

import type { Keys, NewKey, StoredKey } from '../store/store.ts';
import { generateKey, hashSecret, printKey } from './key.ts';

export async function issueKey(keys: Keys, terms: Omit<NewKey, 'id' | 'secretHash'>): Promise<string> {
  const key = generateKey();
  await keys.add({ ...terms, id: key.id, secretHash: hashSecret(key.secret) });
  return printKey(key);
}

/**
 * Issues a key with the name, scopes and lifetime of an existing one, which keeps working for `overlap` milliseconds so that
 * clients can switch.
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
