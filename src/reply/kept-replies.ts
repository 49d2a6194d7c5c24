/**
 * Whole answers, kept under what was asked and the revision at which they were made. An answer is given again only while
 * the ledger says the same revision, so it is never stale; what is asked for least makes room. Most questions come once:
 * only what is asked a second time is kept.
 */

import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Json } from '../store/store.ts';
import { CACHE_HIT, isStream, type Reply } from './reply.ts';

export interface Moment {
  readonly revision: number;
  readonly epoch: number;
}

interface Kept extends Moment {
  readonly reply: Reply;
}

/** What an entry takes beside the bytes of its body and its name, about. */
const OVERHEAD = 512;

/** How many questions are remembered, about, of those that came once. */
const MAX_ASKED = 65_536;

export class KeptReplies {
  readonly #kept: LRUCache<string, Kept> | undefined;
  /** The checksums of questions. Each has one place, where it stays until another takes it. */
  readonly #asked = new Uint32Array(MAX_ASKED);

  /** 0 keeps nothing. */
  constructor(maxBytes: number) {
    if (maxBytes > 0) this.#kept = new LRUCache({ maxSize: maxBytes, maxEntrySize: Math.ceil(maxBytes / 8) });
  }

  get(name: string, { revision, epoch }: Moment): Reply | undefined {
    const kept = this.#kept?.get(name);
    return kept?.revision === revision && kept.epoch === epoch ? kept.reply : undefined;
  }

  keep(name: string, { revision, epoch }: Moment, reply: Reply): void {
    const { body } = reply;
    if (this.#kept === undefined || body === undefined || isStream(body) || !this.isAskedAgain(name)) return;
    const again = { ...reply, headers: { ...reply.headers, ...CACHE_HIT } };
    const size = OVERHEAD + bytesOf(name) + bytesOf(body);
    this.#kept.set(name, { revision, epoch, reply: again }, { size });
  }

  /** Whether it was asked before, about. Where nothing is kept, that makes no difference. */
  isAskedAgain(name: string): boolean {
    if (this.#kept === undefined) return false;
    const sum = crc32(name);
    const place = sum % MAX_ASKED;
    const isKnown = this.#asked[place] === sum;
    this.#asked[place] = sum;
    return isKnown;
  }
}

/** Text takes a byte for each character, or two where one of them is beyond Latin-1. */
function bytesOf(data: Json): number {
  return typeof data === 'string' && /[^\0-\xff]/.test(data) ? data.length * 2 : data.length;
}
