/** Connections of one kind to one server, each used for one task at a time. */

import pg from 'pg';
import type { PoolNumbers } from '../numbers.ts';
import type { Connection } from './connection.ts';
import { isConnectionLost, isReadOnly, isWorkerLost } from './errors.ts';

/** A connection, and whether it may be used again by another task. */
export interface Opened {
  readonly connection: Connection;
  readonly isReusable: boolean;
}

export class ConnectionPool {
  readonly #max: number;
  readonly #open: () => Promise<Opened>;
  /** Those of earlier epochs are closed when their task is done. */
  #epoch = 0;
  readonly #idle: Connection[] = [];
  /** Tasks that wait for a connection, in order. */
  readonly #waiting: (() => void)[] = [];
  #used = 0;
  #isClosed = false;

  constructor(max: number, open: () => Promise<Opened>) {
    this.#max = max;
    this.#open = open;
  }

  get numbers(): PoolNumbers {
    return { max: this.#max, used: this.#used, idle: this.#idle.length, waiting: this.#waiting.length };
  }

  async use<Result>(task: (connection: Connection) => Promise<Result>): Promise<Result> {
    if (this.#used === this.#max) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#used += 1;
    const epoch = this.#epoch;
    const release = ({ connection, isReusable }: Opened) => {
      if (isReusable && epoch === this.#epoch) this.#release(connection);
      else void connection.close().catch(() => undefined);
    };
    let opened: Opened | undefined;
    try {
      const idle = this.#takeIdle();
      opened = idle === undefined ? await this.#open() : { connection: idle, isReusable: true };
      const result = await task(opened.connection);
      release(opened);
      return result;
    } catch (error) {
      // Unless the server itself said no, it is unknown what state the connection is in. A connection that was opened while the
      // database was read-only may stay so, and one that has lost a worker belongs to an earlier generation.
      const isIntact =
        error instanceof pg.DatabaseError && !isConnectionLost(error) && !isReadOnly(error) && !isWorkerLost(error);
      if (opened !== undefined) release({ ...opened, isReusable: opened.isReusable && isIntact });
      throw error;
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#used -= 1;
      else next();
    }
  }

  /** Connections in use are closed when their task is done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.renew();
  }

  /** Later tasks get new connections. */
  async renew(): Promise<void> {
    this.#epoch += 1;
    await Promise.all(this.#idle.splice(0).map((connection) => connection.close()));
  }

  #takeIdle(): Connection | undefined {
    let connection = this.#idle.pop();
    while (connection?.isLost) connection = this.#idle.pop();
    return connection;
  }

  #release(connection: Connection): void {
    if (this.#isClosed) void connection.close().catch(() => undefined);
    else this.#idle.push(connection);
  }
}
