/** Adding, finding, limiting and removing accounts. */

import type { Account, AccountLimits, StorageUse } from './account.ts';
import type { AccountId } from './account-id.ts';
import type { NewKey } from './keys.ts';

export interface Accounts {
  /** Undefined if the name is taken. */
  add(name: string, now: string): Promise<Account | undefined>;
  /** Adds all of them, with their limits and keys, or none. Their names must differ. */
  addAll(accounts: readonly NewAccount[], now: string): Promise<AddedAccounts>;
  find(name: string): Promise<Account | undefined>;
  isEmpty(): Promise<boolean>;
  list(): Promise<readonly AccountSummary[]>;
  /** By the account's name. Names that no account has are left out. */
  overview(names: readonly string[]): Promise<ReadonlyMap<string, AccountOverview>>;
  /**
   * Removes the account with all its records, keys and idempotency keys, in short transactions. From the first one on, nobody has access. If the
   * process ends before the last one, or the database cannot be written, `finishRemovals` does the rest.
   */
  remove(account: AccountId, onRemoved?: OnRemoved): Promise<'removed' | 'being removed'>;
  finishRemovals(): Promise<void>;
  /** Takes effect at once. Does nothing if the limits are the same. */
  setLimits(account: AccountId, limits: Partial<AccountLimits>): Promise<void>;
  /** The ISO 4217 code, or null for none. Takes effect at once. Does nothing if it is the same. */
  setCurrency(account: AccountId, currency: string | null): Promise<void>;
  /** Undefined if the account doesn't exist. */
  storage(account: AccountId): Promise<StorageUse | undefined>;
  storedTotal(): Promise<StoredTotal>;
}

/** Called with the number of rows that have been removed so far. */
export type OnRemoved = (rows: number) => void;

export interface NewAccount extends AccountLimits {
  readonly name: string;
  readonly keys: readonly Omit<NewKey, 'account' | 'createdAt'>[];
}

export type AddedAccounts =
  /** In the order in which they were given. */
  | { readonly kind: 'added'; readonly accounts: readonly Account[] }
  | { readonly kind: 'names taken'; readonly names: readonly string[] };

export interface AccountOverview {
  /** By the resource's name. */
  readonly revisions: ReadonlyMap<string, number>;
  readonly storage: StorageUse;
}

/** What all accounts store. */
export interface StoredTotal {
  readonly records: number;
  readonly bytes: number;
  /** The accounts that use most of what they may store, each with the share, the fullest first. */
  readonly fullest: readonly (readonly [account: string, share: number])[];
}

export interface AccountSummary extends Account {
  /** The number of records by the resource's name. */
  readonly rows: ReadonlyMap<string, number>;
  /** The size of the values of all records. */
  readonly bytes: number;
}
