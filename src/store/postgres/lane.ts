/**
 * One connection apart from the pool: for transactions and streams, whose statements belong together. Once the connection
 * is lost, whoever waits is told at once and nothing more is sent: the driver would wait for ever, or send it on another.
 */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Parameter } from '../sql/dialect.ts';
import { connectionLost } from './errors.ts';
import { ask, type Pool, type Rows } from './pool.ts';

type Connection = Awaited<ReturnType<Pool['reserve']>>;

export class Lane {
  readonly #pool: Pool;
  readonly #connection: Connection;
  readonly #loss: Loss;

  private constructor(pool: Pool, connection: Connection, loss: Loss) {
    this.#pool = pool;
    this.#connection = connection;
    this.#loss = loss;
  }

  /** `connect` makes a pool of one, and calls what it is given when the connection closes. */
  static async open(connect: (onClose: () => void) => Pool): Promise<Lane> {
    const loss = new Loss();
    const pool = connect(() => loss.tell());
    try {
      // The driver reserves only a connection that is open.
      await pool.unsafe('SELECT 1');
      return new Lane(pool, await pool.reserve(), loss);
    } catch (error) {
      void pool.end({ timeout: 0 });
      throw error;
    }
  }

  get isLost(): boolean {
    return this.#loss.isTold;
  }

  /** Statements may be sent one after the other without waiting for what comes of them. */
  query(text: string, parameters: readonly Parameter[] = [], { prepare = false } = {}): Promise<Rows> {
    return this.#loss.orElse(() => ask(this.#connection, text, parameters, prepare));
  }

  copyInto(table: string, texts: AsyncIterable<string>): Promise<void> {
    return this.#loss.orElse(async () => {
      const copy = await this.#connection.unsafe(`COPY ${table} FROM STDIN`).writable();
      await pipeline(Readable.from(texts), copy);
    });
  }

  close(): Promise<void> {
    return this.#pool.end({ timeout: 0 });
  }
}

class Loss {
  /** Whoever waits for something on the connection. */
  readonly #waiting = new Set<(error: Error) => void>();
  isTold = false;

  tell(): void {
    this.isTold = true;
    for (const reject of this.#waiting) reject(connectionLost());
    this.#waiting.clear();
  }

  orElse<Result>(body: () => Promise<Result>): Promise<Result> {
    if (this.isTold) return Promise.reject(connectionLost());
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      body()
        .then(resolve, reject)
        .finally(() => this.#waiting.delete(reject));
    });
  }
}
