/**
 * Where the data of a database is: on the server itself, or on the nodes of the cluster that the server belongs to. Whatever differs between
 * the two is here, so nothing else needs to know which it is.
 */

import type { Generation } from '../engine/engine.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { Connection } from './connection.ts';
import type { SessionTopology } from './session-settings.ts';

export interface Topology extends SessionTopology {
  readonly dialect: Dialect;
  /** How many connections share small statements. */
  readonly sharedConnections: number;
  /** The statements that begin a transaction that writes. A single statement is a transaction by itself, unless it needs these settings. */
  readonly begin: { readonly texts: readonly string[]; readonly isAlwaysNeeded: boolean };
  /** Throws if the data cannot be reached through this server, or would be read inexactly. */
  requireData(connection: Connection): Promise<void>;
  /** Whether an error means that connections have to be reopened, although the server itself responds. */
  isDataLost(error: unknown): boolean;
  /** What an error means to the caller. */
  translateError(error: unknown): unknown;
  /** Begins a generation, unless the last one was begun by what is connected now. */
  beginGenerationIfNew(connection: Connection, id: number): Promise<void>;
  beginGeneration(connection: Connection, id: number): Promise<Generation>;
  /** Creates the table that rows are staged in. Returns what drops it, unless it is gone with the connection. */
  createStaging(
    connection: Connection,
    table: string,
    definitions: readonly string[],
  ): Promise<(() => Promise<void>) | undefined>;
  readonly migration: MigrationSteps;
}

export interface MigrationSteps {
  /** Whether all tables of a current schema are where they belong. */
  isComplete(connection: Connection, tables: readonly string[]): Promise<boolean>;
  /** Begins the transaction. Throws if this server cannot migrate from that version. */
  begin(connection: Connection, version: number): Promise<void>;
  /** Called in the transaction, when all tables exist. */
  complete(connection: Connection, tables: readonly string[]): Promise<void>;
}
