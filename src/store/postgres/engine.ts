/** PostgreSQL as an engine: statements are prepared, travel without waiting for each other, and their rows stay bytes. */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReservedSql } from 'postgres';
import type { Engine, LineStream, Staging, WriteResult } from '../sql/engine.ts';
import { readAhead } from '../sql/read-ahead.ts';
import type { Row } from '../sql/row.ts';
import { isAsExpected, type Statement } from '../sql/statement.ts';
import type { Cluster, Pool } from './cluster.ts';
import { copyText } from './copy.ts';
import { postgresDialect } from './dialect.ts';
import { translated } from './errors.ts';

/** Shapes that are prepared, on every connection; what comes beyond is planned each time. */
const MAX_PREPARED = 1_000;

/** Lines of a stream that come in one piece. */
const LINES_AT_ONCE = 1_000;

export class PostgresEngine implements Engine {
  readonly dialect = postgresDialect;
  readonly #cluster: Cluster;
  readonly #prepared = new Set<string>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  read(statement: Statement): Promise<readonly Row[]> {
    return this.#withPool((pool) => this.#run(pool, statement));
  }

  /** A cursor on a connection of its own: whoever reads slowly keeps no other request from the pool. */
  async stream(head: Statement, lines: Statement): Promise<LineStream> {
    const connection = await this.#cluster.connection();
    const inTime = async <Result>(answer: Promise<Result>): Promise<Result> => {
      try {
        return await this.#cluster.inTime(answer);
      } catch (error) {
        throw translated(error);
      }
    };
    const close = () => connection.end({ timeout: 0 });
    try {
      await inTime(connection.unsafe('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'));
      const rows = await inTime(this.#run(connection, head));
      const declaration = `DECLARE lines NO SCROLL CURSOR FOR ${lines.text}`;
      await inTime(connection.unsafe(declaration, [...lines.parameters], { prepare: false }));
      const next = readAhead(async () => {
        const fetched = await inTime(connection.unsafe(`FETCH ${LINES_AT_ONCE} FROM lines`).raw());
        if (fetched.length === 0) return undefined;
        return { bytes: Buffer.concat(fetched.flatMap(([line]) => line ?? [])), lines: fetched.length };
      });
      return { head: rows, next, close };
    } catch (error) {
      await close();
      throw error;
    }
  }

  write(statements: readonly Statement[]): Promise<WriteResult> {
    return this.#withConnection((connection) => this.#transaction(connection, statements));
  }

  writeFrom({ table, columns, batches }: Staging, statements: readonly Statement[]): Promise<WriteResult> {
    return this.#withConnection(async (connection) => {
      const definitions = columns.map(({ name, type }) => `${name} ${this.dialect.columnTypes[type]}`);
      await connection.unsafe(`CREATE TEMPORARY TABLE ${table} (${definitions.join(', ')})`);
      try {
        const copy = await connection.unsafe(`COPY ${table} FROM STDIN`).writable();
        await pipeline(Readable.from(texts(batches)), copy);
        await connection.unsafe(`ANALYZE ${table}`);
        return await this.#transaction(connection, statements);
      } finally {
        await connection.unsafe(`DROP TABLE IF EXISTS ${table}`);
      }
    });
  }

  close(): Promise<void> {
    return this.#cluster.close();
  }

  /** Everything is sent at once; whether it may stay is seen from what comes back. */
  async #transaction(connection: ReservedSql, statements: readonly Statement[]): Promise<WriteResult> {
    const begun = connection.unsafe('BEGIN').execute();
    const outcomes = await Promise.allSettled(statements.map((statement) => this.#run(connection, statement)));
    await begun;
    const rows: (readonly Row[])[] = [];
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status === 'rejected') {
        await connection.unsafe('ROLLBACK');
        throw outcome.reason;
      }
      rows.push(outcome.value);
      if (!isAsExpected(outcome.value, statements[index]?.expect)) {
        await connection.unsafe('ROLLBACK');
        return { written: false, rows };
      }
    }
    await connection.unsafe('COMMIT');
    return { written: true, rows };
  }

  async #run(connection: Pool | ReservedSql, { text, parameters }: Statement): Promise<readonly Row[]> {
    const result = await connection.unsafe(text, [...parameters], { prepare: this.#isPrepared(text) }).raw();
    if (result.length === 0) return [];
    const names = result.columns.map(({ name }) => name);
    return result.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index]])));
  }

  #isPrepared(text: string): boolean {
    if (this.#prepared.size < MAX_PREPARED) this.#prepared.add(text);
    return this.#prepared.has(text);
  }

  async #withPool<Result>(body: (pool: Pool) => Promise<Result>): Promise<Result> {
    const pool = await this.#cluster.pool();
    try {
      return await this.#cluster.inTime(body(pool));
    } catch (error) {
      await this.#cluster.failed(pool, error);
      throw translated(error);
    }
  }

  #withConnection<Result>(body: (connection: ReservedSql) => Promise<Result>): Promise<Result> {
    return this.#withPool(async (pool) => {
      const connection = await pool.reserve();
      try {
        return await body(connection);
      } finally {
        connection.release();
      }
    });
  }
}

async function* texts(batches: Staging['batches']): AsyncIterable<string> {
  for await (const rows of batches) yield copyText(rows);
}
