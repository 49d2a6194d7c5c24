/** A digest as the body of a response: with it, a client can prove that its copy equals the account. */

import { MAX_INTEGER } from '../catalog/value-types.ts';
import type { LedgerVersion } from '../store/version.ts';
import { type FeedOf, printCursor } from './cursor.ts';

export interface Digest {
  readonly total: number;
  /** Of the bytes of the NDJSON stream, in hexadecimal. */
  readonly sha256: string;
}

export function digestBody({ total, sha256 }: Digest, version: LedgerVersion, of: FeedOf): string {
  const { revision } = version;
  const end = { issued: version, position: { revision, id: MAX_INTEGER }, begun: revision };
  const data = { total, revision, cursor: printCursor(end, of), sha256 };
  return JSON.stringify({ data });
}
