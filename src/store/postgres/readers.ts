/** Connections that read. Statements go down them without waiting for each other. */

import type { Parameter } from '../sql/dialect.ts';
import { connectionLost } from './errors.ts';
import { Patience } from './patience.ts';
import { ask, type Pool, type Rows } from './pool.ts';

export class Readers {
  readonly #pool: Pool;
  readonly #patience: Patience;

  /** A server that vanished without a word never answers, and never says so: after so many seconds it is given up. */
  constructor(pool: Pool, seconds: number) {
    this.#pool = pool;
    this.#patience = new Patience(seconds);
  }

  query(text: string, parameters: readonly Parameter[] = [], { prepare = false } = {}): Promise<Rows> {
    return this.#patience.with(ask(this.#pool, text, parameters, prepare));
  }

  /** What is under way may come to its end, for so many seconds. What was not sent yet the driver would never send, nor refuse. */
  async end(timeout: number): Promise<void> {
    await this.#pool.end({ timeout });
    this.#patience.giveUp(connectionLost());
  }
}
