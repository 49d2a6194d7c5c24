/** One connection to a SQLite file: how it is opened, and how statements run on it. Everything here is synchronous. */

import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { StagedRow, Staging, WriteResult } from '../sql/engine.ts';
import { integerOf, type Row, textOf } from '../sql/row.ts';
import { isAsExpected, type Statement } from '../sql/statement.ts';
import { sqliteDialect } from './dialect.ts';

/** How long a write waits for another process that is writing, in milliseconds. */
const BUSY_TIMEOUT = 5_000;

/** Prepared statements kept; most cost some kilobytes, the largest filters some dozens. */
const MAX_STATEMENTS = 500;

/** How much of a file is mapped into memory. */
const MAPPED_BYTES = 2 ** 40;

export class Connection {
  readonly #database: DatabaseSync;
  /** By text, which is the shape of a query. */
  readonly #prepared: LRUCache<string, StatementSync>;
  readonly #dataVersion: StatementSync;

  /**
   * A file that is mapped is read where it lies in the page cache of the system, instead of being copied. The map is made
   * anew after every write, which costs more than to copy a few pages.
   */
  constructor(path: string, { isMapped } = { isMapped: false }) {
    this.#database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT, enableForeignKeyConstraints: true });
    this.#prepared = new LRUCache({ max: MAX_STATEMENTS, memoMethod: (text) => this.#database.prepare(text) });
    this.execute('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF');
    if (isMapped) this.execute(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
    this.#dataVersion = this.#database.prepare('PRAGMA data_version');
  }

  read({ text, parameters }: Statement): readonly Row[] {
    return this.#prepared.memo(text).all(...parameters);
  }

  /** The column `line` of each row, as it is asked for. */
  *lines({ text, parameters }: Statement): Iterator<string> {
    for (const row of this.#database.prepare(text).iterate(...parameters)) yield textOf(row, 'line');
  }

  /** Another number after another connection, of this process or of another, has written. */
  dataVersion(): number {
    return integerOf(this.#dataVersion.get() ?? {}, 'data_version');
  }

  execute(sql: string): void {
    this.#database.exec(sql);
  }

  /** Begins by taking the write lock, so that nothing read inside can be overtaken. */
  transaction<Result>(body: () => Result): Result {
    return this.#inTransaction('BEGIN IMMEDIATE', body);
  }

  #inTransaction<Result>(begin: string, body: () => Result): Result {
    this.execute(begin);
    try {
      const result = body();
      this.execute('COMMIT');
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.execute('ROLLBACK');
      throw error;
    }
  }

  /** All of the statements, or none of them where one does not return what is expected, or where the check throws. */
  write(statements: readonly Statement[], check?: () => void): WriteResult {
    const rows: (readonly Row[])[] = [];
    try {
      this.transaction(() => {
        check?.();
        for (const statement of statements) {
          const returned = this.read(statement);
          rows.push(returned);
          if (!isAsExpected(returned, statement.expect)) throw new GivenUp();
        }
      });
    } catch (error) {
      if (error instanceof GivenUp) return { written: false, rows };
      throw error;
    }
    return { written: true, rows };
  }

  createTemporaryTable(table: string, columns: Staging['columns']): void {
    const definitions = columns.map(({ name, type }) => `${name} ${sqliteDialect.columnTypes[type]}`);
    this.execute(`CREATE TEMPORARY TABLE ${table} (${definitions.join(', ')}) STRICT`);
  }

  /** Into a temporary table: takes no lock that another connection would wait for. */
  insert(table: string, rows: readonly StagedRow[]): void {
    this.#inTransaction('BEGIN', () => {
      for (const row of rows) {
        this.#prepared.memo(`INSERT INTO temp.${table} VALUES (${row.map(() => '?').join(', ')})`).run(...row);
      }
    });
  }

  close(): void {
    this.#database.close();
  }
}

/** Ends a transaction without an error. */
class GivenUp extends Error {
  override readonly name = 'GivenUp';
}
