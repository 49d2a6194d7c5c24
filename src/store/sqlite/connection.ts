/** One connection to a SQLite file: how it is opened, and how statements run on it. Everything here is synchronous. */

import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { StagedRow, Staging, WriteResult } from '../engine/engine.ts';
import { type Owner, StatementCache } from '../engine/statement-cache.ts';
import { integerOf, type Row, textOf } from '../sql/row.ts';
import { meetsExpectation, type Statement } from '../sql/statement.ts';
import { NUMBER_TEXT, sqliteDialect } from './dialect.ts';
import type { FileAccess } from './file-access.ts';

/** How long a write waits for another process that is writing, in milliseconds. */
export const BUSY_TIMEOUT = 5_000;

/** The maximum number of prepared statements. Most take a few kilobytes, the largest filters tens of them. */
const MAX_STATEMENTS = 500;

/** How much of a file is mapped into memory. */
const MAPPED_BYTES = 2 ** 40;

/** How long the write-ahead log may be when it is started over, in bytes. */
const MAX_IDLE_LOG = 16 * 1024 * 1024;

export interface ConnectionOptions {
  /** For reading and writing by default. */
  readonly access?: FileAccess;
  /** Whether to create a file that doesn't exist. */
  readonly create?: boolean;
  /**
   * A mapped file is read straight from the page cache of the operating system instead of being copied. After every write
   * it has to be mapped again, which costs more than copying a few pages.
   */
  readonly isMapped?: boolean;
  /** A larger value is an error; about a gigabyte by default. */
  readonly maxTextBytes?: number;
}

export class Connection {
  readonly #database: DatabaseSync;
  readonly #prepared: StatementCache<StatementSync>;
  readonly #dataVersion: StatementSync;
  readonly #begin: StatementSync;
  readonly #beginImmediate: StatementSync;
  readonly #commit: StatementSync;

  constructor(path: string, options: ConnectionOptions = {}) {
    const { access = 'read-write', create = false, isMapped = false, maxTextBytes } = options;
    this.#database = new DatabaseSync(fileUrl(path, access, create), {
      timeout: BUSY_TIMEOUT,
      enableForeignKeyConstraints: true,
      ...(maxTextBytes !== undefined && { limits: { length: maxTextBytes } }),
    });
    this.#prepared = new StatementCache({ max: MAX_STATEMENTS, prepare: (text) => this.#database.prepare(text) });
    this.execute('PRAGMA trusted_schema = OFF');
    // Has to be chosen before anything is written, and would take the write lock later.
    if (access === 'read-write' && this.#isEmpty()) this.execute('PRAGMA auto_vacuum = INCREMENTAL');
    if (access === 'read-write') this.execute('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    // What is deleted is gone: neither the file nor a backup of it has the records of an account that was removed.
    this.execute('PRAGMA secure_delete = ON');
    // The log of a large import would otherwise stay that long.
    this.execute(`PRAGMA journal_size_limit = ${MAX_IDLE_LOG}`);
    if (isMapped) this.execute(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
    this.define(NUMBER_TEXT, (number) => (number === null ? null : String(number)));
    this.#dataVersion = this.#database.prepare('PRAGMA data_version');
    this.#begin = this.#database.prepare('BEGIN');
    this.#beginImmediate = this.#database.prepare('BEGIN IMMEDIATE');
    this.#commit = this.#database.prepare('COMMIT');
  }

  /** Whether the log could be emptied. Does not wait for those who read from it: others could not write meanwhile. */
  emptyLog(): boolean {
    this.execute('PRAGMA busy_timeout = 0');
    try {
      const row = this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      return row?.['busy'] === 0;
    } finally {
      this.execute(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`);
    }
  }

  #isEmpty(): boolean {
    return this.#database.prepare('PRAGMA page_count').get()?.['page_count'] === 0;
  }

  /** Makes a function available to SQL. */
  define(name: string, compute: (value: SQLOutputValue) => string | null): void {
    this.#database.function(name, { deterministic: true }, compute);
  }

  /** `user` is the account whose statement it is, or all if they share it. */
  read({ text, parameters }: Statement, user: Owner = 'all'): readonly Row[] {
    return this.#prepared.get(text, user).all(...parameters);
  }

  /** The column `line` of each row, read as it is consumed. Lines may have any length. */
  *lines({ text, parameters }: Statement): Iterator<string> {
    this.#database.limits.length = Number.POSITIVE_INFINITY;
    for (const row of this.#database.prepare(text).iterate(...parameters)) yield textOf(row, 'line');
  }

  /** Changes when another connection, of this process or another, commits. */
  dataVersion(): number {
    return integerOf(this.#dataVersion.get() ?? {}, 'data_version');
  }

  execute(sql: string): void {
    this.#database.exec(sql);
  }

  /** Everything read inside is from one snapshot. */
  snapshot<Result>(body: () => Result): Result {
    return this.#inTransaction(this.#begin, body);
  }

  /** Takes the write lock first, so that nothing read inside can become outdated. */
  transaction<Result>(body: () => Result): Result {
    return this.#inTransaction(this.#beginImmediate, body);
  }

  #inTransaction<Result>(begin: StatementSync, body: () => Result): Result {
    begin.run();
    try {
      const result = body();
      this.#commit.run();
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.execute('ROLLBACK');
      throw error;
    }
  }

  /** Runs all statements, or none if one fails its expectation or `prepare` throws. `onFinished` is called after each. */
  write(statements: readonly Statement[], prepare?: () => void, onFinished?: () => void): WriteResult {
    const rows: (readonly Row[])[] = [];
    try {
      this.transaction(() => {
        prepare?.();
        for (const statement of statements) {
          const returned = this.read(statement);
          rows.push(returned);
          onFinished?.();
          if (!meetsExpectation(returned, statement.expect)) throw new RolledBack();
        }
      });
    } catch (error) {
      if (error instanceof RolledBack) return { isCommitted: false, rows };
      throw error;
    }
    return { isCommitted: true, rows };
  }

  /** A part of its rows, by the column that orders them, is found without reading the others. */
  createTemporaryTable({ table, columns, order }: Pick<Staging, 'table' | 'columns' | 'order'>): void {
    const definitions = columns.map(
      ({ name, storage }) => `${name} ${sqliteDialect.columnTypes[storage]}${name === order ? ' PRIMARY KEY' : ''}`,
    );
    this.execute(`CREATE TEMPORARY TABLE ${table} (${definitions.join(', ')}) STRICT`);
  }

  /** Inserts into a temporary table, which takes no lock that another connection could wait for. */
  insert(table: string, rows: readonly StagedRow[]): void {
    this.#inTransaction(this.#begin, () => {
      for (const row of rows) {
        const text = `INSERT INTO temp.${table} VALUES (${row.map(() => '?').join(', ')})`;
        this.#prepared.get(text, 'all').run(...row);
      }
    });
  }

  close(): void {
    this.#database.close();
  }
}

export function fileUrl(path: string, access: FileAccess, create = false): URL {
  const url = pathToFileURL(path);
  const forWriting = create ? 'mode=rwc' : 'mode=rw';
  url.search = { 'read-write': forWriting, 'read-only': 'mode=ro', immutable: 'mode=ro&immutable=1' }[access];
  return url;
}

/** Ends a transaction that is not an error. */
class RolledBack extends Error {
  override readonly name = 'RolledBack';
}
