/** SQLite as an engine: reads run where they are asked, writes in a thread of their own. */

import type { Engine, Staging, WriteResult } from '../sql/engine.ts';
import type { Row } from '../sql/row.ts';
import type { Statement } from '../sql/statement.ts';
import type { Connection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { translated } from './errors.ts';
import { Writer } from './writer.ts';

export class SqliteEngine implements Engine {
  readonly dialect = sqliteDialect;
  readonly #path: string;
  readonly #reader: Connection;
  readonly #writer: Writer;
  #loads: Promise<unknown> = Promise.resolve();

  constructor(path: string, reader: Connection) {
    this.#path = path;
    this.#reader = reader;
    this.#writer = new Writer(path);
  }

  async read(statement: Statement): Promise<readonly Row[]> {
    try {
      return this.#reader.read(statement);
    } catch (error) {
      throw translated(error, this.#path);
    }
  }

  write(statements: readonly Statement[]): Promise<WriteResult> {
    return this.#writer.call({ kind: 'write', statements });
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
      return await this.#writer.call({ kind: 'write', statements });
    } finally {
      await this.#writer.call({ kind: 'unstage', table });
    }
  }

  async close(): Promise<void> {
    await this.#writer.close();
    this.#reader.close();
  }
}
