/** SQLite as an engine: fast reads run on the serving thread; slow reads, streams and writes on threads of their own. */

import { Batcher, type Outcome } from '../engine/batcher.ts';
import type { Engine, LineStream, Staging, WriteResult } from '../engine/engine.ts';
import { readAhead } from '../engine/read-ahead.ts';
import type { Row } from '../sql/row.ts';
import type { Statement } from '../sql/statement.ts';
import { isLockTimeout } from '../store-error.ts';
import { Connection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { translateError } from './errors.ts';
import { SchemaGuard } from './migrate.ts';
import { pack } from './packed-statements.ts';
import type { ReadOrder, ReadResult } from './reader-thread.ts';
import { Thread } from './thread.ts';
import { errorOf } from './thread-messages.ts';
import type { WriteOrder, WriteOutcomes } from './writer-thread.ts';

/** How many slow reads run at the same time. */
const SLOW_READERS = 2;

export class SqliteEngine implements Engine {
  readonly dialect = sqliteDialect;
  readonly hasStatistics = false;
  readonly #path: string;
  /** Not mapped: version checks follow every write, and mapping the file again costs more than reading a few pages. */
  readonly #reserved: Connection;
  readonly #fast: Connection;
  readonly #slow: readonly Thread<ReadOrder, ReadResult>[];
  readonly #streams: Thread<ReadOrder, ReadResult>;
  readonly #writer: Thread<WriteOrder, WriteOutcomes>;
  readonly #writes: Batcher<readonly Statement[], WriteResult>;
  readonly #schema: SchemaGuard;
  /** One load at a time: they share the temporary table. */
  #loads: Promise<unknown> = Promise.resolve();

  constructor(path: string, connection: Connection) {
    this.#path = path;
    this.#reserved = connection;
    this.#schema = new SchemaGuard(connection, path);
    this.#fast = new Connection(path, { isMapped: true });
    this.#slow = Array.from({ length: SLOW_READERS }, () => new Thread('reader-thread', path));
    this.#streams = new Thread('reader-thread', path);
    this.#writer = new Thread('writer-thread', path);
    this.#writes = new Batcher({ run: (writes) => this.#writeAll(writes), isShared: isLockTimeout });
  }

  async reserved(statement: Statement): Promise<readonly Row[]> {
    return this.#translate(() => {
      this.#schema.verify();
      return this.#reserved.read(statement);
    });
  }

  async fast(statement: Statement): Promise<readonly Row[]> {
    return this.#translate(() => this.#fast.read(statement));
  }

  async slow(statement: Statement): Promise<readonly Row[]> {
    const [thread] = this.#slow.toSorted((a, b) => a.pending - b.pending);
    const result = await thread?.call({ kind: 'read', statement });
    if (result?.kind !== 'rows') throw new Error('the statement was not read');
    return result.rows;
  }

  write(statements: readonly Statement[]): Promise<WriteResult> {
    return this.#writes.add(statements);
  }

  async #writeAll(writes: readonly (readonly Statement[])[]): Promise<readonly Outcome<WriteResult>[]> {
    const outcomes = await this.#writer.call({ kind: 'write', writes: writes.map(pack) });
    return outcomes.map((outcome) => (outcome.kind === 'done' ? outcome : { error: errorOf(outcome) }));
  }

  load(staging: Staging, statements: readonly Statement[]): Promise<WriteResult> {
    const loaded = this.#loads.then(() => this.#load(staging, statements));
    this.#loads = loaded.catch(() => undefined);
    return loaded;
  }

  async #load({ table, columns, batches }: Staging, statements: readonly Statement[]): Promise<WriteResult> {
    await this.#writer.call({ kind: 'create table', staging: { table, columns } });
    try {
      // The thread inserts one batch while the next is being read.
      let inserted: Promise<unknown> = Promise.resolve();
      for await (const rows of batches) {
        await inserted;
        inserted = this.#writer.call({ kind: 'insert', table, rows });
      }
      await inserted;
      // In a transaction of its own: no other write should have to wait for it, or be rolled back with it.
      const [outcome] = await this.#writeAll([statements]);
      if (outcome === undefined || 'error' in outcome) throw outcome?.error;
      return outcome.result;
    } finally {
      await this.#writer.call({ kind: 'drop table', table });
    }
  }

  async stream(head: Statement, lines: Statement): Promise<LineStream> {
    const opened = await this.#streams.call({ kind: 'open', head, lines });
    if (opened.kind !== 'opened') throw new Error('the stream was not opened');
    const { stream } = opened;
    return {
      head: opened.head,
      next: readAhead(async () => {
        const result = await this.#streams.call({ kind: 'next', stream });
        return result.kind === 'chunk' ? result.chunk : undefined;
      }),
      close: async () => void (await this.#streams.call({ kind: 'close', stream })),
    };
  }

  changeCounter(): number {
    return this.#translate(() => this.#schema.verify());
  }

  async check(): Promise<void> {
    await this.reserved({ text: 'SELECT value FROM counter', parameters: [] });
  }

  async close(): Promise<void> {
    await this.#writes.close();
    await Promise.all([this.#streams, ...this.#slow, this.#writer].map((thread) => thread.close()));
    this.#fast.close();
    this.#reserved.close();
  }

  #translate<Result>(body: () => Result): Result {
    try {
      return body();
    } catch (error) {
      throw translateError(error, this.#path);
    }
  }
}
