/** Finds the server that accepts writes among the hosts of a URL, and finds it again after a failover. */

import { setTimeout } from 'node:timers/promises';
import type { PoolNumbers } from '../numbers.ts';
import { StoreUnavailable, UnusableDatabase } from '../store-error.ts';
import type { ClusterNode } from './cluster/node.ts';
import { requireWorker } from './cluster/workers.ts';
import {
  isConnectionLost,
  isReadOnly,
  isUnplannable,
  isWorkerLost,
  ServerSilent,
  translateError,
  workerUnavailable,
} from './errors.ts';
import { Server, type ServerOptions } from './server.ts';
import type { PostgresUrl } from './url.ts';

/** How long nobody connects after a worker could not be reached, in milliseconds. */
const RETRY_PAUSE = 1_000;

const DISTRIBUTED_MEANWHILE =
  'The tables were distributed with Citus while this process was running. Restart it to use the cluster.';

export type PrimaryOptions = Omit<ServerOptions, 'url' | 'onLost'>;

export class Primary {
  readonly #url: PostgresUrl;
  readonly #options: PrimaryOptions;
  #server: Promise<Server> | undefined;
  #connects = 0;
  /** The last one that was found. */
  #found: Server | undefined;

  constructor(url: PostgresUrl, options: PrimaryOptions) {
    this.#url = url;
    this.#options = options;
  }

  /** Undefined if the server is the whole database. */
  get node(): ClusterNode | undefined {
    return this.#options.node;
  }

  /**
   * Runs a task on the primary. If the connection is lost, or another host may have become the primary, the next task looks for
   * it again.
   */
  async run<Result>(task: (server: Server) => Promise<Result>): Promise<Result> {
    const server = await this.#current();
    try {
      return await task(server);
    } catch (error) {
      const isReplaced = isReadOnly(error) && this.#url.hosts.length > 1;
      // Connections for the accounts of one worker are of no use without it, and one that replaces it may lack writes.
      const hasLostWorker =
        this.#options.node?.worker !== undefined && (isWorkerLost(error) || error instanceof ServerSilent);
      if (isConnectionLost(error) || isReplaced || hasLostWorker) this.#forget(server);
      if (this.#options.node === undefined && isUnplannable(error)) throw new UnusableDatabase(DISTRIBUTED_MEANWHILE);
      throw hasLostWorker ? workerUnavailable(error) : translateError(error);
    }
  }

  /** How often a server was found. */
  get connects(): number {
    return this.#connects;
  }

  get pools(): Readonly<Record<string, PoolNumbers>> {
    return this.#found === undefined ? {} : { slow: this.#found.slow.numbers, write: this.#found.write.numbers };
  }

  async close(): Promise<void> {
    const server = await this.#server?.catch(() => undefined);
    await server?.close();
  }

  /** Connects if necessary. Concurrent callers share the attempt. */
  #current(): Promise<Server> {
    if (this.#server !== undefined) return this.#server;
    const connecting = this.#connect();
    this.#server = connecting;
    connecting.catch(async (error: unknown) => {
      // While a worker is lost, requests of all its accounts would connect to the node again and again.
      const isWorkerMissing = error instanceof StoreUnavailable && error.reason === 'partly unreachable';
      if (isWorkerMissing) await setTimeout(RETRY_PAUSE, undefined, { ref: false });
      this.#server = undefined;
    });
    return connecting;
  }

  #forget(server: Server): void {
    const current = this.#server;
    current?.then(
      (found) => {
        if (found !== server || this.#server !== current) return;
        this.#server = undefined;
        void server.close();
      },
      // A failed attempt is forgotten already.
      () => undefined,
    );
  }

  /**
   * Connects to all hosts in parallel, and chooses the first that accepts writes. A single host may be read-only, as managed servers are when
   * their disk is full: what it has is current. One of several may have been replaced by another.
   */
  async #connect(): Promise<Server> {
    const servers = this.#url.hosts.map((host) => {
      // A connection that closes by itself may mean that another server is the primary now.
      const server: Server = new Server(host, { ...this.#options, url: this.#url, onLost: () => this.#forget(server) });
      return server;
    });
    const attempts = servers.map(async (server) => {
      const state = await this.#state(server);
      if (state === 'standby' || (state === 'read-only' && servers.length > 1))
        throw new StoreUnavailable(
          'unreachable',
          `PostgreSQL does not accept writes: the server is ${state === 'standby' ? 'a standby' : 'read-only'}`,
        );
      return server;
    });
    const writable = await Promise.any(attempts).catch(() => undefined);
    for (const server of servers) if (server !== writable) void server.close();
    if (writable !== undefined) {
      this.#connects += 1;
      this.#found = writable;
      return writable;
    }
    const [failure] = await Promise.allSettled(attempts);
    throw translateError(failure?.status === 'rejected' ? failure.reason : new Error('the URL has no host'));
  }

  async #state(server: Server): Promise<'standby' | 'read-only' | 'writable'> {
    const connection = await server.reserved.next();
    const text = "SELECT pg_is_in_recovery()::text AS recovery, current_setting('transaction_read_only') AS read_only";
    const [row] = await this.#soon(connection.query(text));
    const worker = this.#options.node?.worker;
    // If it is lost, everybody who waits for the connection learns it at once.
    if (worker !== undefined) await this.#soon(requireWorker(connection, worker));
    if (row?.['recovery'] !== 'false') return 'standby';
    return row['read_only'] === 'off' ? 'writable' : 'read-only';
  }

  /** The result, unless it takes longer than connecting may. */
  async #soon<Result>(result: Promise<Result>): Promise<Result> {
    const { promise: timeout, reject } = Promise.withResolvers<never>();
    const timer = globalThis.setTimeout(
      () => reject(new StoreUnavailable('unreachable', 'PostgreSQL does not respond')),
      this.#url.connectTimeout * 1_000,
    );
    return Promise.race([result, timeout]).finally(() => clearTimeout(timer));
  }
}
