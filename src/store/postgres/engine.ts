/** PostgreSQL as an engine: small reads share pipelined connections; slow reads, writes and streams have their own. */

import { CHUNK_BYTES, type Engine, type LineStream, type Staging, type WriteResult } from '../engine/engine.ts';
import { readAhead } from '../engine/read-ahead.ts';
import type { Row } from '../sql/row.ts';
import { textOf } from '../sql/row.ts';
import { meetsExpectation, type Statement } from '../sql/statement.ts';
import { StoreUnavailable } from '../store-error.ts';
import type { Connection } from './connection.ts';
import { copyText } from './copy.ts';
import { postgresDialect } from './dialect.ts';
import type { Primary } from './primary.ts';

/** How many lines the first chunk of a stream has, while their size is unknown. */
const FIRST_LINES = 30;

export class PostgresEngine implements Engine {
  readonly dialect = postgresDialect;
  readonly hasStatistics = true;
  readonly #primary: Primary;

  constructor(primary: Primary) {
    this.#primary = primary;
  }

  reserved(statement: Statement): Promise<readonly Row[]> {
    return this.#primary.run(async (server) => send(await server.shared('reserved'), statement));
  }

  /** A statement that turns out to be slow is cancelled by the server, so it delays those behind it only briefly. */
  async fast(statement: Statement): Promise<readonly Row[]> {
    try {
      return await this.#primary.run(async (server) => send(await server.shared('fast'), statement));
    } catch (error) {
      if (error instanceof StoreUnavailable && error.reason === 'too slow') return this.slow(statement);
      throw error;
    }
  }

  slow(statement: Statement): Promise<readonly Row[]> {
    return this.#primary.run((server) => server.slow.use((connection) => send(connection, statement)));
  }

  write(statements: readonly Statement[]): Promise<WriteResult> {
    return this.#primary.run((server) => server.write.use((connection) => transaction(connection, statements)));
  }

  load({ table, columns, batches }: Staging, statements: readonly Statement[]): Promise<WriteResult> {
    return this.#primary.run(async (server) => {
      const connection = await server.openWriter();
      try {
        const definitions = columns.map(({ name, storage }) => `${name} ${this.dialect.columnTypes[storage]}`);
        await connection.query(`CREATE TEMPORARY TABLE ${table} (${definitions.join(', ')})`);
        await connection.copyInto(table, texts(batches));
        await connection.query(`ANALYZE ${table}`);
        return await transaction(connection, statements);
      } finally {
        await connection.close();
      }
    });
  }

  /** A cursor on a connection of its own, so that a slow reader takes no connection from others. */
  async stream(head: Statement, lines: Statement): Promise<LineStream> {
    const connection = await this.#primary.run((server) => server.open('stream'));
    const query = (statement: Pick<Statement, 'text' | 'parameters'>) =>
      this.#primary.run(() => connection.query(statement.text, statement.parameters));
    try {
      await query({ text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', parameters: [] });
      const rows = await query(head);
      await query({ ...lines, text: `DECLARE lines NO SCROLL CURSOR FOR ${lines.text}` });
      let count = FIRST_LINES;
      const next = readAhead(async () => {
        const fetched = await query({ text: `FETCH ${count} FROM lines`, parameters: [] });
        if (fetched.length === 0) return undefined;
        const bytes = Buffer.from(fetched.map((row) => textOf(row, 'line')).join(''));
        count = Math.max(1, Math.round((CHUNK_BYTES * fetched.length) / bytes.length));
        return { bytes, lines: fetched.length };
      });
      return { head: rows, next, close: () => connection.close() };
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  changeCounter(): undefined {
    return undefined;
  }

  async check(): Promise<void> {
    await this.#primary.run(async (server) => this.#primary.soon((await server.shared('reserved')).query('SELECT 1')));
  }

  close(): Promise<void> {
    return this.#primary.close();
  }
}

function send(connection: Connection, { text, parameters }: Statement): Promise<readonly Row[]> {
  return connection.query(text, parameters, { isPrepared: true });
}

/** A single statement is a transaction by itself. */
async function transaction(connection: Connection, statements: readonly Statement[]): Promise<WriteResult> {
  const [only, ...others] = statements;
  if (only !== undefined && others.length === 0) return { isCommitted: true, rows: [await send(connection, only)] };
  await connection.query('BEGIN');
  const rows: (readonly Row[])[] = [];
  try {
    for (const statement of statements) {
      const returned = await send(connection, statement);
      rows.push(returned);
      if (meetsExpectation(returned, statement.expect)) continue;
      await connection.query('ROLLBACK');
      return { isCommitted: false, rows };
    }
    await connection.query('COMMIT');
    return { isCommitted: true, rows };
  } catch (error) {
    if (!connection.isLost) await connection.query('ROLLBACK');
    throw error;
  }
}

async function* texts(batches: Staging['batches']): AsyncIterable<string> {
  for await (const rows of batches) yield copyText(rows);
}
