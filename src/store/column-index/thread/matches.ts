/** The records of a table that match a filter. */

import type { Field } from '../../../catalog/resource.ts';
import { valueTypes } from '../../../catalog/value-types.ts';
import type { OrderKey } from '../../../plan/plan.ts';
import { hasDescendingIds, isOrderedById } from '../../../plan/sort.ts';
import { type Bitmap, countBits, firstRows, rowsFrom } from './bitmap.ts';
import { BooleanSegment } from './boolean-segment.ts';
import { BLOCK_ROWS, TextCodes, type Values } from './column.ts';
import { NumberSegment } from './number-segment.ts';
import type { RowGroup } from './row-group.ts';
import { SmallestRows } from './smallest-rows.ts';
import { MAX_SORTED, sortedRows } from './sorted-rows.ts';

export interface GroupMatches {
  readonly group: RowGroup;
  /** Undefined if all rows match. */
  readonly rows: Bitmap | undefined;
}

export class Matches {
  readonly #groups: readonly GroupMatches[];
  readonly #counts: readonly number[];
  readonly total: number;

  constructor(groups: readonly GroupMatches[]) {
    this.#groups = groups;
    this.#counts = groups.map(({ group, rows }) => (rows === undefined ? group.rows : countBits(rows)));
    this.total = this.#counts.reduce((sum, count) => sum + count, 0);
  }

  /** The ids of the records on a page, in its order. Undefined if it is too far from both ends of a sorted list. */
  *page(order: readonly OrderKey[], offset: number, limit: number): Generator<void, readonly number[] | undefined> {
    if (!isOrderedById({ order })) return yield* this.#sortedPage(order, offset, limit);
    if (!hasDescendingIds({ order })) return this.#idsFrom(offset, limit);
    const end = Math.max(0, this.total - offset);
    return this.#idsFrom(Math.max(0, end - limit), Math.min(limit, end)).toReversed();
  }

  /** The nth match is found by counting. */
  #idsFrom(n: number, limit: number): readonly number[] {
    const ids: number[] = [];
    let skip = n;
    for (const [index, { group, rows }] of this.#groups.entries()) {
      const count = this.#counts[index] ?? 0;
      if (skip < count) {
        const found = group.ids;
        const missing = limit - ids.length;
        if (rows === undefined) ids.push(...found.subarray(skip, skip + missing));
        else for (const row of rowsFrom(rows, skip, missing)) ids.push(found[row] ?? 0);
        if (ids.length === limit) break;
      }
      skip = Math.max(0, skip - count);
    }
    return ids;
  }

  /** The values of a field, in the order of ids. They are read where they are, so the table must not change meanwhile. */
  column({ name, type }: Field): Values {
    const texts = new TextCodes();
    const numbers = new Float64Array(BLOCK_ROWS);
    const read = (index: number, { group, rows }: GroupMatches) => {
      const segment = group.segment(name);
      if (rows === undefined && segment instanceof NumberSegment) return segment.numbers;
      segment.read(rows ?? firstRows(group.rows), numbers, texts);
      return numbers.subarray(0, this.#counts[index] ?? 0);
    };
    const groups = this.#groups;
    const { storage } = valueTypes[type];
    return {
      storage,
      texts,
      *blocks() {
        for (const [index, group] of groups.entries()) yield read(index, group);
      },
      ...(storage === 'boolean' && {
        *counts() {
          for (const { group, rows } of groups) {
            const segment = group.segment(name);
            if (segment instanceof BooleanSegment) yield segment.counts(rows ?? firstRows(group.rows));
          }
        },
      }),
    };
  }

  *#sortedPage(
    order: readonly OrderKey[],
    offset: number,
    limit: number,
  ): Generator<void, readonly number[] | undefined> {
    const end = Math.min(offset + limit, this.total);
    if (offset >= end) return [];
    if (sortedRows(offset, limit, this.total) > MAX_SORTED) return undefined;
    const groups = this.#groups;
    if (end <= this.total - offset) return (yield* this.#sorted(groups, new SmallestRows(order, end))).slice(offset);
    const rows = new SmallestRows(order, this.total - offset, 'from the end');
    const last = yield* this.#sorted(groups.toReversed(), rows);
    return last.slice(this.total - end).toReversed();
  }

  *#sorted(groups: readonly GroupMatches[], smallest: SmallestRows): Generator<void, readonly number[]> {
    for (const { group, rows } of groups) yield* smallest.add(group, rows ?? firstRows(group.rows));
    return smallest.sorted();
  }
}
