/** A digest as a response: with it, a client can prove that its copy equals the account. */

import { MAX_INTEGER } from '../catalog/value-types.ts';
import type { Export } from '../store/store.ts';
import type { LedgerVersion } from '../store/version.ts';
import type { ChangesOf } from './changes.ts';
import { printCursor } from './cursor.ts';
import type { Hashing } from './hashing.ts';
import { cacheable, jsonReply, type TextReply } from './reply.ts';

export interface Digest {
  readonly total: number;
  /** Of the bytes of the NDJSON stream, in hexadecimal. */
  readonly sha256: string;
}

/** Reads the stream to its end, and closes it. */
export async function digestOf(found: Export, hashing: Hashing): Promise<Digest> {
  try {
    return { total: found.total, sha256: await hashing.sha256(found.next) };
  } finally {
    await found.close();
  }
}

export function digestReply({ total, sha256 }: Digest, version: LedgerVersion, of: ChangesOf, tag: string): TextReply {
  const { revision } = version;
  const end = { issued: version, position: { revision, id: MAX_INTEGER }, begun: revision };
  const data = { total, revision, cursor: printCursor(end, of.account, of.resource), sha256 };
  return jsonReply(200, cacheable(tag), JSON.stringify({ data }));
}
