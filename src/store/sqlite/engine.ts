/** SQLite as an engine: short reads run where they are asked, streams and writes in threads of their own. */

import type { Effort } from '../sql/effort.ts';
import { type Engine, type LineStream, NOTHING_WRITTEN, type Staging, type WriteResult } from '../sql/engine.ts';
import { readAhead } from '../sql/read-ahead.ts';
import type { Row } from '../sql/row.ts';
import { sql } from '../sql/sql.ts';
import { compile, type Statement } from '../sql/statement.ts';
import { Connection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { translated } from './errors.ts';
import { KnownSchema } from './migrate.ts';
import { pack } from './packed.ts';
import type { ReadOrder, ReadResult } from './reader-thread.ts';
import { Thread } from './thread.ts';
import type { WriteOrder } from './writer-thread.ts';

/** Threads for what takes long: as many such statements run at the same time. */
const SCANNERS = 2;

export class SqliteEngine implements Engine {
  readonly dialect = sqliteDialect;
  readonly isRemote = false;
  readonly epoch = 0;
  readonly #path: string;
  readonly #looker: Connection;
  readonly #reader: Connection;
  readonly #writer: Thread<WriteOrder, WriteResult>;
  readonly #streams: Thread<ReadOrder, ReadResult>;
  readonly #scanners: readonly Thread<ReadOrder, ReadResult>[];
  #loads: Promise<unknown> = Promise.resolve();
  readonly #schema: KnownSchema;

  constructor(path: string, looker: Connection) {
    this.#path = path;
    this.#looker = looker;
    this.#schema = new KnownSchema(looker, path);
    this.#reader = new Connection(path, { isMapped: true });
    this.#writer = new Thread('writer-thread', path);
    this.#streams = new Thread('reader-thread', path);
    this.#scanners = Array.from({ length: SCANNERS }, () => new Thread('reader-thread', path));
  }

  async read(statement: Statement, effort: Effort = 'short'): Promise<readonly Row[]> {
    if (effort === 'long') return this.#readAside(statement);
    const connection = effort === 'look' ? this.#looker : this.#reader;
    return this.#translating(() => connection.read(statement));
  }

  #translating<Result>(body: () => Result): Result {
    try {
      return body();
    } catch (error) {
      throw translated(error, this.#path);
    }
  }

  async #readAside(statement: Statement): Promise<readonly Row[]> {
    const [thread] = this.#scanners.toSorted((a, b) => a.waiting - b.waiting);
    const result = await thread?.call({ kind: 'read', statement });
    if (result?.kind !== 'rows') throw new Error('the statement was not read');
    return result.rows;
  }

  async stream(head: Statement, lines: Statement): Promise<LineStream> {
    const opened = await this.#streams.call({ kind: 'open', head, lines });
    if (opened.kind !== 'opened') throw new Error('the stream was not opened');
    const { stream } = opened;
    return {
      head: opened.head,
      next: readAhead(async () => {
        const result = await this.#streams.call({ kind: 'next', stream });
        return result.kind === 'piece' ? result.piece : undefined;
      }),
      close: async () => void (await this.#streams.call({ kind: 'close', stream })),
    };
  }

  state(): number {
    return this.#translating(() => this.#schema.state());
  }

  async check(): Promise<void> {
    this.state();
    await this.read(compile(sql`SELECT value FROM counter`, this.dialect), 'look');
  }

  /** One thread writes, and what it is given meanwhile shares the next transaction. */
  async write(statements: readonly Statement[], epoch: number = this.epoch): Promise<WriteResult> {
    return epoch === this.epoch ? this.#writer.call({ kind: 'write', statements: pack(statements) }) : NOTHING_WRITTEN;
  }

  /** One load after the other: they share the temporary table. */
  writeFrom(staging: Staging, statements: readonly Statement[]): Promise<WriteResult> {
    const loaded = this.#loads.then(() => this.#load(staging, statements));
    this.#loads = loaded.catch(() => undefined);
    return loaded;
  }

  async #load({ table, columns, batches }: Staging, statements: readonly Statement[]): Promise<WriteResult> {
    await this.#writer.call({ kind: 'stage', staging: { table, columns } });
    try {
      // One batch is inserted over there while the next is made here.
      let pending: Promise<unknown> = Promise.resolve();
      for await (const rows of batches) {
        await pending;
        pending = this.#writer.call({ kind: 'add rows', table, rows });
      }
      await pending;
      return await this.#writer.call({ kind: 'write', statements: pack(statements) });
    } finally {
      await this.#writer.call({ kind: 'unstage', table });
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#streams, ...this.#scanners].map((thread) => thread.close()));
    await this.#writer.close();
    this.#reader.close();
    this.#looker.close();
  }
}
