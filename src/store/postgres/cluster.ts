/** The servers of a database address, and the pool of connections to the one that takes writes. */

import { StoreUnavailable } from '../store-error.ts';
import { isConnectionLost, translated } from './errors.ts';
import { Lane } from './lane.ts';
import { type Host, LOCK_TIMEOUT, makePool, type Pool, type PoolOptions } from './pool.ts';
import type { PostgresUrl } from './url.ts';

/** The server that takes writes, and the pool of connections to it. */
interface Server {
  readonly host: Host;
  readonly pool: Pool;
}

export class Cluster {
  readonly #url: PostgresUrl;
  readonly #options: PoolOptions;
  #server: Promise<Server> | undefined;
  #epoch = 0;

  constructor(url: PostgresUrl, options: PoolOptions) {
    this.#url = url;
    this.#options = options;
  }

  /** Which search for the server it was that found the one in use. */
  get epoch(): number {
    return this.#epoch;
  }

  async pool(): Promise<Pool> {
    return (await this.#connected()).pool;
  }

  /** A connection of its own. Whoever asked for it closes it. */
  async lane(): Promise<Lane> {
    const { host } = await this.#connected();
    const options = { ...this.#options, poolSize: 1 };
    const opened = Lane.open((onClose) => makePool(host, this.#url, options, onClose));
    try {
      return await this.#withinConnectTimeout(opened);
    } catch (error) {
      // It may still be opened, when nobody waits for it any more.
      opened.then(
        (lane) => lane.close(),
        () => undefined,
      );
      throw error;
    }
  }

  /** Throws where the server does not answer in the time that connecting may take. */
  async check(): Promise<void> {
    const pool = await this.pool();
    try {
      await this.#withinConnectTimeout(pool.unsafe('SELECT 1'));
    } catch (error) {
      this.failed(pool, error);
      throw translated(error);
    }
  }

  /** To be told of every error: where the connection was lost, the servers are looked through again. */
  failed(pool: Pool, error: unknown): void {
    if (isConnectionLost(error)) this.#forget(pool);
  }

  async laneFailed(error: unknown): Promise<void> {
    if (!isConnectionLost(error)) return;
    const server = await this.#server?.catch(() => undefined);
    if (server !== undefined) this.#forget(server.pool);
  }

  /** A server that vanished without a word never answers, and never says so: this gives up on it in the end. */
  async inTime<Result>(answer: Promise<Result>): Promise<Result> {
    const { statementTimeout } = this.#options;
    return statementTimeout === 0 ? answer : within(this.#patience, answer);
  }

  async close(): Promise<void> {
    const server = await this.#server?.catch(() => undefined);
    await server?.pool.end({ timeout: 5 });
  }

  /** In seconds: a statement is ended by the server first. */
  get #patience(): number {
    return this.#options.statementTimeout + this.#url.connectTimeout + LOCK_TIMEOUT / 1_000;
  }

  /** Connects where nothing is. Whoever asks meanwhile waits for the same attempt. */
  #connected(): Promise<Server> {
    this.#server ??= this.#connect().catch((error: unknown) => {
      this.#server = undefined;
      throw error;
    });
    return this.#server;
  }

  /** What is under way on other connections of the pool may come to its end. */
  #forget(pool: Pool): void {
    const current = this.#server;
    const forget = (server: Server) => {
      if (server.pool !== pool || this.#server !== current) return;
      this.#server = undefined;
      void pool.end({ timeout: this.#patience });
    };
    // An attempt to connect that failed is forgotten already.
    current?.then(forget, () => undefined);
  }

  /** All hosts are asked at once, and the first that takes writes is taken. */
  async #connect(): Promise<Server> {
    this.#epoch += 1;
    const servers = this.#url.hosts.map((host): Server => {
      // A connection that closes by itself may mean that another server takes the writes by now.
      const pool: Pool = makePool(host, this.#url, this.#options, () => this.#forget(pool));
      return { host, pool };
    });
    const attempts = servers.map(async (server) => {
      const [state] = await this.#withinConnectTimeout(server.pool.unsafe('SHOW transaction_read_only'));
      if (state?.['transaction_read_only'] !== 'off')
        throw new StoreUnavailable('unreachable', 'PostgreSQL takes no writes: the server is a standby');
      return server;
    });
    const writable = await Promise.any(attempts).catch(() => undefined);
    for (const server of servers) if (server !== writable) void server.pool.end({ timeout: 0 });
    if (writable !== undefined) return writable;
    const [failure] = await Promise.allSettled(attempts);
    throw translated(failure?.status === 'rejected' ? failure.reason : new Error('no host is named'));
  }

  #withinConnectTimeout<Result>(answer: Promise<Result>): Promise<Result> {
    return within(this.#url.connectTimeout, answer);
  }
}

/** In seconds. */
async function within<Result>(time: number, answer: Promise<Result>): Promise<Result> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })),
    time * 1_000,
  );
  return Promise.race([answer, timeout]).finally(() => clearTimeout(timer));
}
