/** The connections to one PostgreSQL server. */

import { randomInt } from 'node:crypto';
import type { Generation } from '../engine/engine.ts';
import { beginClusterGeneration, beginClusterGenerationIfNew } from './cluster/generation.ts';
import { clusterBegin } from './cluster/node.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { ConnectionPool } from './connection-pool.ts';
import { type ConnectionProfile, WRITE_LOCK_TIMEOUT } from './connection-profiles.ts';
import { beginGeneration, beginGenerationIfNew } from './generation.ts';
import { SharedConnections } from './shared-connections.ts';
import type { Host } from './url.ts';

/** The most connections that write. They are few, so that writes waiting for a lock do not exhaust the server. */
const MAX_WRITERS = 4;

/** How many connections share the small statements for a worker of a cluster. On each, a statement waits until the worker has responded to the one before. */
const SHARED_FOR_WORKER = 4;

export interface ServerOptions extends ConnectionOptions {
  /** The most connections for slow reads. */
  readonly poolSize: number;
}

export class Server {
  readonly #host: Host;
  readonly #options: ServerOptions;
  readonly reserved: SharedConnections;
  readonly fast: SharedConnections;
  readonly slow: ConnectionPool;
  readonly write: ConnectionPool;

  constructor(host: Host, options: ServerOptions) {
    this.#host = host;
    this.#options = options;
    const count = options.node?.worker === undefined ? 1 : SHARED_FOR_WORKER;
    this.reserved = new SharedConnections(count, () => this.open('reserved'));
    this.fast = new SharedConnections(count, () => this.open('fast'));
    this.slow = new ConnectionPool(options.poolSize, () => this.open('slow'));
    this.write = new ConnectionPool(MAX_WRITERS, () => this.openWriter());
  }

  /** The statements that begin a transaction that writes. A single statement is a transaction by itself, unless it needs these settings. */
  get begin(): { readonly texts: readonly string[]; readonly isAlwaysNeeded: boolean } {
    return this.#options.node === undefined
      ? { texts: ['BEGIN'], isAlwaysNeeded: false }
      : { texts: clusterBegin(WRITE_LOCK_TIMEOUT), isAlwaysNeeded: true };
  }

  /** A connection of its own. The caller has to close it. */
  open(profile: ConnectionProfile): Promise<Connection> {
    return Connection.open(this.#host, profile, this.#options);
  }

  /** A connection that writes. What it writes belongs to a generation that this server began. */
  async openWriter(): Promise<Connection> {
    const { node } = this.#options;
    const connection = await this.open('write');
    try {
      const id = newGenerationId();
      if (node === undefined) await beginGenerationIfNew(connection, id);
      else await beginClusterGenerationIfNew(connection, node.worker, id);
      return connection;
    } catch (error) {
      void connection.close().catch(() => undefined);
      throw error;
    }
  }

  /** Begins one even if this server has begun one before. */
  async beginGeneration(): Promise<Generation> {
    const begin = this.#options.node === undefined ? beginGeneration : beginClusterGeneration;
    const connection = await this.open('write');
    return begin(connection, newGenerationId()).finally(() => connection.close());
  }

  /** Pending statements finish first. */
  async close(): Promise<void> {
    await Promise.all([this.reserved, this.fast, this.slow, this.write].map((connections) => connections.close()));
  }
}

function newGenerationId(): number {
  return randomInt(2 ** 48 - 1);
}
