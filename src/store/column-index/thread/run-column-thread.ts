/** Runs inside the thread that holds the columns of all tables. */

import { type CommandHandler, runThread } from '../../../threads/run-thread.ts';
import { aggregate } from './aggregate.ts';
import { aggregateBody } from './aggregate-body.ts';
import type {
  AggregateRequest,
  ColumnCommand,
  ColumnResult,
  ColumnVersion,
  PageRequest,
  WordsRequest,
} from './commands.ts';
import { type IndexedRow, rowsIn } from './indexed-row.ts';
import { type LineConsumer, lineConsumer } from './lines.ts';
import { NearestWords } from './nearest-words.ts';
import { NumberMemory } from './number-memory.ts';
import { Table } from './table.ts';

/** How long a step takes, in milliseconds: others get their turn after it. */
const STEP_TIME = 5;

interface HeldTable {
  readonly table: Table;
  /** Undefined while changes are missing. */
  version: ColumnVersion | undefined;
}

/** Says whether it still reads the table, which then must not change, whenever others may get their turn. */
type Computation = Generator<'reading' | 'computing', ColumnResult>;

interface RunningComputation {
  readonly computation: Computation;
  /** What it reads, unless it is computed from lines. */
  readonly table: Table | undefined;
  /** Of the table, when it was last read. */
  readonly changes: number | undefined;
  phase: 'reading' | 'computing';
}

class ColumnHandler implements CommandHandler<ColumnCommand, ColumnResult> {
  readonly #memory = new NumberMemory();
  readonly #tables = new Map<number, HeldTable>();
  readonly #running = new Map<number, RunningComputation>();
  /** Computations that have not got all lines yet. */
  readonly #consumers = new Map<number, LineConsumer>();

  execute(command: ColumnCommand): ColumnResult {
    switch (command.kind) {
      case 'create': {
        const table = new Table(command.fields, this.#memory);
        this.#tables.set(command.table, { table, version: undefined });
        return { kind: 'stored', bytes: table.bytes };
      }
      case 'apply': {
        const held = this.#held(command.table);
        return this.#begin(command.number, held.table, apply(held, rowsIn(command.rows), command.version));
      }
      case 'find': {
        const { table, version } = this.#held(command.table);
        if (version === undefined) return { kind: 'changed' };
        return this.#begin(command.number, table, find(table, version, command.page));
      }
      case 'aggregate': {
        const { table, version } = this.#held(command.table);
        if (version === undefined) return { kind: 'changed' };
        return this.#begin(command.number, table, aggregated(table, version, command.request));
      }
      case 'words': {
        const { table, version } = this.#held(command.table);
        if (version === undefined) return { kind: 'changed' };
        return this.#begin(command.number, table, nearestWords(table, command.request));
      }
      case 'consume':
        this.#consumers.set(command.number, lineConsumer(command.computation));
        return { kind: 'working' };
      case 'add':
        return this.#consumer(command.number).add(command.lines) ?? { kind: 'working' };
      case 'finish': {
        const finished = this.#consumer(command.number).finish();
        this.#consumers.delete(command.number);
        return 'kind' in finished ? finished : this.#begin(command.number, undefined, during('computing', finished));
      }
      case 'step':
        return this.#step(command.number);
      case 'cancel':
        this.#running.delete(command.number);
        this.#consumers.delete(command.number);
        return { kind: 'working' };
      case 'drop':
        this.#drop(command.table);
        return { kind: 'stored', bytes: 0 };
    }
  }

  /** A body is moved instead of copied. */
  transferred(result: ColumnResult): readonly ArrayBuffer[] {
    const body = result.kind === 'aggregated' ? result.aggregated.body : result.kind === 'printed' ? result.body : [];
    return typeof body === 'string' ? [] : body.map((piece) => piece.buffer);
  }

  #begin(number: number, table: Table | undefined, computation: Computation): ColumnResult {
    this.#running.set(number, { computation, table, changes: table?.changes, phase: 'computing' });
    return this.#step(number);
  }

  #step(number: number): ColumnResult {
    const running = this.#running.get(number);
    if (running === undefined) throw new Error('the computation is not in this thread');
    if (running.phase === 'reading' && running.changes !== running.table?.changes) {
      this.#running.delete(number);
      return { kind: 'changed' };
    }
    const end = performance.now() + STEP_TIME;
    let step = running.computation.next();
    while (!step.done && performance.now() < end) step = running.computation.next();
    if (!step.done) {
      running.phase = step.value;
      return { kind: 'working' };
    }
    this.#running.delete(number);
    return step.value;
  }

  #drop(number: number): void {
    const table = this.#tables.get(number)?.table;
    this.#tables.delete(number);
    for (const [computation, running] of this.#running) if (running.table === table) this.#running.delete(computation);
    table?.release();
  }

  #consumer(number: number): LineConsumer {
    const consumer = this.#consumers.get(number);
    if (consumer === undefined) throw new Error('the computation is not in this thread');
    return consumer;
  }

  #held(table: number): HeldTable {
    const held = this.#tables.get(table);
    if (held === undefined) throw new Error('the table is not in this thread');
    return held;
  }

  close(): void {
    this.#tables.clear();
    this.#consumers.clear();
  }
}

function* apply(held: HeldTable, rows: readonly IndexedRow[], version: ColumnVersion | undefined): Computation {
  held.version = undefined;
  if (rows.length > 0) yield* during('computing', held.table.apply(rows));
  if (version !== undefined && held.table.rows !== version.rows)
    throw new Error(`the index has ${held.table.rows} records, and the ledger ${version.rows}`);
  held.version = version;
  return { kind: 'stored', bytes: held.table.bytes };
}

function* find(table: Table, version: ColumnVersion, page: PageRequest): Computation {
  const { where, order, offset, limit, minCandidates = 0, explained } = page;
  if (where !== undefined && minCandidates > 0 && (yield* during('reading', table.candidates(where))) < minCandidates)
    return { kind: 'few' };
  const matches = yield* during('reading', table.select(where));
  const ids = yield* during('reading', matches.page(order, offset, limit));
  if (ids === undefined) return { kind: 'incomplete' };
  const counts = explained && (yield* during('reading', table.explain(explained)));
  return { kind: 'found', page: { version, total: matches.total, ids, explained: counts } };
}

function* aggregated(table: Table, version: ColumnVersion, request: AggregateRequest): Computation {
  const { where, fields, maxValues } = request;
  const matches = yield* during('reading', table.select(where));
  const { total } = matches;
  if (total * fields.length > maxValues)
    return { kind: 'aggregated', aggregated: { version, total, body: 'too many values' } };
  const columns = new Map(fields.map((field) => [field.name, matches.column(field)]));
  const result = yield* aggregate(request, columns, total);
  const body = typeof result === 'string' ? result : aggregateBody(request, total, result);
  return { kind: 'aggregated', aggregated: { version, total, body } };
}

function* nearestWords(table: Table, { fields, words }: WordsRequest): Computation {
  const nearest = new NearestWords(words);
  yield* during(
    'reading',
    table.forEachText(fields, (text) => nearest.add(text)),
  );
  return { kind: 'nearest', words: nearest.found };
}

function* during<Phase, Result>(phase: Phase, steps: Generator<unknown, Result>): Generator<Phase, Result> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    yield phase;
  }
}

runThread(
  () => new ColumnHandler(),
  (error) => error,
);
