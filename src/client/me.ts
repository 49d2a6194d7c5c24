/** What the key of a client is and may do. */

import type { Connection, RequestOptions } from './connection.ts';

export interface Me {
  readonly account: { readonly name: string };
  readonly key: {
    /** The public part of the key, by which the operator knows it. */
    readonly id: string;
    readonly name: string;
    /** What the key permits: `read`, `write`. */
    readonly scopes: readonly string[];
    /** Null if the key does not expire. */
    readonly expiresAt: string | null;
  };
  readonly limits: {
    /** Of the key, and of all keys of the account together. Null if there is no limit. */
    readonly requestsPerSecond: { readonly key: number | null; readonly account: number | null };
    readonly recordsPerPage: { readonly default: number; readonly maximum: number };
  };
}

export async function readMe(connection: Connection, options: RequestOptions): Promise<Me> {
  const { data } = await connection.body<{ readonly data: Me }>({ ...options, path: 'me' });
  return data;
}
