/** The thread that aggregates streams of records, one as JSON per line. */

import { constants, setPriority } from 'node:os';
import type { Value } from '../catalog/value.ts';
import { valueTypes } from '../catalog/value-types.ts';
import { type AggregateResult, aggregate } from '../columns/aggregate.ts';
import { Column } from '../columns/column.ts';
import { MAX_GROUPS } from '../columns/grouping.ts';
import { recordsIn } from '../columns/lines.ts';
import { type Consumer, runStreamConsumer } from '../threads/run-stream-consumer.ts';
import { aggregateBody } from './aggregate.ts';
import { type AggregateBody, type AggregateStart, MAX_CHARACTERS } from './aggregation.ts';

/** The size of a piece of the body in bytes. */
const PIECE_BYTES = 128 * 1024;

function begin(start: AggregateStart): Consumer<AggregateBody> {
  const columns = new Map(start.fields.map(({ name, type }) => [name, new Column(valueTypes[type].storage)]));
  let rows = 0;
  let computation: Generator<void, AggregateResult | undefined> | undefined;
  return {
    update(bytes) {
      const records = recordsIn<Readonly<Record<string, Value | null>>>(bytes);
      for (const record of records) for (const [name, column] of columns) column.push(record[name] ?? null);
      rows += records.length;
      return exceeded([...columns.values()]);
    },
    finish() {
      if (start.result !== undefined) return bodyOf(start, start.result);
      computation ??= aggregate(start, columns, rows);
      const step = computation.next();
      if (!step.done) return undefined;
      return step.value === undefined ? 'too many groups' : bodyOf(start, step.value);
    },
  };
}

/** Text is only grouped by value. */
function exceeded(columns: readonly Column[]): AggregateBody | undefined {
  if (columns.some(({ texts }) => texts.count > MAX_GROUPS)) return 'too many groups';
  const characters = columns.reduce((sum, { texts }) => sum + texts.characters, 0);
  return characters > MAX_CHARACTERS ? 'too large' : undefined;
}

function bodyOf(start: AggregateStart, result: AggregateResult): AggregateBody {
  const body = aggregateBody(start, result);
  return body === undefined ? 'too large' : piecesOf(body);
}

function piecesOf(body: string): readonly Uint8Array<ArrayBuffer>[] {
  const bytes = new TextEncoder().encode(body);
  const count = Math.max(1, Math.ceil(bytes.length / PIECE_BYTES));
  return Array.from({ length: count }, (_, n) => bytes.slice(n * PIECE_BYTES, (n + 1) * PIECE_BYTES));
}

// Requests that are served at once come first. On Linux, a thread has a priority of its own.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
runStreamConsumer(begin, {
  transferred: (body) => (typeof body === 'string' ? [] : body.map((piece) => piece.buffer)),
});
