/** Rows on their way into the temporary table from which they are loaded, in the form in which an engine takes them. */

import { type Field, id, initialValue, type Resource } from '../../catalog/resource.ts';
import type { Value } from '../../catalog/value.ts';
import type { Staging } from '../engine/engine.ts';
import type { IncomingRow, RowFacts, StagedBatch, StagingOrder } from '../store.ts';
import { columnsOf } from './columns.ts';
import type { Dialect, StagedRow } from './dialect.ts';
import { bitOf, givenColumns } from './given-fields.ts';
import { RowState, STAGING_COLUMNS } from './load-statements.ts';
import { recordBytes } from './storage-use.ts';

/** More rows, or more bytes in their records, are staged before the transaction that loads them, and packed. */
export const MAX_FEW_ROWS = 500;
export const MAX_FEW_BYTES = 512 * 1024;

/** Likewise, if they have so many cells: with hundreds of fields, a few rows have many. */
const MAX_FEW_CELLS = 50_000;

/** The columns of the temporary table. */
export function stagingColumns(resource: Resource): Staging['columns'] {
  const values = columnsOf(resource).map(({ name, storage }) => ({ name, storage }));
  return [...STAGING_COLUMNS, ...givenColumns(resource), ...values];
}

export class Stager {
  readonly #order: StagingOrder;
  readonly #pack: Dialect['pack'];
  readonly #flags: number;
  readonly #cells: readonly StagedCell[];
  readonly #initials: ReadonlyMap<Field, Value | null>;
  #facts: RowFacts = { rows: 0, bytes: 0, lastLine: 0, hasRemovals: false, lacksIds: false };

  constructor(order: StagingOrder, dialect: Pick<Dialect, 'encode' | 'pack'>) {
    const { resource, now } = order;
    this.#order = order;
    this.#pack = dialect.pack;
    this.#initials = new Map(resource.fields.map((field) => [field, initialValue(field, now) ?? null]));
    this.#flags = givenColumns(resource).length;
    this.#cells = columnsOf(resource).map(({ field, stored }) => ({
      field,
      ...bitOf(resource, field),
      encode: (value) => dialect.encode(stored(value)),
      initial: dialect.encode(stored(this.#initials.get(field) ?? null)),
    }));
  }

  stage(rows: readonly IncomingRow[]): StagedBatch {
    const staged = rows.map((row) => this.#stage(row));
    const facts = this.#facts;
    const areFew =
      facts.rows <= MAX_FEW_ROWS && facts.bytes <= MAX_FEW_BYTES && facts.rows * this.#cells.length <= MAX_FEW_CELLS;
    return { rows: areFew ? staged : this.#pack(staged), facts };
  }

  /** A field that a row does not give gets its initial value, in case the record is new. */
  #stage({ line, values, isRemoved, text }: IncomingRow): StagedRow {
    const given = Array.from({ length: this.#flags }, () => 0);
    const cells = this.#cells.map(({ field, column, bit, encode, initial }) => {
      const value = values.get(field);
      if (value === undefined) return initial;
      given[column] = (given[column] ?? 0) | bit;
      return encode(value);
    });
    const { account, resource } = this.#order;
    const bytes = recordBytes(resource, values, this.#initials);
    const before = this.#facts;
    this.#facts = {
      rows: before.rows + 1,
      bytes: before.bytes + bytes,
      lastLine: line,
      hasRemovals: before.hasRemovals || isRemoved === true,
      lacksIds: before.lacksIds || (isRemoved !== true && !values.has(id)),
    };
    const state = isRemoved === true ? RowState.absent : RowState.new;
    return [account, line, state, null, text ?? null, bytes, ...given, ...cells];
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
