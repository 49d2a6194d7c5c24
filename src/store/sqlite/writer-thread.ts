/** The thread that writes. The writes of a batch share one transaction, and so one wait for the disk. */

import { randomInt } from 'node:crypto';
import type { StagedRow, Staging, WriteResult } from '../engine/engine.ts';
import { beginGeneration } from '../sql/ledger.ts';
import type { Statement } from '../sql/statement.ts';
import { StoreUnavailable } from '../store-error.ts';
import { Connection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { translateError } from './errors.ts';
import { SchemaGuard } from './migrate.ts';
import { type PackedStatements, unpack } from './packed-statements.ts';
import { type Host, hostThread } from './thread-host.ts';
import { failureOf, type ThreadOutcome } from './thread-messages.ts';

export type WriteOrder =
  | { readonly kind: 'write'; readonly writes: readonly (readonly PackedStatements[])[] }
  | { readonly kind: 'create table'; readonly staging: Pick<Staging, 'table' | 'columns'> }
  | { readonly kind: 'insert'; readonly table: string; readonly rows: readonly StagedRow[] }
  | { readonly kind: 'drop table'; readonly table: string };

/** An outcome for each write of the order. */
export type WriteOutcomes = readonly ThreadOutcome<WriteResult>[];

class WriterHost implements Host<WriteOrder, WriteOutcomes> {
  readonly #path: string;
  readonly #connection: Connection;
  readonly #schema: SchemaGuard;
  #hasGeneration = false;

  constructor(path: string) {
    this.#path = path;
    this.#connection = new Connection(path);
    this.#schema = new SchemaGuard(this.#connection, path);
  }

  execute(order: WriteOrder): WriteOutcomes {
    switch (order.kind) {
      case 'write':
        return this.#writeAll(order.writes.map(unpack));
      case 'create table':
        this.#connection.createTemporaryTable(order.staging.table, order.staging.columns);
        return [];
      case 'insert':
        this.#connection.insert(order.table, order.rows);
        return [];
      case 'drop table':
        this.#connection.execute(`DROP TABLE temp.${order.table}`);
        return [];
    }
  }

  close(): void {
    this.#connection.close();
  }

  #writeAll(writes: readonly (readonly Statement[])[]): WriteOutcomes {
    if (writes.length > 1) {
      try {
        const { isCommitted, rows } = this.#write(writes.flat());
        if (isCommitted) return split(writes, rows);
      } catch (error) {
        // Each write on its own would wait for the lock again, just as long.
        if (translateError(error, this.#path) instanceof StoreUnavailable)
          return writes.map(() => failureOf(error, this.#path));
      }
      // One of them has to be rolled back: each gets a transaction of its own.
    }
    return writes.map((statements) => {
      try {
        return { kind: 'done', result: this.#write(statements) };
      } catch (error) {
        return failureOf(error, this.#path);
      }
    });
  }

  #write(statements: readonly Statement[]): WriteResult {
    const result = this.#connection.write(statements, () => {
      // A newer program may have migrated the file while this transaction waited for the lock.
      this.#schema.verify();
      if (!this.#hasGeneration) this.#beginGeneration();
    });
    this.#hasGeneration ||= result.isCommitted;
    return result;
  }

  /**
   * Every process that writes begins a generation, because the file may be an older copy of itself, which nothing in the
   * file can tell.
   */
  #beginGeneration(): void {
    const id = randomInt(2 ** 48 - 1);
    this.#connection.read(beginGeneration(id, new Date().toISOString(), null, sqliteDialect));
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

hostThread((path) => new WriterHost(path));
