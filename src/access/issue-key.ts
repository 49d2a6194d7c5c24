/** Makes keys. What is returned is shown once: the store keeps only the hash of the secret. */

import type { Keys, NewKey, StoredKey } from '../store/store.ts';
import { hashSecret, mintKey, printKey } from './key.ts';

export async function issueKey(keys: Keys, terms: Omit<NewKey, 'id' | 'secretHash'>): Promise<string> {
  const key = mintKey();
  await keys.add({ ...terms, id: key.id, secretHash: hashSecret(key.secret) });
  return printKey(key);
}

/** A key with the same name, scopes and end; the old one goes on working for a while, so that it can be exchanged at leisure. */
export async function rotateKey(keys: Keys, old: StoredKey, now: number, overlap: number): Promise<string> {
  const { account, name, scopes, expiresAt } = old;
  const issued = await issueKey(keys, { account, name, scopes, expiresAt, createdAt: new Date(now).toISOString() });
  const end = new Date(now + overlap).toISOString();
  if (expiresAt === null || end < expiresAt) await keys.expire(old.id, end);
  return issued;
}
