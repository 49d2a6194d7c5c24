/** Which files have not changed for a while, and are therefore complete. */

import type { Clock } from '../../schedule/clock.ts';
import type { FoundFile } from './watched-folder.ts';

interface Seen {
  readonly file: FoundFile;
  /** By the clock of this process: the times of files may be those of another machine. */
  readonly since: number;
}

export class Settling {
  readonly #period: number;
  readonly #clock: Clock;
  #seen: ReadonlyMap<string, Seen> = new Map();

  /** The period in milliseconds. */
  constructor(period: number, clock: Clock) {
    this.#period = period;
    this.#clock = clock;
  }

  /** Those that have been the same for the period, the oldest first. */
  settled(files: readonly FoundFile[]): readonly FoundFile[] {
    const now = this.#clock.monotonic();
    const seen = files.map((file): Seen => {
      const known = this.#seen.get(file.name);
      return known !== undefined && isSame(known.file, file) ? known : { file, since: now };
    });
    this.#seen = new Map(seen.map((each) => [each.file.name, each]));
    return seen
      .filter(({ since }) => now - since >= this.#period)
      .map(({ file }) => file)
      .toSorted((a, b) => a.modified - b.modified || (a.name < b.name ? -1 : 1));
  }

  /** It has changed since it was seen. */
  restart({ name }: FoundFile): void {
    this.#seen = new Map([...this.#seen].filter(([known]) => known !== name));
  }
}

function isSame(a: FoundFile, b: FoundFile): boolean {
  return a.size === b.size && a.modified === b.modified;
}
