/** Connections of one kind to one server, each used for one task at a time. */

import pg from 'pg';
import type { PoolStats } from '../stats.ts';
import type { Connection } from './connection.ts';
import { isConnectionLost, isReadOnly } from './errors.ts';

export class ConnectionPool {
  readonly #max: number;
  readonly #open: () => Promise<Connection>;
  readonly #idle: Connection[] = [];
  /** Tasks that wait for a connection, in order. */
  readonly #waiting: (() => void)[] = [];
  #used = 0;
  #isClosed = false;

  constructor(max: number, open: () => Promise<Connection>) {
    this.#max = max;
    this.#open = open;
  }

  get stats(): PoolStats {
    return { max: this.#max, used: this.#used, idle: this.#idle.length, waiting: this.#waiting.length };
  }

  async use<Result>(task: (connection: Connection) => Promise<Result>): Promise<Result> {
    if (this.#used === this.#max) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#used += 1;
    let connection: Connection | undefined;
    try {
      connection = this.#takeIdle() ?? (await this.#open());
      const result = await task(connection);
      this.#release(connection);
      return result;
    } catch (error) {
      // Unless the server itself said no, it is unknown what state the connection is in. A connection that was opened while the
      // database was read-only may stay so.
      const isReusable = error instanceof pg.DatabaseError && !isConnectionLost(error) && !isReadOnly(error);
      if (connection !== undefined && isReusable) this.#release(connection);
      else void connection?.close().catch(() => undefined);
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
