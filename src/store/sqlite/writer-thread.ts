/** The thread that writes. The writes of a batch share one transaction, and so one wait for the disk. */

import { randomInt } from 'node:crypto';
import { deserialize } from 'node:v8';
import type { CommandHandler } from '../../threads/run-thread.ts';
import { countFinished } from '../engine/count-finished.ts';
import type { Staging, Write } from '../engine/engine.ts';
import { StoreUnavailable, UnusableDatabase } from '../store-error.ts';
import type { Connection, SentResult } from './connection.ts';
import { isReadOnly, translateError } from './errors.ts';
import { type Failure, failureOf } from './failures.ts';
import type { FileGuard } from './file-guard.ts';
import { runFileThread } from './file-thread.ts';
import { beginGeneration, LATEST_GENERATION } from './generation.ts';
import { type PackedWrite, Unpacker } from './packed-statements.ts';
import { SchemaGuard } from './schema-guard.ts';

export type WriteCommand =
  /** `finished` counts the statements that are, in memory that both threads share. */
  | { readonly kind: 'write'; readonly writes: readonly PackedWrite[]; readonly finished: Int32Array | undefined }
  | { readonly kind: 'begin generation' }
  | { readonly kind: 'empty log' }
  | { readonly kind: 'create table'; readonly staging: Pick<Staging, 'table' | 'columns' | 'order'> }
  | { readonly kind: 'insert'; readonly table: string; readonly packed: Uint8Array }
  | { readonly kind: 'drop table'; readonly table: string };

/** An outcome for each write of the command. */
export type WriteOutcomes = readonly ({ readonly kind: 'done'; readonly result: SentResult } | Failure)[];

/**
 * How much of the file is cached during a load, in kibibytes, and otherwise. A load adds to many indexes in random order. With SQLite's default, it holds
 * the write lock for half as long again.
 */
const LOAD_CACHE = 128 * 1024;
const DEFAULT_CACHE = 2_000;

class WriterHandler implements CommandHandler<WriteCommand, WriteOutcomes> {
  readonly #file: FileGuard;
  readonly #path: string;
  readonly #unpacker = new Unpacker();
  #connection: Connection;
  #schema: SchemaGuard;
  #isReadOnly = false;
  /** How many tables of large loads there are. */
  #largeTables = 0;
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
        return this.#write(command);
      case 'begin generation':
        // A write begins one.
        this.#hasGeneration = false;
        return this.#writeEach([{ statements: [LATEST_GENERATION] }]);
      case 'empty log':
        return [{ kind: 'done', result: { isCommitted: this.#connection.emptyLog(), rows: [] } }];
      case 'create table':
        this.#connection.createTemporaryTable(command.staging);
        this.#largeTables += 1;
        return [];
      case 'insert':
        this.#connection.insert(command.table, deserialize(command.packed));
        return [];
      case 'drop table':
        this.#connection.execute(`DROP TABLE IF EXISTS temp.${command.table}`);
        this.#largeTables -= 1;
        // The file of temporary tables does not shrink by itself.
        if (this.#largeTables === 0) this.#connection.dropTemporaryTables();
        return [];
    }
  }

  close(): void {
    this.#connection.close();
  }

  #write({ writes, finished }: Extract<WriteCommand, { kind: 'write' }>): WriteOutcomes {
    const unpacked = writes.map((write) => this.#unpacker.unpack(write));
    // Only the statements of a large load are counted.
    if (finished === undefined) return this.#writeEach(unpacked);
    this.#connection.execute(`PRAGMA cache_size = -${LOAD_CACHE}`);
    try {
      return this.#writeEach(unpacked, finished);
    } finally {
      this.#connection.execute(`PRAGMA cache_size = -${DEFAULT_CACHE}; PRAGMA shrink_memory`);
    }
  }

  #writeEach(writes: readonly Write[], finished?: Int32Array): WriteOutcomes {
    if (this.#isReadOnly) this.#reopen();
    try {
      return this.#tryEach(writes, finished);
    } catch (error) {
      this.#isReadOnly = isReadOnly(error);
      return writes.map(() => failureOf(error, this.#path));
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

  #tryEach(writes: readonly Write[], finished: Int32Array | undefined): WriteOutcomes {
    const outcomes = this.#connection.writeEach(writes, {
      prepare: () => {
        // While this transaction waited for the lock, the file may have been replaced, or migrated by a newer program.
        this.#file.verifyAll();
        this.#schema.verify();
        if (!this.#hasGeneration) beginGeneration(this.#connection, randomInt(2 ** 48 - 1));
      },
      onFinished: () => countFinished(finished),
      // All others would affect the next write as well.
      isItsOwn: (error) => {
        const translated = translateError(error, this.#path);
        return !(translated instanceof StoreUnavailable || translated instanceof UnusableDatabase);
      },
    });
    this.#hasGeneration = true;
    // What was written to a file that is gone will be lost, so it must not be acknowledged.
    this.#file.verifyAll();
    return outcomes.map((outcome) =>
      'error' in outcome ? failureOf(outcome.error, this.#path) : { kind: 'done', result: outcome.result },
    );
  }
}

runFileThread((file) => new WriterHandler(file));
