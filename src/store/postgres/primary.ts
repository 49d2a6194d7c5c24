/**
 * Finds the server that accepts writes among the hosts of a URL, and finds it again after a failover. If two of them accept writes, and are not the same
 * server, none is used.
 */

import { type CancelTimer, type Clock, systemClock } from '../../schedule/clock.ts';
import { OwnAgreement, type ServerAgreement } from '../server-agreement.ts';
import type { PoolStats } from '../stats.ts';
import { StoreUnavailable } from '../store-error.ts';
import { isConnectionLost, isReadOnly, TwoHistories } from './errors.ts';
import { Server, type ServerOptions } from './server.ts';
import type { ServerSource } from './server-source.ts';
import type { Topology } from './topology.ts';
import { addressOf, type Host, type PostgresUrl } from './url.ts';

/** How long nobody connects after a part of the database could not be reached, or two servers accepted writes, in milliseconds. */
const RETRY_PAUSE = 1_000;

/** How long to wait for the other hosts once one accepts writes, in milliseconds. What they say later still counts. */
const OTHERS_WAIT = 1_000;

/** How often the other hosts are inspected while one is used, in milliseconds. */
const WATCH_INTERVAL = 10_000;

export interface PrimaryOptions extends Omit<ServerOptions, 'url' | 'topology' | 'onLost'> {
  /** Shared by everything that has to use the same server; by default, nothing else does. */
  readonly agreement?: ServerAgreement | undefined;
}

export class Primary implements ServerSource {
  readonly #url: PostgresUrl;
  readonly topology: Topology;
  readonly #options: PrimaryOptions;
  readonly #clock: Clock;
  readonly #agreement: ServerAgreement;
  readonly #holder = { verify: () => this.#verify() };
  #server: Promise<Server> | undefined;
  #connects = 0;
  /** The last one that was found. */
  #found: Server | undefined;
  /** The one that is used now. */
  #used: Server | undefined;
  #endWatch: CancelTimer | undefined;

  constructor(url: PostgresUrl, topology: Topology, options: PrimaryOptions) {
    this.#url = url;
    this.topology = topology;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#agreement = options.agreement ?? new OwnAgreement();
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
      if (isConnectionLost(error) || isReplaced || this.topology.isDataLost(error)) this.#forget(server);
      throw this.topology.translateError(error);
    }
  }

  /** How often a server was found. */
  get connects(): number {
    return this.#connects;
  }

  get pools(): Readonly<Record<string, PoolStats>> {
    return this.#found === undefined ? {} : { slow: this.#found.slow.stats, write: this.#found.write.stats };
  }

  async close(): Promise<void> {
    const server = await this.#server?.catch(() => undefined);
    this.#letGo();
    await server?.close();
  }

  /** Connects if necessary. Concurrent callers share the attempt. */
  #current(): Promise<Server> {
    if (this.#server !== undefined) return this.#server;
    const connecting = this.#connect();
    this.#server = connecting;
    connecting.catch(async (error: unknown) => {
      // Meanwhile, every request would connect to all hosts again and again.
      const isPartLost = error instanceof StoreUnavailable && error.reason === 'partly unreachable';
      if (isPartLost || error instanceof TwoHistories) await this.#passed(RETRY_PAUSE);
      this.#server = undefined;
    });
    return connecting;
  }

  #forget(server: Server): void {
    if (server !== this.#used) return;
    this.#server = undefined;
    this.#letGo();
    void server.close();
  }

  #letGo(): void {
    this.#endWatch?.();
    this.#used = undefined;
    this.#agreement.release(this.#holder);
  }

  /** Connects to all hosts in parallel, and chooses the first that can be used, unless another accepts writes as well. */
  async #connect(): Promise<Server> {
    const servers = this.#url.hosts.map((host) => {
      // A connection that closes by itself may mean that another server is the primary now.
      const server: Server = this.#newServer(host, () => this.#forget(server));
      return server;
    });
    const attempts = servers.map((server) => this.#requireUsable(server));
    const chosen = await Promise.any(attempts).catch(() => undefined);
    if (chosen === undefined) {
      for (const server of servers) void server.close();
      const [failure] = await Promise.allSettled(attempts);
      throw this.topology.translateError(
        failure?.status === 'rejected' ? failure.reason : new Error('the URL has no host'),
      );
    }
    try {
      await this.#requireOnly(chosen, servers, attempts);
      const used = await this.#agreement.claim(this.#holder, chosen.found);
      if (used !== undefined) throw new TwoHistories(used, chosen.found);
    } catch (error) {
      void chosen.close();
      throw error;
    }
    this.#connects += 1;
    this.#found = chosen;
    this.#used = chosen;
    if (servers.length > 1) this.#endWatch = this.#clock.every(WATCH_INTERVAL, () => void this.#lookAtOthers(chosen));
    return chosen;
  }

  #newServer(host: Host, onLost: () => void): Server {
    return new Server(host, { ...this.#options, url: this.#url, topology: this.topology, onLost });
  }

  /** Throws if another server accepts writes. One that takes long to say so is noticed later. */
  async #requireOnly(chosen: Server, servers: readonly Server[], attempts: readonly Promise<Server>[]): Promise<void> {
    let conflict: TwoHistories | undefined;
    const compared = attempts.map(async (attempt, place) => {
      const other = await attempt.catch(() => undefined);
      if (other === chosen) return;
      void servers[place]?.close();
      if (other === undefined || other.found.identity === chosen.found.identity) return;
      conflict = new TwoHistories(chosen.found, other.found);
      this.#forget(chosen);
    });
    await Promise.race([Promise.all(compared), this.#passed(OTHERS_WAIT)]);
    if (conflict !== undefined) throw conflict;
  }

  /** If another server accepts writes, the next task finds both. */
  async #lookAtOthers(used: Server): Promise<void> {
    const others = this.#url.hosts.filter((host) => addressOf(host) !== used.found.address);
    await Promise.all(
      others.map(async (host) => {
        const other = this.#newServer(host, () => {});
        const found = await this.#requireUsable(other).catch(() => undefined);
        void other.close();
        if (found !== undefined && found.found.identity !== used.found.identity) this.#forget(used);
      }),
    );
  }

  /** Another process of the node has found another server. */
  async #verify(): Promise<void> {
    const used = this.#used;
    if (used !== undefined) await this.#requireUsable(used).catch(() => this.#forget(used));
  }

  /**
   * A single host may be read-only, as managed servers are when their disk is full: what it has is current. One of several may have been replaced by
   * another.
   */
  async #requireUsable(server: Server): Promise<Server> {
    const { state } = await this.#soon(server.inspect());
    // If the data is lost, everybody who waits for the connection is told at once.
    await this.#soon(this.topology.requireData(await server.reserved.next()));
    if (state === 'writable' || (state === 'read-only' && this.#url.hosts.length === 1)) return server;
    throw new StoreUnavailable(
      'unreachable',
      `PostgreSQL does not accept writes: the server is ${state === 'standby' ? 'a standby' : 'read-only'}`,
    );
  }

  /** Nobody waits for it who would keep the process alive. */
  #passed(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.#clock.after(milliseconds, resolve));
  }

  /** The result, unless it takes longer than connecting may. */
  async #soon<Result>(result: Promise<Result>): Promise<Result> {
    const { promise: timeout, reject } = Promise.withResolvers<never>();
    const cancelTimer = this.#clock.after(this.#url.connectTimeout * 1_000, () =>
      reject(new StoreUnavailable('unreachable', 'PostgreSQL does not respond')),
    );
    return Promise.race([result, timeout]).finally(cancelTimer);
  }
}
