/** The connections to one PostgreSQL server. */

import { randomInt } from 'node:crypto';
import type { Generation } from '../engine/engine.ts';
import type { FoundServer } from '../server-agreement.ts';
import { textOf } from '../sql/row.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { ConnectionPool } from './connection-pool.ts';
import type { ConnectionProfile } from './connection-profiles.ts';
import { ConnectionLost } from './errors.ts';
import { SERVER_IDENTITY } from './server-identity.ts';
import { SharedConnections } from './shared-connections.ts';
import type { Topology } from './topology.ts';
import { addressOf, type Host } from './url.ts';

/** The maximum number of connections that write. They are few, so that writes waiting for a lock do not exhaust the server. */
export const MAX_WRITERS = 4;

export interface ServerOptions extends ConnectionOptions {
  readonly topology: Topology;
  /** The maximum number of connections for slow reads. */
  readonly poolSize: number;
}

/** Whether it accepts writes. A server that is read-only may have been told to be. */
export type ServerState = 'standby' | 'read-only' | 'writable';

const STATE = `SELECT pg_is_in_recovery()::text AS recovery, current_setting('transaction_read_only') AS read_only,
  CASE WHEN NOT pg_is_in_recovery() THEN ${SERVER_IDENTITY} END AS identity`;

export class Server {
  readonly #host: Host;
  readonly #options: ServerOptions;
  readonly reserved: SharedConnections;
  readonly fast: SharedConnections;
  readonly slow: ConnectionPool;
  readonly write: ConnectionPool;
  #identity: string | undefined;

  constructor(host: Host, options: ServerOptions) {
    this.#host = host;
    this.#options = options;
    const { sharedConnections: count } = options.topology;
    this.reserved = new SharedConnections(count, () => this.open('reserved'));
    this.fast = new SharedConnections(count, () => this.open('fast'));
    this.slow = new ConnectionPool(options.poolSize, () => this.open('slow'));
    this.write = new ConnectionPool(MAX_WRITERS, () => this.openWriter());
  }

  /** What it is now. A standby has no identity. */
  async inspect(): Promise<{ readonly state: ServerState; readonly identity: string }> {
    const connection = await this.reserved.next();
    const [row = {}] = await connection.query(STATE);
    if (textOf(row, 'recovery') !== 'false') return { state: 'standby', identity: '' };
    this.#identity = textOf(row, 'identity');
    return { state: textOf(row, 'read_only') === 'off' ? 'writable' : 'read-only', identity: this.#identity };
  }

  /** Once it was inspected. */
  get found(): FoundServer {
    return { address: addressOf(this.#host), identity: this.#identity ?? '' };
  }

  /** A connection of its own. The caller has to close it. Fails if the address leads to another server than before. */
  async open(profile: ConnectionProfile): Promise<Connection> {
    const connection = await Connection.open(this.#host, profile, this.#options);
    try {
      if (this.#identity !== undefined) await this.#requireSame(connection, this.#identity);
      return connection;
    } catch (error) {
      void connection.close().catch(() => undefined);
      throw error;
    }
  }

  /** A connection that writes. What it writes belongs to a generation that this server began. */
  async openWriter(profile: 'write' | 'load' = 'write'): Promise<Connection> {
    const connection = await this.open(profile);
    try {
      await this.#options.topology.beginGenerationIfNew(connection, newGenerationId());
      return connection;
    } catch (error) {
      void connection.close().catch(() => undefined);
      throw error;
    }
  }

  /** Begins one even if this server has begun one before. */
  async beginGeneration(): Promise<Generation> {
    const connection = await this.open('write');
    return this.#options.topology.beginGeneration(connection, newGenerationId()).finally(() => connection.close());
  }

  async #requireSame(connection: Connection, identity: string): Promise<void> {
    const [row = {}] = await connection.query(STATE);
    if (row['identity'] !== identity) throw new ConnectionLost('the address leads to another server now');
  }

  /** Pending statements finish first. */
  async close(): Promise<void> {
    await Promise.all([this.reserved, this.fast, this.slow, this.write].map((connections) => connections.close()));
  }
}

function newGenerationId(): number {
  return randomInt(2 ** 48 - 1);
}
