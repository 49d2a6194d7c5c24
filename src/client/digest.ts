/** The SHA-256 of a list, which proves that a copy of it is equal. */

import type { Feed } from './changes.ts';
import type { Connection } from './connection.ts';
import { searchParams } from './query.ts';

export interface Digest {
  /** The number of records. */
  readonly total: number;
  readonly revision: number;
  /** Where the changes after this state begin. */
  readonly cursor: string;
  /** Of the list as NDJSON, in hexadecimal. */
  readonly sha256: string;
}

export function readDigest(connection: Connection, { path, fields, q, filter, ...options }: Feed): Promise<Digest> {
  const query = searchParams({ fields, q, filter });
  return connection.data({ ...options, path: `${path}/digest`, query });
}
