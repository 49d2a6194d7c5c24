/** How much of the disk is free. A reserve is kept for what must always be possible: removing records, and what the database itself needs for that. */

import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreUnavailable } from '../store-error.ts';

/** How often the disk is asked, in milliseconds. */
const INTERVAL = 1_000;

export class DiskSpace {
  readonly #path: string;
  readonly reserve: number;
  #free = Number.POSITIVE_INFINITY;
  /** On the clock of `performance.now()`. */
  #askedAt = Number.NEGATIVE_INFINITY;

  /** `reserve` is in bytes; 0 means that there is none. */
  constructor(path: string, reserve: number) {
    this.#path = path;
    this.reserve = reserve;
  }

  /** In bytes; infinite if it cannot be known. */
  get free(): number {
    const now = performance.now();
    if (now - this.#askedAt >= INTERVAL) {
      this.#askedAt = now;
      this.#free = freeBytes(dirname(this.#path));
    }
    return this.#free;
  }

  require(): void {
    if (this.reserve === 0 || this.free >= this.reserve) return;
    const [free, reserve] = [this.free, this.reserve].map((bytes) => `${Math.floor(bytes / 1024 / 1024)} MB`);
    throw new StoreUnavailable(
      'exhausted',
      `Only ${free} are free on the disk that holds ${this.#path}, and ${reserve} are kept in reserve (--min-free-disk): nothing can be added until records or other files are removed.`,
    );
  }
}

function freeBytes(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
