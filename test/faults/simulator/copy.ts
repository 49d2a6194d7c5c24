/** A copy of records that a program keeps, and which may crash before or after each step. */

import type { Copy } from '../../../src/client/index.ts';
import type { Random } from '../../support/random.ts';

export class Crashed extends Error {
  override readonly name = 'Crashed';
}

interface Row {
  readonly id: number;
}

export class SimulatedCopy<R extends Row> implements Copy<R> {
  readonly #random: Random;
  readonly #rows = new Map<number, R>();
  #checkpoint: string | undefined;
  /** How likely a step fails. */
  crashes = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  load(): string | undefined {
    return this.#checkpoint;
  }

  put(records: readonly R[]): void {
    this.#step(() => {
      for (const record of records) this.#rows.set(record.id, record);
    });
  }

  delete(ids: readonly number[]): void {
    this.#step(() => {
      for (const id of ids) this.#rows.delete(id);
    });
  }

  save(checkpoint: string): void {
    this.#step(() => {
      this.#checkpoint = checkpoint;
    });
  }

  clear(): void {
    this.#checkpoint = undefined;
    this.#step(() => this.#rows.clear());
  }

  /** In the order of their ids. */
  records(): readonly R[] {
    return [...this.#rows.values()].toSorted((a, b) => a.id - b.id);
  }

  #step(act: () => void): void {
    if (this.#random.chance(this.crashes)) throw new Crashed('before a step');
    act();
    if (this.#random.chance(this.crashes)) throw new Crashed('after a step');
  }
}
