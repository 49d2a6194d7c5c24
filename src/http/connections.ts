/** The open connections of a server: how many there may be, and how they are closed without cutting off a response. */

import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Emit } from '../observe/events.ts';
import { Problem } from '../problem/problem.ts';
import { clientNetwork } from '../request/client-network.ts';
import type { TrustedProxies } from '../request/trusted-proxies.ts';
import type { Clock } from '../schedule/clock.ts';
import { Connection, type Handle, IgnoredRequests } from './connection.ts';
import type { Exchange } from './exchange.ts';
import { malformedProblem } from './malformed.ts';
import { respondRaw } from './raw-response.ts';

/** How long an idle connection stays open once the server stops, in milliseconds: a request may be on its way. */
const LINGER = 500;

/**
 * How long an idle connection stays open, in milliseconds: longer than proxies keep theirs, mostly 60 s, so that none sends a request
 * over a connection that is being closed.
 */
export const KEEP_ALIVE = 75_000;

/** If there are too many connections, those that have been idle for this long make room for others, in milliseconds. */
const KEEP_ALIVE_IF_FULL = 5_000;

/** How long requests that are cancelled because the server stops may take to respond, in milliseconds. */
const CANCEL_TIME = 500;

/** The maximum number of connections that are being refused at the same time, unless the limits say otherwise. Beyond that, they are closed without a response. */
export const MAX_REFUSALS = 100;

/** Refusals are reported at most once in this time, in milliseconds. */
const REPORT_INTERVAL = 60_000;

/** Seconds after which a retry is worthwhile. */
const RETRY_AFTER = 5;

export interface ConnectionLimits {
  readonly total: number;
  /** 0 means unlimited. Trusted proxies are not limited: their connections are those of many clients. */
  readonly perAddress: number;
  /** The maximum number that are being refused at the same time. They come in addition to the total. */
  readonly refusals?: number;
}

export interface ConnectionStats {
  readonly open: number;
  /** Those with a request in progress. */
  readonly busy: number;
  /** Since the start. */
  readonly refused: number;
}

/** The monotonic times since which sockets are idle, the longest idle first. */
type Idle = Map<Socket, number>;

/** The connections from a client network. */
interface Network {
  readonly name: string;
  open: number;
  readonly idle: Idle;
}

interface Open {
  readonly connection: Connection;
  readonly network: Network;
}

export class Connections {
  readonly #listeners: readonly NetServer[];
  readonly #limits: ConnectionLimits & { readonly proxies: TrustedProxies };
  readonly #handle: Handle;
  readonly #emit: Emit;
  readonly #clock: Clock;
  readonly #open = new Map<Socket, Open>();
  readonly #idle: Idle = new Map();
  readonly #networks = new Map<string, Network>();
  readonly #refused = new Set<Socket>();
  #lastReport = Number.NEGATIVE_INFINITY;
  readonly #ignored = new IgnoredRequests();
  #isStopping = false;
  #refusals = 0;

