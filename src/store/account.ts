/** An account, what it may do, and what it stores. */

import type { AccountId } from './account-id.ts';

export interface Account extends AccountLimits {
  readonly id: AccountId;
  readonly name: string;
  readonly createdAt: string;
  /** The ISO 4217 code of the currency in which amounts are shown; null if they are shown as plain numbers. */
  readonly currency: string | null;
}

/** The limits of an account. Null means that the setting applies, and 0 that there is none. */
export interface AccountLimits {
  /** Requests per second for all keys together. There is no setting for it. */
  readonly rateLimit: number | null;
  readonly recordLimit: number | null;
  readonly byteLimit: number | null;
}

/** How much an account may store unless it has limits of its own; 0 means unlimited. */
export interface StorageLimits {
  readonly records: number;
  readonly bytes: number;
}

/** What an account stores, and what it may store; 0 means unlimited. */
export interface StorageUse {
  readonly records: number;
  /** The size of the values of all records. */
  readonly bytes: number;
  readonly limits: StorageLimits;
}

/** The account would store more than it may. */
export interface StorageExceeded {
  readonly kind: 'storage exceeded';
  /** What it would store. */
  readonly use: StorageUse;
}
