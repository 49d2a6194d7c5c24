/** The thread that writes. The writes of a batch share one transaction, and so one wait for the disk. */

import { randomInt } from 'node:crypto';
import { deserialize } from 'node:v8';
import type { CommandHandler } from '../../threads/run-thread.ts';
import { countFinished } from '../engine/count-finished.ts';
import type { Staging, Write } from '../engine/engine.ts';
import { StoreUnavailable, UnusableDatabase } from '../store-error.ts';
import type { Connection, SentResult } from './connection.ts';
import { isReadOnly, translateError, type Written } from './errors.ts';
import { type Failure, failureOf } from './failures.ts';
import type { FileGuard } from './file-guard.ts';
import { runFileThread } from './file-thread.ts';
import { beginGeneration, LATEST_GENERATION } from './generation.ts';
import { type PackedWrite, Unpacker } from './packed-statements.ts';
import { SchemaGuard } from './schema-guard.ts';

export type WriteCommand =
  | { readonly kind: 'write'; readonly writes: readonly PackedWrite[]; readonly large: LargeWrite | undefined }
  | { readonly kind: 'begin generation' }
  | { readonly kind: 'empty log' }
  | { readonly kind: 'create table'; readonly staging: Pick<Staging, 'table' | 'columns' | 'order'> }
  | { readonly kind: 'insert'; readonly table: string; readonly packed: Uint8Array }
  | { readonly kind: 'drop table'; readonly table: string };

/** A write that takes temporary files: it has a connection of its own, with which they are gone. */
export interface LargeWrite {
  /** The table of the load that it belongs to. */
  readonly table?: string;
  /** Counts the statements that are finished, in memory that both threads share. */
  readonly finished?: Int32Array | undefined;
}

/** An outcome for each write of the command. */
export type WriteOutcomes = readonly ({ readonly kind: 'done'; readonly result: SentResult } | Failure)[];

/** How much of the file is cached during a load, in kibibytes. It adds to many indexes in random order. With SQLite's default, it holds the write lock for half as long again. */
const LOAD_CACHE = 128 * 1024;

/** A connection that writes. */
class Writer {
  readonly connection: Connection;
  readonly schema: SchemaGuard;

  constructor(file: FileGuard, temporary: 'files' | 'memory') {
    this.connection = file.open({ temporary });
    this.schema = new SchemaGuard(this.connection, file.identity.path);
  }

  close(): void {
    this.connection.close();
  }
}

class WriterHandler implements CommandHandler<WriteCommand, WriteOutcomes> {
  readonly #file: FileGuard;
  readonly #path: string;
  readonly #unpacker = new Unpacker();
  /** For all writes that are not large. They go on when temporary files have no room. */
  #shared: Writer;
  /**
   * For large loads, by the name of their table. A table could not be dropped on a full disk, and its file would keep its size; closing
   * the connection always gives back the space.
   */
  readonly #loads = new Map<string, Writer>();
  #isReadOnly = false;
  #hasGeneration = false;

  constructor(file: FileGuard) {
    this.#file = file;
    this.#path = file.identity.path;
    this.#shared = new Writer(file, 'memory');
  }

  execute(command: WriteCommand): WriteOutcomes {
    switch (command.kind) {
      case 'write':
        return this.#write(command);
      case 'begin generation':
        // A write begins one.
        this.#hasGeneration = false;
        return this.#writeShared([{ statements: [LATEST_GENERATION] }]);
      case 'empty log':
        return [{ kind: 'done', result: { isCommitted: this.#shared.connection.emptyLog(), rows: [] } }];
      case 'create table':
        this.#createTable(command.staging);
        return [];
      case 'insert':
        this.#loadInto(command.table).connection.insert(command.table, deserialize(command.packed));
        return [];
      case 'drop table':
        this.#loads.get(command.table)?.close();
        this.#loads.delete(command.table);
        return [];
    }
  }

  close(): void {
    for (const { connection } of this.#loads.values()) connection.close();
    this.#shared.close();
  }

  #createTable(staging: Extract<WriteCommand, { kind: 'create table' }>['staging']): void {
    const writer = new Writer(this.#file, 'files');
    this.#loads.set(staging.table, writer);
    writer.connection.createTemporaryTable(staging);
  }

  #loadInto(table: string): Writer {
    const writer = this.#loads.get(table);
    if (writer === undefined) throw new Error(`there is no table ${table}`);
    return writer;
  }

  #write({ writes, large }: Extract<WriteCommand, { kind: 'write' }>): WriteOutcomes {
    const unpacked = writes.map((write) => this.#unpacker.unpack(write));
    return large === undefined ? this.#writeShared(unpacked) : this.#writeLarge(unpacked, large);
  }

  #writeLarge(writes: readonly Write[], { table, finished }: LargeWrite): WriteOutcomes {
    const writer = table === undefined ? new Writer(this.#file, 'files') : this.#loadInto(table);
    try {
      writer.connection.execute(`PRAGMA cache_size = -${LOAD_CACHE}`);
      return this.#tryEach(writer, writes, 'both', finished);
    } catch (error) {
      return writes.map(() => failureOf(error, this.#path, 'both'));
    } finally {
      if (table === undefined) writer.close();
    }
  }

  #writeShared(writes: readonly Write[]): WriteOutcomes {
    if (this.#isReadOnly) this.#reopen();
    try {
      return this.#tryEach(this.#shared, writes, 'database');
    } catch (error) {
      this.#isReadOnly = isReadOnly(error);
      return writes.map(() => failureOf(error, this.#path));
    }
  }

  /** If the disk was read-only when SQLite opened the file, the connection stays read-only. */
  #reopen(): void {
    const writer = new Writer(this.#file, 'memory');
    this.#shared.close();
    this.#shared = writer;
    this.#isReadOnly = false;
  }

  #tryEach(
    { connection, schema }: Writer,
    writes: readonly Write[],
    written: Written,
    finished?: Int32Array,
  ): WriteOutcomes {
    const outcomes = connection.writeEach(writes, {
      prepare: () => {
        // While this transaction waited for the lock, the file may have been replaced, or migrated by a newer program.
        this.#file.verifyAll();
        schema.verify();
        if (!this.#hasGeneration) beginGeneration(connection, randomInt(2 ** 48 - 1));
      },
      onFinished: () => countFinished(finished),
      // All others would affect the next write as well.
      isItsOwn: (error) => {
        const translated = translateError(error, this.#path, written);
        return !(translated instanceof StoreUnavailable || translated instanceof UnusableDatabase);
      },
    });
    this.#hasGeneration = true;
    // What was written to a file that is gone will be lost, so it must not be acknowledged.
    this.#file.verifyAll();
    return outcomes.map((outcome) =>
      'error' in outcome ? failureOf(outcome.error, this.#path, written) : { kind: 'done', result: outcome.result },
    );
  }
}

// Writes report their errors in their outcomes. All other commands are about the tables of loads.
runFileThread((file) => new WriterHandler(file), 'temporary files');
