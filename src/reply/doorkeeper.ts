/**
 * Remembers which requests were seen before, approximately and in constant memory. Most are seen only once: caching a
 * response when it is requested for the second time saves work, and keeps useful responses from being displaced.
 */

import { crc32 } from 'node:zlib';

/** A power of two. */
const SLOTS = 65_536;

export class Doorkeeper {
  /** Checksums of keys. A key has one slot, which it keeps until another key takes it. */
  readonly #slots = new Uint32Array(SLOTS);

  /** Whether the key was seen before. */
  admits(key: string): boolean {
    const checksum = crc32(key);
    const slot = checksum % SLOTS;
    const isKnown = this.#slots[slot] === checksum;
    this.#slots[slot] = checksum;
    return isKnown;
  }
}
