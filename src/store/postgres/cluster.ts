/** The servers of a database address, and the connections to the one that takes writes. */

import { StoreUnavailable } from '../store-error.ts';
import { isConnectionLost, translated } from './errors.ts';
import { Lane } from './lane.ts';
import { Patience, within } from './patience.ts';
import { type Host, LOCK_TIMEOUT, makePool, type PoolOptions, type Session } from './pool.ts';
import { Readers } from './readers.ts';
import type { PostgresUrl } from './url.ts';

/** The server that takes writes, and the connections that read. */
export interface Server {
  readonly host: Host;
  /**
   * One connection for what is answered at once. What arrives together goes down it together: it takes one system call and
   * wakes one process over there, which cost more than the statements do.
   */
  readonly short: Readers;
  /** The others, for what takes long. Where there are none, the same. */
  readonly long: Readers;
}

export class Cluster {
  readonly #url: PostgresUrl;
  readonly #options: PoolOptions;
  /** What a statement may take, in seconds: it is ended by the server first, unless others on its connection took long. */
  readonly #longest: number;
  readonly #patience: Patience;
  #server: Promise<Server> | undefined;
  #epoch = 0;

  constructor(url: PostgresUrl, options: PoolOptions) {
    this.#url = url;
    this.#options = options;
    this.#longest = options.statementTimeout + url.connectTimeout + LOCK_TIMEOUT / 1_000;
    this.#patience = new Patience(this.#readingTime);
  }

  /** Which search for the server it was that found the one in use. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Connects where nothing is. Whoever asks meanwhile waits for the same attempt. */
  server(): Promise<Server> {
    this.#server ??= this.#connect().catch((error: unknown) => {
      this.#server = undefined;
      throw error;
    });
    return this.#server;
  }

  /** A connection of its own. Whoever asked for it closes it. */
  async lane(): Promise<Lane> {
    const { host } = await this.server();
    const options = { ...this.#options, poolSize: 1 };
    const opened = Lane.open((onClose) => makePool(host, this.#url, options, 'lane', onClose));
    try {
      return await this.soon(opened);
    } catch (error) {
      // It may still be opened, when nobody waits for it any more.
      opened.then(
        (lane) => lane.close(),
        () => undefined,
      );
      throw error;
    }
  }

  /** To be told of every error: where the connection was lost, the servers are looked through again. */
  failed(server: Server, error: unknown): void {
    if (isConnectionLost(error)) this.#forget(server);
  }

  async laneFailed(error: unknown): Promise<void> {
    if (!isConnectionLost(error)) return;
    const server = await this.#server?.catch(() => undefined);
    if (server !== undefined) this.#forget(server);
  }

  /** A server that vanished without a word never answers, and never says so: this gives up on it in the end. */
  inTime<Result>(answer: Promise<Result>): Promise<Result> {
    return this.#patience.with(answer);
  }

  /** The answer, where it comes in the time that connecting may take. */
  soon<Result>(answer: Promise<Result>): Promise<Result> {
    return within(this.#url.connectTimeout, answer);
  }

  async close(): Promise<void> {
    const server = await this.#server?.catch(() => undefined);
    if (server !== undefined) await end(server, 5);
  }

  /** What is under way on other connections may come to its end. */
  #forget(server: Server): void {
    const current = this.#server;
    const forget = (found: Server) => {
      if (found !== server || this.#server !== current) return;
      this.#server = undefined;
      void end(server, this.#longest);
    };
    // An attempt to connect that failed is forgotten already.
    current?.then(forget, () => undefined);
  }

  /** All hosts are asked at once, and the first that takes writes is taken. */
  async #connect(): Promise<Server> {
    this.#epoch += 1;
    const servers = this.#url.hosts.map((host) => this.#serverAt(host));
    const attempts = servers.map(async (server) => {
      const { cells } = await this.soon(server.short.query('SHOW transaction_read_only'));
      if (Buffer.from(cells[0]?.[0] ?? []).toString() !== 'off')
        throw new StoreUnavailable('unreachable', 'PostgreSQL takes no writes: the server is a standby');
      return server;
    });
    const writable = await Promise.any(attempts).catch(() => undefined);
    for (const server of servers) if (server !== writable) void end(server, 0);
    if (writable !== undefined) return writable;
    const [failure] = await Promise.allSettled(attempts);
    throw translated(failure?.status === 'rejected' ? failure.reason : new Error('no host is named'));
  }

  /** In seconds. */
  get #readingTime(): number {
    return this.#options.statementTimeout === 0 ? Number.POSITIVE_INFINITY : this.#longest;
  }

  #serverAt(host: Host): Server {
    const readers = (poolSize: number, session: Session) => {
      const options = { ...this.#options, poolSize };
      // A connection that closes by itself may mean that another server takes the writes by now.
      const pool = makePool(host, this.#url, options, session, () => this.#forget(server));
      return new Readers(pool, this.#readingTime);
    };
    const { poolSize } = this.#options;
    const short = readers(1, 'short');
    const server: Server = { host, short, long: poolSize === 1 ? short : readers(poolSize - 1, 'long') };
    return server;
  }
}

async function end({ short, long }: Server, timeout: number): Promise<void> {
  await Promise.all([short.end(timeout), long.end(timeout)]);
}
