/** The thread that writes. The writes of a batch share one transaction, and so one wait for the disk. */

import { randomInt } from 'node:crypto';
import type { CommandHandler } from '../../threads/run-thread.ts';
import { countFinished } from '../engine/count-finished.ts';
import type { StagedRow, Staging, WriteResult } from '../engine/engine.ts';
import type { Statement } from '../sql/statement.ts';
import { StoreUnavailable, UnusableDatabase } from '../store-error.ts';
import type { Connection } from './connection.ts';
import { isReadOnly, translateError } from './errors.ts';
import { type Failure, failureOf } from './failures.ts';
import type { FileGuard } from './file-guard.ts';
import { runFileThread } from './file-thread.ts';
import { beginGeneration, LATEST_GENERATION } from './generation.ts';
import { type PackedStatements, unpack } from './packed-statements.ts';
import { SchemaGuard } from './schema-guard.ts';

export type WriteCommand =
  /** `finished` counts the statements that are, in memory that both threads share. */
  | {
      readonly kind: 'write';
      readonly writes: readonly (readonly PackedStatements[])[];
      readonly finished: Int32Array | undefined;
    }
  | { readonly kind: 'begin generation' }
  | { readonly kind: 'empty log' }
  | { readonly kind: 'create table'; readonly staging: Pick<Staging, 'table' | 'columns' | 'order'> }
  | { readonly kind: 'insert'; readonly table: string; readonly rows: readonly StagedRow[] }
  | { readonly kind: 'drop table'; readonly table: string };

/** An outcome for each write of the command. */
export type WriteOutcomes = readonly ({ readonly kind: 'done'; readonly result: WriteResult } | Failure)[];

/**
 * How much of the file is cached during a load, in kibibytes, and otherwise. A load adds to many indexes in random order. With SQLite's default, it holds
 * the write lock for half as long again.
 */
const LOAD_CACHE = 128 * 1024;
const DEFAULT_CACHE = 2_000;

class WriterHandler implements CommandHandler<WriteCommand, WriteOutcomes> {
  readonly #file: FileGuard;
  readonly #path: string;
  #connection: Connection;
  #schema: SchemaGuard;
  #isReadOnly = false;
  #hasGeneration = false;

  constructor(file: FileGuard) {
    this.#file = file;
    this.#path = file.identity.path;
    this.#connection = file.open();
    this.#schema = new SchemaGuard(this.#connection, this.#path);
  }

  execute(command: WriteCommand): WriteOutcomes {
    switch (command.kind) {
      case 'write':
        return this.#writeAll(command.writes.map(unpack), command.finished);
      case 'begin generation':
        // A write begins one.
        this.#hasGeneration = false;
        return this.#writeAll([[LATEST_GENERATION]]);
      case 'empty log':
        return [{ kind: 'done', result: { isCommitted: this.#connection.emptyLog(), rows: [] } }];
      case 'create table':
        this.#connection.execute(`PRAGMA cache_size = -${LOAD_CACHE}`);
        this.#connection.createTemporaryTable(command.staging);
        return [];
      case 'insert':
        this.#connection.insert(command.table, command.rows);
        return [];
      case 'drop table':
        this.#connection.execute(`DROP TABLE temp.${command.table}`);
        this.#connection.execute(`PRAGMA cache_size = -${DEFAULT_CACHE}; PRAGMA shrink_memory`);
        return [];
    }
  }

  close(): void {
    this.#connection.close();
  }

  #writeAll(writes: readonly (readonly Statement[])[], finished?: Int32Array): WriteOutcomes {
    if (writes.length > 1) {
      try {
        const { isCommitted, rows } = this.#write(writes.flat(), finished);
        if (isCommitted) return split(writes, rows);
      } catch (error) {
        // Each write on its own would wait for the lock again, just as long, or be written twice.
        const translated = translateError(error, this.#path);
        if (translated instanceof StoreUnavailable || translated instanceof UnusableDatabase)
          return writes.map(() => failureOf(error, this.#path));
      }
      // One of them has to be rolled back: each gets a transaction of its own.
    }
    return writes.map((statements) => {
      try {
        return { kind: 'done', result: this.#write(statements, finished) };
      } catch (error) {
        return failureOf(error, this.#path);
      }
    });
  }

  #write(statements: readonly Statement[], finished: Int32Array | undefined): WriteResult {
    if (this.#isReadOnly) this.#reopen();
    try {
      return this.#writeOnce(statements, finished);
    } catch (error) {
      this.#isReadOnly = isReadOnly(error);
      throw error;
    }
  }

  /** If the disk was read-only when SQLite opened the file, the connection stays read-only. */
  #reopen(): void {
    const connection = this.#file.open();
    this.#connection.close();
    this.#connection = connection;
    this.#schema = new SchemaGuard(connection, this.#path);
    this.#isReadOnly = false;
  }

  #writeOnce(statements: readonly Statement[], finished: Int32Array | undefined): WriteResult {
    const prepare = () => {
      // While this transaction waited for the lock, the file may have been replaced, or migrated by a newer program.
      this.#file.verifyAll();
      this.#schema.verify();
      if (!this.#hasGeneration) beginGeneration(this.#connection, randomInt(2 ** 48 - 1));
    };
    const result = this.#connection.write(statements, prepare, () => countFinished(finished));
    this.#hasGeneration ||= result.isCommitted;
    // What was written to a file that is gone will be lost, so it must not be acknowledged.
    this.#file.verifyAll();
    return result;
  }
}

/** Each write with its part of the rows that the statements of all of them returned. */
function split(writes: readonly (readonly Statement[])[], rows: WriteResult['rows']): WriteOutcomes {
  let taken = 0;
  return writes.map(({ length }) => {
    const from = taken;
    taken += length;
    return { kind: 'done', result: { isCommitted: true, rows: rows.slice(from, taken) } };
  });
}

runFileThread((file) => new WriterHandler(file));
