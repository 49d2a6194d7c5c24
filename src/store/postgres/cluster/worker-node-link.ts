/**
 * Connections straight to a worker node. They are opened in the background, and only used while they are open: a worker node that cannot be reached from here,
 * or whose certificate is not accepted, delays nobody. What an address leads to from here has to be the server that the node reaches there.
 */

import { type Clock, systemClock } from '../../../schedule/clock.ts';
import type { PoolStats } from '../../stats.ts';
import { StoreUnavailable } from '../../store-error.ts';
import { isConnectionLost } from '../errors.ts';
import { Server, type ServerOptions } from '../server.ts';
import type { ServerSource } from '../server-source.ts';
import type { Host } from '../url.ts';
import { DIRECT } from './topology.ts';

/** How long to wait after an attempt to connect failed, in milliseconds. */
const RETRY_PAUSE = 10_000;

export interface WorkerNodeLinkOptions extends Omit<ServerOptions, 'topology' | 'onLost'> {
  /** The identity of the server that the node reaches at the address. */
  expectedIdentity(): Promise<string>;
  /** Called when connecting fails for another reason than before. */
  onUnusable?(reason: string): void;
}

export class WorkerNodeLink implements ServerSource {
  readonly topology = DIRECT;
  readonly #host: Host;
  readonly #options: WorkerNodeLinkOptions;
  readonly #clock: Clock;
  #server: Server | undefined;
  #connects = 0;
  #isConnecting = false;
  #isClosed = false;
  #retryAt = Number.NEGATIVE_INFINITY;
  #reason: string | undefined;

  constructor(host: Host, options: WorkerNodeLinkOptions) {
    this.#host = host;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Whether it can be used now. Otherwise, connections are opened in the background. */
  isReady(): boolean {
    if (this.#server !== undefined) return true;
    if (!this.#isConnecting && !this.#isClosed && this.#clock.monotonic() >= this.#retryAt) void this.#connect();
    return false;
  }

  async run<Result>(task: (server: Server) => Promise<Result>): Promise<Result> {
    const server = this.#server;
    if (server === undefined)
      throw new StoreUnavailable('partly unreachable', 'there is no connection to the worker node');
    try {
      return await task(server);
    } catch (error) {
      if (isConnectionLost(error)) this.#forget(server);
      throw this.topology.translateError(error);
    }
  }

  get connects(): number {
    return this.#connects;
  }

  get pools(): Readonly<Record<string, PoolStats>> {
    return this.#server === undefined ? {} : { slow: this.#server.slow.stats, write: this.#server.write.stats };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const server = this.#server;
    this.#server = undefined;
    await server?.close();
  }

  async #connect(): Promise<void> {
    this.#isConnecting = true;
    const server: Server = new Server(this.#host, {
      ...this.#options,
      topology: this.topology,
      onLost: () => this.#forget(server),
    });
    try {
      const { state, identity } = await server.inspect();
      if (state === 'standby' || identity !== (await this.#options.expectedIdentity()))
        throw new StoreUnavailable('unreachable', 'the address leads to another server than from the node');
      // Connects now, so that the first request does not have to wait.
      await server.fast.next();
      if (this.#isClosed) throw new StoreUnavailable('unreachable', 'it was closed meanwhile');
      this.#server = server;
      this.#connects += 1;
      this.#reason = undefined;
    } catch (error) {
      void server.close();
      const translated = this.topology.translateError(error);
      const reason = translated instanceof Error ? translated.message : String(translated);
      if (!this.#isClosed && reason !== this.#reason) this.#options.onUnusable?.(reason);
      this.#reason = reason;
      this.#retryAt = this.#clock.monotonic() + RETRY_PAUSE;
    } finally {
      this.#isConnecting = false;
    }
  }

  #forget(server: Server): void {
    if (server !== this.#server) return;
    this.#server = undefined;
    void server.close();
  }
}
