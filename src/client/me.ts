/** What the key of a client is and may do. */

import type { Connection } from './connection.ts';
import type { Scope } from './generated/scope.ts';
import { checkOptions, REQUEST_OPTIONS, type RequestOptions } from './options.ts';

export interface Me {
  readonly account: {
    readonly name: string;
    /** The ISO 4217 code of the currency in which amounts are shown. Null if the operator has not set one. */
    readonly currency: string | null;
  };
  readonly key: {
    /** The public part of the key, by which the operator knows it. */
    readonly id: string;
    readonly name: string;
    /** What the key permits. A newer service may have scopes that this version of the client does not know. */
    readonly scopes: readonly (Scope | (string & {}))[];
    readonly createdAt: string;
    /** Null if the key does not expire. */
    readonly expiresAt: string | null;
  };
  readonly limits: {
    /** Of the key, and of all keys of the account together. Null if there is no limit. */
    readonly requestsPerSecond: { readonly key: number | null; readonly account: number | null };
    readonly recordsPerPage: { readonly default: number; readonly maximum: number };
    /** How many records the account may have, and how many bytes their values. Null if there is no limit. */
    readonly records: number | null;
    readonly bytes: number | null;
  };
  /** What the account has. */
  readonly storage: { readonly records: number; readonly bytes: number };
}

export async function readMe(connection: Connection, options: RequestOptions): Promise<Me> {
  checkOptions('me', options, REQUEST_OPTIONS);
  return connection.data({ ...options, path: 'me' });
}
