/** Runs inside the thread that holds the columns of all tables. */

import { type CommandHandler, runThread } from '../threads/run-thread.ts';
import { aggregate } from './aggregate.ts';
import type { Aggregated, AggregateRequest, ColumnCommand, ColumnResult, ColumnVersion } from './commands.ts';
import { NumberMemory } from './number-memory.ts';
import type { IndexedRecord } from './row-group.ts';
import { type Change, Table } from './table.ts';

interface Held {
  readonly table: Table;
  /** Undefined while changes are missing. */
  version: ColumnVersion | undefined;
}

class ColumnHandler implements CommandHandler<ColumnCommand, ColumnResult> {
  readonly #memory = new NumberMemory();
  readonly #tables = new Map<number, Held>();
  readonly #computations = new Map<number, Generator<void, Aggregated>>();
  readonly #decoder = new TextDecoder();

  execute(command: ColumnCommand): ColumnResult {
    switch (command.kind) {
      case 'create': {
        const table = new Table(command.fields, this.#memory);
        this.#tables.set(command.table, { table, version: undefined });
        return { kind: 'stored', bytes: table.bytes };
      }
      case 'append': {
        const { table } = this.#held(command.table);
        // Lines are complete, and JSON contains no line breaks.
        const lines = this.#decoder.decode(command.lines).trimEnd().replaceAll('\n', ',');
        const records: readonly IndexedRecord[] = JSON.parse(`[${lines}]`);
        table.append(records);
        return { kind: 'stored', bytes: table.bytes };
      }
      case 'apply': {
        const held = this.#held(command.table);
        const changes: readonly Change[] = JSON.parse(`[${command.changes}]`);
        if (changes.length > 0) held.table.apply(changes);
        held.version = command.version;
        return { kind: 'stored', bytes: held.table.bytes };
      }
      case 'find': {
        const { table, version } = this.#held(command.table);
        if (version === undefined) return { kind: 'incomplete' };
        const { where, order, offset, limit, minMatches = 0 } = command.page;
        if (where !== undefined && minMatches > 0 && table.estimate(where) < minMatches) return { kind: 'few' };
        const matches = table.select(where);
        return { kind: 'found', page: { version, total: matches.total, ids: matches.page(order, offset, limit) } };
      }
      case 'count': {
        const { table, version } = this.#held(command.table);
        if (version === undefined) return { kind: 'incomplete' };
        const counts = command.filters.map((filter) => table.select(filter).total);
        return { kind: 'counted', counts: { version, counts } };
      }
      case 'aggregate': {
        const { table, version } = this.#held(command.table);
        if (version === undefined) return { kind: 'incomplete' };
        this.#computations.set(command.number, aggregated(table, version, command.request));
        return this.#step(command.number);
      }
      case 'step':
        return this.#step(command.number);
      case 'cancel':
        this.#computations.delete(command.number);
        return { kind: 'working' };
      case 'drop': {
        this.#tables.get(command.table)?.table.release();
        this.#tables.delete(command.table);
        return { kind: 'stored', bytes: 0 };
      }
    }
  }

  #step(number: number): ColumnResult {
    const computation = this.#computations.get(number);
    if (computation === undefined) throw new Error('the computation is not in this thread');
    const step = computation.next();
    if (!step.done) return { kind: 'working' };
    this.#computations.delete(number);
    return { kind: 'aggregated', aggregated: step.value };
  }

  #held(table: number): Held {
    const held = this.#tables.get(table);
    if (held === undefined) throw new Error('the table is not in this thread');
    return held;
  }

  close(): void {
    this.#tables.clear();
  }
}

/** The values are copied in the first step, so that the table may change afterwards. */
function* aggregated(table: Table, version: ColumnVersion, request: AggregateRequest): Generator<void, Aggregated> {
  const { where, fields, maxValues, maxCharacters } = request;
  const matches = table.select(where);
  const { total } = matches;
  if (total * fields.length > maxValues) return { version, total, result: 'too many values' };
  const columns = new Map(fields.map((field) => [field.name, matches.column(field)]));
  const characters = [...columns.values()].reduce((sum, { texts }) => sum + texts.characters, 0);
  if (characters > maxCharacters) return { version, total, result: 'too large' };
  yield;
  return { version, total, result: (yield* aggregate(request, columns, total)) ?? 'too many groups' };
}

runThread(
  () => new ColumnHandler(),
  (error) => error,
);
