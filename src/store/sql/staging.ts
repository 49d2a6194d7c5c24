/** Rows on their way into the temporary table from which they are loaded. */

import { type Field, id, initialValue } from '../../catalog/resource.ts';
import type { Value } from '../../catalog/value.ts';
import type { StagedRow, Staging } from '../engine/engine.ts';
import type { AccountId, IncomingRow, LoadPlan } from '../store.ts';
import { columnsOf } from './columns.ts';
import type { Dialect } from './dialect.ts';
import { bitOf, givenColumns } from './given-fields.ts';
import { RowState, STAGING_COLUMNS, type StagedFacts } from './load-statements.ts';
import { recordBytes } from './storage-use.ts';

export class Stager {
  readonly columns: Staging['columns'];
  readonly #account: AccountId;
  readonly #plan: LoadPlan;
  readonly #flags: number;
  readonly #cells: readonly StagedCell[];
  readonly #initials: ReadonlyMap<Field, Value | null>;
  #rows = 0;
  #lastLine = 0;
  #hasRemovals = false;
  #lacksIds = false;
  /** The size of the records of all rows. */
  bytes = 0;

  constructor(account: AccountId, plan: LoadPlan, dialect: Dialect) {
    const { resource, now } = plan;
    this.#account = account;
    this.#plan = plan;
    this.#initials = new Map(resource.fields.map((field) => [field, initialValue(field, now) ?? null]));
    const columns = columnsOf(resource);
    const flags = givenColumns(resource);
    this.#flags = flags.length;
    this.#cells = columns.map(({ field, stored }) => ({
      field,
      ...bitOf(resource, field),
      encode: (value) => dialect.encode(stored(value)),
      initial: dialect.encode(stored(this.#initials.get(field) ?? null)),
    }));
    this.columns = [...STAGING_COLUMNS, ...flags, ...columns.map(({ name, storage }) => ({ name, storage }))];
  }

  get facts(): Omit<StagedFacts, 'table' | 'isFew' | 'importId'> {
    return {
      rows: this.#rows,
      lastLine: this.#lastLine,
      hasRemovals: this.#hasRemovals,
      lacksIds: this.#lacksIds,
    };
  }

  /** A field that a row does not give gets its initial value, in case the record is new. */
  stage({ line, values, isRemoved, text }: IncomingRow): StagedRow {
    const given = Array.from({ length: this.#flags }, () => 0);
    const cells = this.#cells.map(({ field, column, bit, encode, initial }) => {
      const value = values.get(field);
      if (value === undefined) return initial;
      given[column] = (given[column] ?? 0) | bit;
      return encode(value);
    });
    const bytes = recordBytes(this.#plan.resource, values, this.#initials);
    this.#rows += 1;
    this.#lastLine = line;
    this.#hasRemovals ||= isRemoved === true;
    this.#lacksIds ||= isRemoved !== true && !values.has(id);
    this.bytes += bytes;
    const state = isRemoved === true ? RowState.absent : RowState.new;
    return [this.#account, line, state, null, text ?? null, bytes, ...given, ...cells];
  }
}

interface StagedCell {
  readonly field: Field;
  /** Where it is marked as given. */
  readonly column: number;
  readonly bit: number;
  readonly encode: (value: Value | null) => StagedRow[number];
  readonly initial: StagedRow[number];
}
