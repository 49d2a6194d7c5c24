/** Up to `GROUP_ROWS` records in the order of their ids, field by field. */

import type { Field } from '../../../catalog/resource.ts';
import { valueTypes } from '../../../catalog/value-types.ts';
import type { Predicate } from '../../../plan/plan.ts';
import { type Bitmap, complement, emptyBitmap, firstRows, GROUP_ROWS, intersect, isEmpty, unite } from './bitmap.ts';
import { BooleanSegment } from './boolean-segment.ts';
import type { IndexedRow } from './indexed-row.ts';
import type { NumberMemory } from './number-memory.ts';
import { NumberSegment } from './number-segment.ts';
import type { RowSources, Segment } from './segment.ts';
import { TextSegment } from './text-segment.ts';

export interface GroupLimits {
  /** The maximum number of rows: at most as many as a bitmap has. */
  readonly rows: number;
  /** The maximum number of different texts of a field that have codes. */
  readonly codes: number;
}

export const DEFAULT_LIMITS: GroupLimits = { rows: GROUP_ROWS, codes: 1_024 };

export class RowGroup {
  readonly #ids: NumberSegment;
  /** In the order of fields, without the ids. */
  readonly #segments: ReadonlyMap<string, Segment>;
  #rows = 0;

  private constructor(ids: NumberSegment, segments: ReadonlyMap<string, Segment>) {
    this.#ids = ids;
    this.#segments = segments;
  }

  /** The first field is the id. */
  static create([, ...fields]: readonly Field[], memory: NumberMemory, { codes }: GroupLimits): RowGroup {
    return new RowGroup(
      new NumberSegment(memory),
      new Map(fields.map((field) => [field.name, createSegment(field, memory, codes)])),
    );
  }

  /** An empty one, for records that follow. */
  successor(): RowGroup {
    return new RowGroup(
      this.#ids.successor(),
      new Map([...this.#segments].map(([field, segment]) => [field, segment.successor()])),
    );
  }

  get rows(): number {
    return this.#rows;
  }

  get bytes(): number {
    let bytes = this.#ids.bytes;
    for (const segment of this.#segments.values()) bytes += segment.bytes;
    return bytes;
  }

  get ids(): Float64Array {
    return this.#ids.numbers;
  }

  /** Of an empty group: less than any id. */
  get lastId(): number {
    return this.#ids.last ?? 0;
  }

  segment(field: string): Segment {
    const segment = field === 'id' ? this.#ids : this.#segments.get(field);
    if (segment === undefined) throw new Error(`there is no field ${field}`);
    return segment;
  }

  /** The rows must have the largest ids, and must fit. */
  append(rows: readonly IndexedRow[], from: number, to: number): void {
    this.#ids.append(rows, 0, from, to);
    let field = 1;
    for (const segment of this.#segments.values()) {
      segment.append(rows, field, from, to);
      field += 1;
    }
    this.#rows += to - from;
  }

  /** Replaces the records in some places by others with the same ids. */
  setAll(places: Uint16Array, rows: readonly IndexedRow[]): void {
    let field = 1;
    for (const segment of this.#segments.values()) {
      segment.setAll(places, rows, field);
      field += 1;
    }
  }

  /** The row of the record with this id, or, if there is none, -1 minus the row before which it belongs. */
  rowOf(id: number): number {
    const { ids } = this;
    let [low, high] = [0, ids.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ids[middle] ?? 0) < id) low = middle + 1;
      else high = middle;
    }
    return ids[low] === id ? low : -1 - low;
  }

  /** A group with some rows of this one and some new records. `rows` is as in `RowSources`. */
  rebuilt(rows: Int32Array, records: readonly IndexedRow[]): RowGroup {
    const sources = (field: number): RowSources => ({ rows, values: records.map((record) => record[field] ?? null) });
    const group = new RowGroup(
      this.#ids.rebuilt(sources(0)),
      new Map([...this.#segments].map(([name, segment], index) => [name, segment.rebuilt(sources(index + 1))])),
    );
    group.#rows = rows.length;
    return group;
  }

  /** The rows that match. Every condition is a step. */
  *select(predicate: Predicate): Generator<void, Bitmap> {
    switch (predicate.kind) {
      case 'and':
      case 'or': {
        const combine = predicate.kind === 'and' ? intersect : unite;
        const rows = predicate.kind === 'and' ? firstRows(this.#rows) : emptyBitmap();
        for (const operand of predicate.operands) {
          combine(rows, yield* this.select(operand));
          if (predicate.kind === 'and' && isEmpty(rows)) break;
        }
        return rows;
      }
      default: {
        const rows = emptyBitmap();
        this.segment(predicate.field.name).find(predicate, rows);
        yield;
        if (predicate.kind !== 'ordered' && predicate.negated) complement(rows, this.#rows);
        return rows;
      }
    }
  }

  release(): void {
    this.#ids.release();
    for (const segment of this.#segments.values()) segment.release();
  }
}

function createSegment({ type }: Field, memory: NumberMemory, codes: number): Segment {
  switch (valueTypes[type].storage) {
    case 'integer':
    case 'real':
    case 'timestamp':
      return new NumberSegment(memory);
    case 'boolean':
      return new BooleanSegment();
    case 'text':
      return new TextSegment(codes);
  }
}
