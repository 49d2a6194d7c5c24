/** Applies the migrations that a SQLite file has not seen yet, under its write lock. */

import { type Migration, migrations, migrationTable, SCHEMA_VERSION } from '../sql/migrations.ts';
import { integerOf } from '../sql/row.ts';
import { bind, sql } from '../sql/sql.ts';
import { compile } from '../sql/statement.ts';
import { UnusableDatabase } from '../store-error.ts';
import type { Connection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';

/** Gives the version that the file had; 0 where it is new. */
export function migrate(connection: Connection, path: string): number {
  // A file that is up to date needs no lock, so a server can start while an import is being written.
  if (versionOf(connection) === SCHEMA_VERSION) return SCHEMA_VERSION;
  return connection.transaction(() => {
    if (versionOf(connection) === 0) claim(connection, path);
    connection.execute(migrationTable(sqliteDialect));
    const version = requireKnownSchema(connection, path);
    for (const migration of migrations.filter(({ number }) => number > version)) apply(connection, migration);
    return version;
  });
}

/** A newer program may migrate the file while this one has it open, and what this one then finds there may not be all there is. */
export class KnownSchema {
  readonly #connection: Connection;
  readonly #path: string;
  /** The state in which the file was last seen to be of a schema that this program knows. */
  #seen: number | undefined;

  constructor(connection: Connection, path: string) {
    this.#connection = connection;
    this.#path = path;
  }

  /** Another number after every write on another connection. Throws where the schema is of a newer program. */
  state(): number {
    const state = this.#connection.dataVersion();
    if (state !== this.#seen) requireKnownSchema(this.#connection, this.#path);
    this.#seen = state;
    return state;
  }
}

function requireKnownSchema(connection: Connection, path: string): number {
  const version = latestOf(connection);
  if (version <= SCHEMA_VERSION) return version;
  throw new UnusableDatabase(
    `${path} was written by a newer Stockbook: it has schema ${version}, this program knows ${SCHEMA_VERSION}. Use that version or a later one.`,
  );
}

/** Marks a file that is empty as ours, and leaves one alone that another program made. */
function claim(connection: Connection, path: string): void {
  const [table] = connection.read(compile(sql`SELECT name FROM sqlite_schema LIMIT 1`, sqliteDialect));
  if (table !== undefined) {
    throw new UnusableDatabase(`${path} is the database of another program. Choose another place with --database.`);
  }
  connection.execute(`PRAGMA application_id = ${APPLICATION_ID}`);
}

/** "Stkb" in ASCII: the number by which a file says whose it is. */
const APPLICATION_ID = 0x53_74_6b_62;

function versionOf(connection: Connection): number {
  const [table] = connection.read(
    compile(sql`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migration'`, sqliteDialect),
  );
  return table === undefined ? 0 : latestOf(connection);
}

function latestOf(connection: Connection): number {
  const [row] = connection.read(compile(sql`SELECT coalesce(max(number), 0) AS number FROM migration`, sqliteDialect));
  return row === undefined ? 0 : integerOf(row, 'number');
}

function apply(connection: Connection, { number, name, statements, afterwards }: Migration): void {
  for (const statement of [...statements(sqliteDialect), ...(afterwards?.(sqliteDialect) ?? [])])
    connection.execute(statement);
  const values = sql`${bind('integer', number)}, ${bind('text', name)}, ${bind('timestamp', new Date().toISOString())}`;
  connection.read(compile(sql`INSERT INTO migration (number, name, applied_at) VALUES (${values})`, sqliteDialect));
}
