/** Rows on their way into the temporary table from which they are loaded. */

import { initialValue } from '../../catalog/resource.ts';
import type { IncomingRow, LoadPlan } from '../store.ts';
import { columnsOf } from './columns.ts';
import type { Dialect, Parameter } from './dialect.ts';
import type { Staging } from './engine.ts';
import { bitOf, STAGING_COLUMNS, STAGING_TABLE, State } from './load-statements.ts';

/** A field that a row does not give is filled with its initial value, in case the record is new. */
export function stagingOf(
  { resource, now }: LoadPlan,
  batches: AsyncIterable<readonly IncomingRow[]>,
  dialect: Dialect,
): Staging {
  const columns = columnsOf(resource).map(({ name, type, field, holds }) => ({
    name,
    type,
    field,
    bit: name === field.name ? bitOf(resource, field) : 0,
    stored: (value: Parameters<typeof holds>[0]) => dialect.encode(holds(value)),
    initial: dialect.encode(holds(initialValue(field, now) ?? null)),
  }));
  const staged = ({ line, values, text }: IncomingRow): readonly Parameter[] => {
    let given = 0;
    const cells = columns.map(({ field, bit, stored, initial }) => {
      const value = values.get(field);
      if (value === undefined) return initial;
      given += bit;
      return stored(value);
    });
    return [line, given, State.new, null, text ?? null, ...cells];
  };
  return {
    table: STAGING_TABLE,
    columns: [...STAGING_COLUMNS, ...columns.map(({ name, type }) => ({ name, type }))],
    batches: mapped(batches, (batch) => batch.map(staged)),
  };
}

async function* mapped<In, Out>(items: AsyncIterable<In>, change: (item: In) => Out): AsyncIterable<Out> {
  for await (const item of items) yield change(item);
}
