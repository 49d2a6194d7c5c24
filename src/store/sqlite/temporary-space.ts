/** How much of the disk for temporary files streams may take. */

import { tmpdir } from 'node:os';
import type { Clock } from '../../schedule/clock.ts';
import { StoreUnavailable } from '../store-error.ts';
import { DiskSpace } from './disk-space.ts';

/** The maximum of one stream, and of all of them, in bytes. */
const MAX_STREAM_BYTES = 512 * 1024 * 1024;
const MAX_STREAMS_BYTES = 2 * 1024 * 1024 * 1024;

export class TemporarySpace {
  readonly #disk: DiskSpace;
  #taken = 0;

  /** `reserve` is how much of the disk has to stay free, in bytes. */
  constructor(reserve: number, clock: Clock) {
    this.#disk = new DiskSpace(tmpdir(), reserve, clock, true);
  }

  /** For a stream that has so many bytes already. False if there is no room. */
  take(bytes: number, before: number): boolean {
    if (before + bytes > MAX_STREAM_BYTES || this.#taken + bytes > MAX_STREAMS_BYTES) return false;
    try {
      this.#disk.take(bytes);
    } catch (error) {
      if (error instanceof StoreUnavailable) return false;
      throw error;
    }
    this.#taken += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#taken -= bytes;
  }
}
