/** A key as its holder sees it: whose it is, what it permits, and which limits it has. */

import type { Scope } from '../catalog/scopes.ts';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../plan/page.ts';
import type { Account, StorageUse } from '../store/store.ts';
import { jsonReply, type TextReply } from './reply.ts';

export interface Me {
  readonly account: Pick<Account, 'name' | 'currency'>;
  readonly key: {
    readonly id: string;
    readonly name: string;
    readonly scopes: readonly Scope[];
    readonly createdAt: string;
    /** In milliseconds since the epoch; infinite if the key does not expire. */
    readonly expiresAt: number;
  };
  /** Requests per second, of the key and of all keys of the account; 0 means unlimited. */
  readonly rateLimits: { readonly key: number; readonly account: number };
  readonly storage: StorageUse;
}

export function meReply({ account, key, rateLimits, storage }: Me): TextReply {
  const { expiresAt, ...rest } = key;
  const data = {
    account: { name: account.name, currency: account.currency },
    key: { ...rest, expiresAt: Number.isFinite(expiresAt) ? new Date(expiresAt).toISOString() : null },
    limits: {
      requestsPerSecond: { key: rateLimits.key || null, account: rateLimits.account || null },
      recordsPerPage: { default: DEFAULT_LIMIT, maximum: MAX_LIMIT },
      records: storage.limits.records || null,
      bytes: storage.limits.bytes || null,
    },
    storage: { records: storage.records, bytes: storage.bytes },
  };
  return jsonReply(200, { 'cache-control': 'no-store' }, JSON.stringify({ data }));
}
