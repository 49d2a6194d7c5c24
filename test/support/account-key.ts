/** Adds an account to a database before a program serves it. */

import { issueKey } from '../../src/access/issue-key.ts';
import type { Resource } from '../../src/catalog/resource.ts';
import { DEFAULT_SCOPES, type Scope } from '../../src/catalog/scopes.ts';
import { openDatabase } from './engines.ts';
import { addAccount, load, NOW, type RecordValues } from './fixture.ts';

export interface NewAccount {
  readonly name?: string;
  readonly records?: readonly (readonly [Resource, readonly RecordValues[]])[];
  /** When its key expires. */
  readonly expiresAt?: string | null;
  readonly scopes?: readonly Scope[];
}

/** Returns its key. */
export async function makeKey(
  url: string,
  { name = 'acme', records = [], expiresAt = null, scopes = DEFAULT_SCOPES }: NewAccount = {},
): Promise<string> {
  const store = await openDatabase(url);
  try {
    const account = await addAccount(store, name);
    for (const [resource, values] of records) await load(store, account, resource, values);
    const terms = { name: 'test', scopes, createdAt: NOW, expiresAt, rateLimit: null };
    return await issueKey(store.keys, { account: account.id, ...terms });
  } finally {
    await store.close();
  }
}
