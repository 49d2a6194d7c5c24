/** Rows on their way into the temporary table from which they are loaded. */

import { initialValue } from '../../catalog/resource.ts';
import type { Staging } from '../engine/engine.ts';
import type { AccountId, IncomingRow, LoadPlan } from '../store.ts';
import { columnsOf } from './columns.ts';
import type { Dialect, Parameter } from './dialect.ts';
import { bitOf, givenColumns } from './given-fields.ts';
import { RowState, STAGING_COLUMNS, STAGING_TABLE } from './load-statements.ts';
import { recordBytes } from './storage-use.ts';

/** A field that a row does not give gets its initial value, in case the record is new. `onBatch` is called with each batch: its last line, and the size of its records. */
export function stagingOf(
  account: AccountId,
  { resource, now }: LoadPlan,
  batches: AsyncIterable<readonly IncomingRow[]>,
  dialect: Dialect,
  onBatch: (lastLine: number, bytes: number) => void,
): Staging {
  const columns = columnsOf(resource).map(({ name, storage, field, stored }) => ({
    name,
    storage,
    field,
    ...bitOf(resource, field),
    encode: (value: Parameters<typeof stored>[0]) => dialect.encode(stored(value)),
    initial: dialect.encode(stored(initialValue(field, now) ?? null)),
  }));
  const flags = givenColumns(resource);
  const initials = new Map(resource.fields.map((field) => [field, initialValue(field, now) ?? null]));
  let batchBytes = 0;
  const stage = ({ line, values, text }: IncomingRow): readonly Parameter[] => {
    const given = flags.map(() => 0);
    const cells = columns.map(({ field, column, bit, encode, initial }) => {
      const value = values.get(field);
      if (value === undefined) return initial;
      given[column] = (given[column] ?? 0) | bit;
      return encode(value);
    });
    const bytes = recordBytes(resource, values, initials);
    batchBytes += bytes;
    return [account, line, RowState.new, null, text ?? null, bytes, ...given, ...cells];
  };
  return {
    table: STAGING_TABLE,
    columns: [...STAGING_COLUMNS, ...flags, ...columns.map(({ name, storage }) => ({ name, storage }))],
    order: 'line',
    batches: map(batches, (batch) => {
      batchBytes = 0;
      const rows = batch.map(stage);
      const last = batch.at(-1);
      if (last !== undefined) onBatch(last.line, batchBytes);
      return rows;
    }),
  };
}

async function* map<In, Out>(items: AsyncIterable<In>, change: (item: In) => Out): AsyncIterable<Out> {
  for await (const item of items) yield change(item);
}
