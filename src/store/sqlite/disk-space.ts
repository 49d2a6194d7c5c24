/** How much of the disk is free. A reserve is kept for what must always be possible: removing records, and what the database itself needs for that. */

import { existsSync, realpathSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../../schedule/clock.ts';
import { StoreUnavailable } from '../store-error.ts';

/** How often the disk is asked, in milliseconds. */
const INTERVAL = 1_000;

export class DiskSpace {
  readonly #path: string;
  /** Whether it is the disk of temporary files, and not that of the database. */
  readonly #isTemporary: boolean;
  readonly reserve: number;
  readonly #clock: Clock;
  #free = Number.POSITIVE_INFINITY;
  /** A monotonic time. */
  #askedAt = Number.NEGATIVE_INFINITY;

  /** `reserve` is in bytes; 0 means that there is none. */
  constructor(path: string, reserve: number, clock: Clock, isTemporary = false) {
    this.#path = path;
    this.#isTemporary = isTemporary;
    this.reserve = reserve;
    this.#clock = clock;
  }

  /** In bytes; `Infinity` if unknown. */
  get free(): number {
    const now = this.#clock.monotonic();
    if (now - this.#askedAt >= INTERVAL) {
      this.#askedAt = now;
      this.#free = freeBytes(this.#path);
    }
    return this.#free;
  }

  /** The same for bytes that are going to be written now: the disk need not be asked again to know that they are no longer free. */
  take(bytes: number): void {
    this.require(bytes);
    this.#free -= bytes;
  }

  /** Throws if less than the reserve would be free after N further bytes. */
  require(bytes: number): void {
    if (this.reserve === 0 || this.free - bytes >= this.reserve) return;
    const [free, reserve, needed] = [this.free, this.reserve, bytes].map(megabytes);
    const need = bytes === 0 ? '' : ` About ${needed} are needed.`;
    throw new StoreUnavailable(
      this.#isTemporary ? 'no temporary space' : 'exhausted',
      `Only ${free} are free on the disk that holds ${this.#isTemporary ? 'temporary files in ' : ''}${this.#path}, and ${reserve} are kept in reserve (--min-free-disk): nothing can be added until accounts or other files are removed.${need}`,
    );
  }
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 / 1024)} MB`;
}

/** The path may be a link to another disk, or not exist yet. */
export function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(existsSync(path) ? realpathSync(path) : dirname(path));
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
