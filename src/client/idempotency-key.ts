/** The header `Idempotency-Key`, with which a write can be repeated. */

import { quote } from '../filter/print.ts';
import { type NamesOf, REQUEST_OPTIONS, type RequestOptions } from './options.ts';

export interface WriteOptions extends RequestOptions {
  /** Identifies what is to be written, for 24 hours. Default: a random one. */
  readonly idempotencyKey?: string | undefined;
}

export const WRITE_OPTIONS: NamesOf<WriteOptions> = { idempotencyKey: 1, ...REQUEST_OPTIONS };

/** A string as in RFC 8941, which is written as the filter language writes text. */
export function keyHeader(idempotencyKey = randomKey()): { readonly 'idempotency-key': string } {
  return { 'idempotency-key': quote(idempotencyKey) };
}

/** Not `randomUUID`, which browsers have on secure pages only. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
