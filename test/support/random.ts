/** Random choices. All but names of databases come from the seed of the run, so that it repeats them. */

import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';

/** A sequence of its own for each purpose, whatever ran before in the same process. */
export function seededRandom(purpose: string): Random {
  let state = inject('seed');
  for (const unit of purpose) state = Math.imul(state ^ (unit.codePointAt(0) ?? 0), 0x01_00_01_93);
  return new Random(state);
}

/** For what exists beyond a run, or beside another one. */
export function uniqueName(prefix: string): string {
  return `${prefix}${randomBytes(6).toString('hex')}`;
}

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0 and below 1. */
  next(): number {
    // Mulberry32: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c
    this.#state = (this.#state + 0x6d_2b_79_f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** At least the first and below the second. */
  between(least: number, limit: number): number {
    return least + this.below(limit - least);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('there is nothing to pick');
    return item;
  }

  /** So many different ones, or all of them if there are fewer, in any order. */
  sample<Item>(items: readonly Item[], count: number): readonly Item[] {
    const left = [...items];
    return Array.from({ length: Math.min(count, items.length) }, () => left.splice(this.below(left.length), 1)).flat();
  }

  some<Item>(items: readonly Item[], most: number): readonly Item[] {
    return Array.from({ length: this.below(most + 1) }, () => this.pick(items));
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }
}
