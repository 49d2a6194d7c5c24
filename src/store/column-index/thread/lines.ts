/** Records as JSON, one per line, and what is computed from a stream of them. */

import { createHash } from 'node:crypto';
import { fold } from '../../../catalog/fold.ts';
import type { Value } from '../../../catalog/value.ts';
import { valueTypes } from '../../../catalog/value-types.ts';
import { MAX_GROUPS } from '../../../plan/aggregate.ts';
import { aggregate } from './aggregate.ts';
import { type AggregateBody, aggregateBody } from './aggregate-body.ts';
import { Column } from './column.ts';
import type { ColumnResult, LineAggregate, LineComputation, WordsRequest } from './commands.ts';
import { NearestWords } from './nearest-words.ts';

const decoder = new TextDecoder();

/** Lines are complete, and JSON contains no line breaks. */
function recordsIn<Type>(lines: Uint8Array): readonly Type[] {
  return JSON.parse(`[${decoder.decode(lines).trimEnd().replaceAll('\n', ',')}]`);
}

/** Consumes one stream of lines. */
export interface LineConsumer {
  /** Returns a result if the rest of the stream does not matter. */
  add(lines: Uint8Array): ColumnResult | undefined;
  /** Called after the last lines. What takes long is computed in steps. */
  finish(): ColumnResult | Generator<unknown, ColumnResult>;
}

export function lineConsumer(computation: LineComputation): LineConsumer {
  switch (computation.kind) {
    case 'sha256':
      return hash();
    case 'aggregate':
      return aggregateLines(computation);
    case 'words':
      return compareWords(computation);
  }
}

function hash(): LineConsumer {
  const sha256 = createHash('sha256');
  return {
    add(lines) {
      sha256.update(lines);
      return undefined;
    },
    finish: () => ({ kind: 'hashed', sha256: sha256.digest('hex') }),
  };
}

function compareWords({ fields, words }: WordsRequest): LineConsumer {
  const nearest = new NearestWords(words);
  return {
    add(lines) {
      for (const record of recordsIn<Readonly<Record<string, string | null>>>(lines))
        for (const { name } of fields) nearest.add(fold(record[name] ?? ''));
      return undefined;
    },
    finish: () => ({ kind: 'nearest', words: nearest.found }),
  };
}

function aggregateLines(request: LineAggregate): LineConsumer {
  const columns = new Map(request.fields.map(({ name, type }) => [name, new Column(valueTypes[type].storage)]));
  return {
    add(lines) {
      const records = recordsIn<Readonly<Record<string, Value | null>>>(lines);
      for (const record of records) for (const [name, column] of columns) column.push(record[name] ?? null);
      const body = exceeded([...columns.values()], request.maxCharacters);
      return body && { kind: 'printed', body };
    },
    *finish() {
      const { total } = request;
      const result = yield* aggregate(request, columns, total);
      return { kind: 'printed', body: typeof result === 'string' ? result : aggregateBody(request, total, result) };
    },
  };
}

/** Text is only grouped by value. */
function exceeded(columns: readonly Column[], maxCharacters: number): AggregateBody | undefined {
  if (columns.some(({ texts }) => texts.count > MAX_GROUPS)) return 'too many groups';
  const characters = columns.reduce((sum, { texts }) => sum + texts.characters, 0);
  return characters > maxCharacters ? 'too large' : undefined;
}