  /** `listeners` accept the connections of the server, which is one of them. */
  constructor(
    server: Server,
    listeners: readonly NetServer[],
    limits: ConnectionLimits & { readonly proxies: TrustedProxies },
    handle: Handle,
    emit: Emit,
    clock: Clock,
  ) {
    this.#listeners = listeners;
    this.#limits = limits;
    this.#handle = handle;
    this.#emit = emit;
    this.#clock = clock;
    server.on('connection', (socket) => this.#accept(socket));
  }

  get stats(): ConnectionStats {
    let busy = 0;
    for (const { connection } of this.#open.values()) if (!connection.isIdle) busy += 1;
    return { open: this.#open.size, busy, refused: this.#refusals };
  }

  take(exchange: Exchange): void {
    this.#open.get(exchange.message.socket)?.connection.take(exchange);
  }

  /** `code` is the code of the error that Node reported for the socket. */
  fail(socket: Socket, code: string | undefined): void {
    const connection = this.#open.get(socket)?.connection;
    // After a reset nobody reads a response.
    if (connection === undefined || code === 'ECONNRESET' || !socket.writable) socket.destroy();
    // Node looks at a request once, and whoever reads the body in pieces from then on.
    else if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && connection.isStreaming) return;
    else connection.fail(malformedProblem(code));
  }

  /**
   * Accepts no new connections, and resolves once every request in progress is answered or the grace period, in
   * milliseconds, is over. Then the remaining requests are cancelled.
   */
  async stop(gracePeriod: number): Promise<void> {
    this.#isStopping = true;
    const closed = Promise.all(this.#listeners.map((listener) => once(listener, 'close')));
    // The HTTP server's own close would end idle connections at once, with any request on its way.
    for (const listener of this.#listeners) NetServer.prototype.close.call(listener);
    for (const { connection } of this.#open.values()) connection.stop();
    await this.#closedWithin(LINGER, closed);
    for (const [socket, { connection }] of this.#open) if (connection.isIdle) socket.destroy();
    for (const socket of this.#refused) socket.destroy();
    await this.#closedWithin(gracePeriod, closed);
    for (const { connection } of this.#open.values()) connection.cancel('stopping');
    await this.#closedWithin(CANCEL_TIME, closed);
    for (const socket of this.#open.keys()) socket.destroy();
  }

  /** Resolves once all are closed, or after this many milliseconds. While one is open, it keeps the process alive. */
  async #closedWithin(milliseconds: number, closed: Promise<unknown>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancelTimer = this.#clock.after(milliseconds, resolve);
    await Promise.race([closed, promise]);
    cancelTimer();
  }

  #accept(socket: Socket): void {
    const address = socket.remoteAddress;
    // The client has left already. What it has sent would be read and handled nevertheless.
    if (address === undefined) {
      socket.destroy();
      return;
    }
    const name = clientNetwork(address);
    const network = this.#networks.get(name) ?? { name, open: 0, idle: new Map() };
    const { total, perAddress, proxies } = this.#limits;
    if (this.#open.size >= total && !this.#closeIdle(this.#idle))
      this.#refuse(socket, `${total} connections are open, which is the limit.`);
    else if (perAddress > 0 && network.open >= perAddress && !proxies.has(address) && !this.#closeIdle(network.idle))
      this.#refuse(socket, `${perAddress} connections are open from this address, which is the limit.`);
    else this.#add(socket, network);
  }

  /** Closes the one that has been idle the longest; false if none has been for long enough. */
  #closeIdle(idle: Idle): boolean {
    const [longest] = idle;
    if (longest === undefined) return false;
    const [socket, since] = longest;
    if (this.#clock.monotonic() - since < KEEP_ALIVE_IF_FULL) return false;
    this.#release(socket);
    socket.destroy();
    return true;
  }

  #add(socket: Socket, network: Network): void {
    const onIdle = (isIdle: boolean) => {
      for (const idle of [this.#idle, network.idle]) {
        if (isIdle) idle.set(socket, this.#clock.monotonic());
        else idle.delete(socket);
      }
    };
    const connection = new Connection(socket, this.#handle, onIdle, this.#ignored, this.#emit, this.#clock);
    if (this.#isStopping) connection.stop();
    this.#open.set(socket, { connection, network });
    this.#networks.set(network.name, network);
    network.open += 1;
    socket.once('close', () => this.#release(socket));
  }

  /** It counts no more. */
  #release(socket: Socket): void {
    const network = this.#open.get(socket)?.network;
    if (network === undefined) return;
    this.#open.delete(socket);
    this.#idle.delete(socket);
    network.idle.delete(socket);
    network.open -= 1;
    if (network.open === 0) this.#networks.delete(network.name);
  }

  #refuse(socket: Socket, detail: string): void {
    this.#refusals += 1;
    const now = this.#clock.monotonic();
    if (now - this.#lastReport >= REPORT_INTERVAL) {
      this.#lastReport = now;
      this.#emit({ kind: 'connection refused', address: socket.remoteAddress ?? '', detail });
    }
    if (this.#refused.size >= (this.#limits.refusals ?? MAX_REFUSALS)) {
      socket.destroy();
      return;
    }
    this.#refused.add(socket);
    socket.once('close', () => this.#refused.delete(socket));
    const headers = { 'retry-after': String(RETRY_AFTER) };
    respondRaw(socket, new Problem('too_many_connections', detail, { headers }), this.#clock);
  }
}
