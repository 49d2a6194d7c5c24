/** PostgreSQL as an engine: statements are prepared, travel without waiting for each other, and their rows stay bytes. */

import type { Effort } from '../sql/effort.ts';
import {
  type Engine,
  type LineStream,
  NOTHING_WRITTEN,
  type Staging,
  StatementRefused,
  type WriteResult,
} from '../sql/engine.ts';
import { readAhead } from '../sql/read-ahead.ts';
import type { Row } from '../sql/row.ts';
import { isAsExpected, type Statement } from '../sql/statement.ts';
import type { Cluster, Server } from './cluster.ts';
import { copyText } from './copy.ts';
import { postgresDialect } from './dialect.ts';
import { sqlState, translated } from './errors.ts';
import { Headway } from './headway.ts';
import type { Lane } from './lane.ts';
import { Lanes } from './lanes.ts';
import type { Rows } from './pool.ts';
import { PreparedTexts } from './prepared-texts.ts';
import type { Readers } from './readers.ts';

/** How large a piece of a stream is, about, in bytes; and how many lines the first one has, whose size is not known yet. */
const PIECE = 128 * 1024;
const FIRST_LINES = 30;

export class PostgresEngine implements Engine {
  readonly dialect = postgresDialect;
  readonly isRemote = true;
  readonly #cluster: Cluster;
  readonly #prepared = new PreparedTexts();
  readonly #lanes: Lanes;
  readonly #headway = new Headway();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#lanes = new Lanes(() => cluster.lane());
  }

  get epoch(): number {
    return this.#cluster.epoch;
  }

  async read(statement: Statement, effort: Effort = 'short'): Promise<readonly Row[]> {
    const server = await this.#cluster.server();
    const { text, parameters } = statement;
    const prepare = this.#prepared.has(text);
    try {
      // What is not prepared takes two turns, between which nothing else can be sent.
      if (effort === 'long' || !prepare) return rowsOf(await server.long.query(text, parameters, { prepare }));
      return rowsOf(await this.#shortly(server, (readers) => readers.query(text, parameters, { prepare })));
    } catch (error) {
      this.#cluster.failed(server, error);
      throw translated(error);
    }
  }

  /** What was thought to be short and is not would keep all others waiting: those that come now go round it. */
  #shortly<Result>({ short, long }: Server, ask: (readers: Readers) => Promise<Result>): Promise<Result> {
    return this.#headway.isHeldUp ? ask(long) : this.#headway.of(ask(short));
  }

  state(): undefined {
    return undefined;
  }

  async check(): Promise<void> {
    const server = await this.#cluster.server();
    try {
      await this.#cluster.soon(this.#shortly(server, (readers) => readers.query('SELECT 1')));
    } catch (error) {
      this.#cluster.failed(server, error);
      throw translated(error);
    }
  }

  /** A cursor on a connection of its own: whoever reads slowly keeps no other request from the pool. */
  async stream(head: Statement, lines: Statement): Promise<LineStream> {
    const lane = await this.#cluster.lane();
    const query = (text: string, { parameters }: Pick<Statement, 'parameters'> = { parameters: [] }) =>
      this.#onLane(() => this.#cluster.inTime(lane.query(text, parameters)));
    try {
      await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const rows = rowsOf(await query(head.text, head));
      await query(`DECLARE lines NO SCROLL CURSOR FOR ${lines.text}`, lines);
      let count = FIRST_LINES;
      const next = readAhead(async () => {
        const { cells } = await query(`FETCH ${count} FROM lines`);
        if (cells.length === 0) return undefined;
        const bytes = Buffer.concat(cells.flat());
        count = Math.max(1, Math.round((PIECE * cells.length) / bytes.length));
        return { bytes, lines: cells.length };
      });
      return { head: rows, next, close: () => lane.close() };
    } catch (error) {
      await lane.close();
      throw error;
    }
  }

  write(statements: readonly Statement[], epoch?: number): Promise<WriteResult> {
    return this.#onLane(() =>
      this.#lanes.use(async (lane) => {
        // To get the lane, another server may have been looked for.
        if (epoch !== undefined && epoch !== this.epoch) return NOTHING_WRITTEN;
        return this.#cluster.inTime(this.#transaction(lane, statements));
      }),
    );
  }

  writeFrom({ table, columns, batches }: Staging, statements: readonly Statement[]): Promise<WriteResult> {
    return this.#onLane(async () => {
      const lane = await this.#cluster.lane();
      try {
        const definitions = columns.map(({ name, type }) => `${name} ${this.dialect.columnTypes[type]}`);
        await lane.query(`CREATE TEMPORARY TABLE ${table} (${definitions.join(', ')})`);
        await lane.copyInto(table, texts(batches));
        await lane.query(`ANALYZE ${table}`);
        return await this.#longTransaction(lane, statements);
      } finally {
        await lane.close();
      }
    });
  }

  async close(): Promise<void> {
    await this.#lanes.close();
    await this.#cluster.close();
  }

  /** Everything is sent at once; whether it may stay is seen from what comes back. One statement is a transaction by itself. */
  async #transaction(lane: Lane, statements: readonly Statement[]): Promise<WriteResult> {
    const [only, ...others] = statements;
    if (only !== undefined && others.length === 0 && only.expect === undefined)
      return { written: true, rows: [await this.#sent(lane, only)] };
    const begun = lane.query('BEGIN');
    const sent = statements.map((statement) => this.#sent(lane, statement));
    const [, ...outcomes] = await Promise.allSettled([begun, ...sent]);
    return this.#ended(lane, statements, async (index) => {
      const outcome = outcomes[index];
      if (outcome?.status === 'fulfilled') return outcome.value;
      throw outcome?.reason;
    });
  }

  /** One statement after the other, none behind one that does not return what is expected: each may take long. */
  async #longTransaction(lane: Lane, statements: readonly Statement[]): Promise<WriteResult> {
    await lane.query('BEGIN');
    return this.#ended(lane, statements, (_, statement) => this.#sent(lane, statement));
  }

  async #ended(
    lane: Lane,
    statements: readonly Statement[],
    rowsOfStatement: (index: number, statement: Statement) => Promise<readonly Row[]>,
  ): Promise<WriteResult> {
    const rows: (readonly Row[])[] = [];
    for (const [index, statement] of statements.entries()) {
      try {
        rows.push(await rowsOfStatement(index, statement));
      } catch (error) {
        if (!lane.isLost) await lane.query('ROLLBACK');
        throw error;
      }
      if (!isAsExpected(rows[index] ?? [], statement.expect)) {
        await lane.query('ROLLBACK');
        return { written: false, rows };
      }
    }
    await lane.query('COMMIT');
    return { written: true, rows };
  }

  async #sent(lane: Lane, { text, parameters }: Statement): Promise<readonly Row[]> {
    return rowsOf(await lane.query(text, parameters, { prepare: this.#prepared.has(text) }));
  }

  async #onLane<Result>(body: () => Promise<Result>): Promise<Result> {
    try {
      return await body();
    } catch (error) {
      await this.#cluster.laneFailed(error);
      const told = translated(error);
      throw told === error && sqlState(error) !== undefined
        ? new StatementRefused(String(error), { cause: error })
        : told;
    }
  }
}

function rowsOf({ names, cells }: Rows): readonly Row[] {
  return cells.map((cellsOfRow) => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < names.length; index += 1) row[names[index] ?? ''] = cellsOfRow[index];
    return row;
  });
}

async function* texts(batches: Staging['batches']): AsyncIterable<string> {
  for await (const rows of batches) yield copyText(rows);
}
