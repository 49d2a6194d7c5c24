/** The connections to one PostgreSQL server. */

import { randomInt } from 'node:crypto';
import type { Generation } from '../engine/engine.ts';
import { clusterBegin, clusterRole, clusterSettings, type NodeRole } from './cluster.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { ConnectionPool, type Opened } from './connection-pool.ts';
import { type ConnectionProfile, WRITE_LOCK_TIMEOUT } from './connection-profiles.ts';
import { beginGeneration, beginGenerationIfNew } from './generation.ts';
import type { Host } from './url.ts';

/** The most connections that write. They are few, so that writes waiting for a lock do not exhaust the server. */
const MAX_WRITERS = 4;

/** How often connections that write are opened anew while a worker is lost, in milliseconds. */
const RENEWAL_INTERVAL = 1_000;

type SharedProfile = Extract<ConnectionProfile, 'reserved' | 'fast'>;

export interface ServerOptions extends ConnectionOptions {
  /** The most connections for slow reads. */
  readonly poolSize: number;
}

export class Server {
  readonly #host: Host;
  readonly #options: ServerOptions;
  readonly slow: ConnectionPool;
  readonly write: ConnectionPool;
  /** Asks for the state of a cluster. Nothing else waits for it. */
  readonly probe: ConnectionPool;
  #lastRenewal = Number.NEGATIVE_INFINITY;
  #role: NodeRole = 'single';
  readonly #shared = new Map<SharedProfile, Promise<Connection>>();

  constructor(host: Host, options: ServerOptions) {
    this.#host = host;
    this.#options = options;
    const opened = async (profile: ConnectionProfile) => ({ connection: await this.open(profile), isReusable: true });
    this.slow = new ConnectionPool(options.poolSize, () => opened('slow'));
    this.probe = new ConnectionPool(1, () => opened('reserved'));
    this.write = new ConnectionPool(MAX_WRITERS, () => this.openWriter());
  }

  get role(): NodeRole {
    return this.#role;
  }

  /** The statements that begin a transaction that writes. A single statement is a transaction by itself, unless it needs these settings. */
  get begin(): { readonly texts: readonly string[]; readonly isAlwaysNeeded: boolean } {
    return this.#role === 'single'
      ? { texts: ['BEGIN'], isAlwaysNeeded: false }
      : { texts: clusterBegin(WRITE_LOCK_TIMEOUT), isAlwaysNeeded: true };
  }

  /** The server is a node of a cluster. `connection` was opened before this was known. */
  async joinCluster(connection: Connection): Promise<void> {
    await connection.query(clusterSettings('reserved'));
    this.#role = await clusterRole(connection);
  }

  /** All connections that write are opened anew, which begins a generation if the worker was replaced. Requests that fail report it again and again. */
  workerLost(): void {
    if (performance.now() - this.#lastRenewal < RENEWAL_INTERVAL) return;
    this.#lastRenewal = performance.now();
    void this.write.renew().catch(() => undefined);
  }

  /** Shared by everything that is small: statements are sent together, which costs one system call on either side. */
  shared(profile: SharedProfile): Promise<Connection> {
    const opened = this.#shared.get(profile);
    if (opened !== undefined) return opened;
    const opening = this.open(profile);
    this.#shared.set(profile, opening);
    opening.catch(() => this.#shared.delete(profile));
    return opening;
  }

  /** A connection of its own. The caller has to close it. */
  async open(profile: ConnectionProfile): Promise<Connection> {
    const connection = await Connection.open(this.#host, profile, this.#options);
    if (this.#role === 'single') return connection;
    return closedOnError(connection, async () => {
      await connection.query(clusterSettings(profile));
      return connection;
    });
  }

  /**
   * A connection that writes. What it writes belongs to a generation that this server began. It is not used again if a node of the cluster could
   * not be reached: when that is back, it may have lost writes.
   */
  async openWriter(): Promise<Opened> {
    const connection = await this.open('write');
    return closedOnError(connection, async () => {
      const isReusable = await beginGenerationIfNew(connection, this.#role, randomInt(2 ** 48 - 1));
      return { connection, isReusable };
    });
  }

  /** Begins one even if this server has begun one before. */
  async beginGeneration(): Promise<Generation> {
    const connection = await this.open('write');
    return beginGeneration(connection, this.#role, randomInt(2 ** 48 - 1)).finally(() => connection.close());
  }

  /** Pending statements finish first. */
  async close(): Promise<void> {
    const shared = [...this.#shared.values()].map((opened) =>
      opened.then((connection) => connection.close()).catch(() => undefined),
    );
    await Promise.all([...shared, this.slow.close(), this.write.close(), this.probe.close()]);
  }
}

async function closedOnError<Result>(connection: Connection, body: () => Promise<Result>): Promise<Result> {
  try {
    return await body();
  } catch (error) {
    void connection.close().catch(() => undefined);
    throw error;
  }
}
