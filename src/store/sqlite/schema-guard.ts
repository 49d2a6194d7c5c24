/** Whether this version of the program supports the schema of a file. */

import { newerSchemaMessage, SCHEMA_VERSION } from '../migrations/schema-version.ts';
import { integerOf } from '../sql/row.ts';
import { UnusableDatabase } from '../store-error.ts';
import type { Connection } from './connection.ts';

/** Notices if a newer version of the program migrates the file while this one has it open. */
export class SchemaGuard {
  readonly #connection: Connection;
  readonly #path: string;
  /** The data version at which the schema was last verified. */
  #verified: number | undefined;

  constructor(connection: Connection, path: string) {
    this.#connection = connection;
    this.#path = path;
  }

  /** Returns the data version. Throws if the schema is newer than this program. */
  verify(): number {
    const dataVersion = this.#connection.dataVersion();
    if (dataVersion !== this.#verified) requireSupportedSchema(this.#connection, this.#path);
    this.#verified = dataVersion;
    return dataVersion;
  }
}

export function requireSupportedSchema(connection: Connection, path: string): number {
  const version = latestMigration(connection);
  if (version <= SCHEMA_VERSION) return version;
  throw new UnusableDatabase(newerSchemaMessage(path, version));
}

export function latestMigration(connection: Connection): number {
  const text = 'SELECT coalesce(max(number), 0) AS number FROM migration';
  const [row] = connection.read({ text, parameters: [] });
  return row === undefined ? 0 : integerOf(row, 'number');
}
