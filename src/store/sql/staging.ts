/** Rows on their way into the temporary table from which they are loaded. */

import { initialValue, type Resource } from '../../catalog/resource.ts';
import type { IncomingRow } from '../store.ts';
import { columnsOf } from './columns.ts';
import type { Dialect } from './dialect.ts';
import type { StagedRow, Staging } from './engine.ts';
import { bitsOf, STAGING_TABLE, State } from './load-statements.ts';

/** A field that a row does not give is filled with its initial value, in case the record is new. */
export function stagingOf(
  resource: Resource,
  batches: AsyncIterable<readonly IncomingRow[]>,
  now: string,
  dialect: Dialect,
): Staging {
  const columns = columnsOf(resource);
  const staged = ({ line, values }: IncomingRow): StagedRow => [
    line,
    bitsOf(resource, values.keys()),
    State.new,
    ...columns.map(({ field, holds }) => {
      const value = values.get(field);
      return dialect.encode(holds(value === undefined ? (initialValue(field, now) ?? null) : value));
    }),
  ];
  return {
    table: STAGING_TABLE,
    columns: [
      { name: 'line', type: 'integer' },
      { name: 'given', type: 'integer' },
      { name: 'state', type: 'integer' },
      ...columns.map(({ name, type }) => ({ name, type })),
    ],
    batches: mapped(batches, (batch) => batch.map(staged)),
  };
}

async function* mapped<In, Out>(items: AsyncIterable<In>, change: (item: In) => Out): AsyncIterable<Out> {
  for await (const item of items) yield change(item);
}
