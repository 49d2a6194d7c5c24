/** One connection to a SQLite file: how it is opened, and how statements run on it. Everything here is synchronous. */

import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { serialize } from 'node:v8';
import { partsOf } from '../../schedule/one-by-one.ts';
import type { Outcome } from '../engine/batcher.ts';
import { SLICE_LENGTH, type StagedRows, type Staging, type Write, type WriteResult } from '../engine/engine.ts';
import { type Owner, StatementCache } from '../engine/statement-cache.ts';
import type { StagedRow } from '../sql/dialect.ts';
import { integerOf, type Row, textOf } from '../sql/row.ts';
import { meetsExpectation, type Statement } from '../sql/statement.ts';
import { NUMBER_TEXT, sqliteDialect } from './dialect.ts';
import type { FileAccess } from './file-access.ts';

/** How long a connection waits for another process that has the lock it needs, in milliseconds. */
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
  /**
   * Where temporary tables, sorted rows and what a savepoint needs to be undone are: in files unless told otherwise. In memory, writes do not depend on the
   * disk of temporary files, but what they do should be small.
   */
  readonly temporary?: 'files' | 'memory';
}

/** What a write returned, as it is sent to the serving thread. */
export interface SentResult extends Omit<WriteResult, 'many'> {
  /** The rows of the statement that returns many, in slices. */
  readonly many?: readonly Uint8Array[];
}

export interface WriteOptions {
  readonly prepare: () => void;
  readonly onFinished?: () => void;
  /** Whether an error is about one write, and leaves the others alone. */
  readonly isItsOwn: (error: unknown) => boolean;
}

export class Connection {
  readonly #database: DatabaseSync;
  readonly #prepared: StatementCache<StatementSync>;
  readonly #dataVersion: StatementSync;
  readonly #begin: StatementSync;
  readonly #beginImmediate: StatementSync;
  readonly #commit: StatementSync;
  readonly #savepoint: StatementSync;
  readonly #rollback: StatementSync;
  readonly #release: StatementSync;
  /** The temporary tables that stay. */
  readonly #stagingTables = new Set<string>();

  constructor(path: string, options: ConnectionOptions = {}) {
    const { access = 'read-write', create = false, isMapped = false, maxTextBytes, temporary = 'files' } = options;
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
    if (temporary === 'memory') this.execute('PRAGMA temp_store = MEMORY');
    this.define(NUMBER_TEXT, (number) => (number === null ? null : String(number)));
    this.#dataVersion = this.#database.prepare('PRAGMA data_version');
    this.#begin = this.#database.prepare('BEGIN');
    this.#beginImmediate = this.#database.prepare('BEGIN IMMEDIATE');
    this.#commit = this.#database.prepare('COMMIT');
    this.#savepoint = this.#database.prepare('SAVEPOINT one_write');
    this.#rollback = this.#database.prepare('ROLLBACK TO one_write');
    this.#release = this.#database.prepare('RELEASE one_write');
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

  /** Runs all statements, or none if one fails its expectation. */
  write(statements: readonly Statement[]): SentResult {
    return this.#orNothing(() => this.transaction(() => this.#run({ statements })));
  }

  /**
   * Runs several writes in one transaction. One that fails its expectation, or has an error that `isItsOwn`, is undone on its
   * own. `prepare` is called once the lock is held, and `onFinished` after each statement.
   */
  writeEach(writes: readonly Write[], { prepare, onFinished, isItsOwn }: WriteOptions): readonly Outcome<SentResult>[] {
    for (const { staged } of writes) if (staged !== undefined) this.#requireTable(staged);
    return this.transaction(() => {
      prepare();
      return writes.map((write) => {
        this.#savepoint.run();
        try {
          const result = this.#orNothing(() => this.#run(write, onFinished), this.#undo);
          this.#release.run();
          return { result };
        } catch (error) {
          // After some errors, SQLite has rolled back everything.
          if (!this.#database.isTransaction || !isItsOwn(error)) throw error;
          this.#undo();
          this.#release.run();
          return { error };
        }
      });
    });
  }

  readonly #undo = (): void => {
    this.#rollback.run();
  };

  #orNothing(run: () => Omit<SentResult, 'isCommitted'>, undo?: () => void): SentResult {
    try {
      return { isCommitted: true, ...run() };
    } catch (error) {
      if (!(error instanceof Unexpected)) throw error;
      undo?.();
      return { isCommitted: false, ...error.returned };
    }
  }

  #run({ statements, staged }: Write, onFinished?: () => void): Omit<SentResult, 'isCommitted'> {
    if (staged !== undefined) this.#insertAll(staged.table, staged.rows);
    const rows: (readonly Row[])[] = [];
    let many: readonly Uint8Array[] | undefined;
    for (const statement of statements) {
      const returned = this.read(statement);
      if (statement.returnsMany) many = [...partsOf(returned, SLICE_LENGTH)].map(serialize);
      rows.push(statement.returnsMany ? [] : returned);
      onFinished?.();
      if (!meetsExpectation(returned, statement.expect)) throw new Unexpected({ rows, ...(many && { many }) });
    }
    if (staged !== undefined) this.read({ text: `DELETE FROM temp.${staged.table}`, parameters: [] });
    return { rows, ...(many && { many }) };
  }

  /** It stays for the next write that needs it. In a transaction that is rolled back, it would not. */
  #requireTable(staged: StagedRows): void {
    if (this.#stagingTables.has(staged.table)) return;
    this.createTemporaryTable(staged);
    this.#stagingTables.add(staged.table);
  }

  /** A part of its rows, by the column that orders them, is found without reading the others. */
  createTemporaryTable({ table, columns, order }: Pick<Staging, 'table' | 'columns' | 'order'>): void {
    const definitions = columns.map(
      ({ name, storage }) => `${name} ${sqliteDialect.columnTypes[storage]}${name === order ? ' PRIMARY KEY' : ''}`,
    );
    this.execute(`CREATE TEMPORARY TABLE IF NOT EXISTS ${table} (${definitions.join(', ')}) STRICT`);
  }

  /** Inserts into a temporary table, which takes no lock that another connection could wait for. */
  insert(table: string, rows: readonly StagedRow[]): void {
    this.#inTransaction(this.#begin, () => this.#insertAll(table, rows));
  }

  #insertAll(table: string, rows: readonly StagedRow[]): void {
    for (const row of rows) {
      const text = `INSERT INTO temp.${table} VALUES (${row.map(() => '?').join(', ')})`;
      this.#prepared.get(text, 'all').run(...row);
    }
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

/** A statement did not meet its expectation. */
class Unexpected extends Error {
  override readonly name = 'Unexpected';
  readonly returned: Omit<SentResult, 'isCommitted'>;

  constructor(returned: Omit<SentResult, 'isCommitted'>) {
    super('a statement did not meet its expectation');
    this.returned = returned;
  }
}
