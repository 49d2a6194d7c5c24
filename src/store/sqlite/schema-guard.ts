/** Whether this version of the program supports the schema of a file. */

import { APPLIED_MIGRATIONS, unsupportedSchema } from '../migrations/schema-version.ts';
import { integerOf, textOf } from '../sql/row.ts';
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

  /** Returns the data version. Throws if the schema is not supported. */
  verify(): number {
    const dataVersion = this.#connection.dataVersion();
    if (dataVersion !== this.#verified) requireSupportedSchema(this.#connection, this.#path);
    this.#verified = dataVersion;
    return dataVersion;
  }
}

/** Returns the number of the last migration. */
export function requireSupportedSchema(connection: Connection, path: string): number {
  const [row = {}] = connection.read({ text: APPLIED_MIGRATIONS, parameters: [] });
  const version = integerOf(row, 'number');
  const problem = unsupportedSchema(path, version, textOf(row, 'first'));
  if (problem !== undefined) throw new UnusableDatabase(problem);
  return version;
}
