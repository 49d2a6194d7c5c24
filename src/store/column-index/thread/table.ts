/** The records of a resource in columns: groups of rows in the order of ids. */

import type { Field } from '../../../catalog/resource.ts';
import type { Predicate } from '../../../plan/plan.ts';
import { type Bitmap, countBits, emptyBitmap, firstRows, intersect } from './bitmap.ts';
import { type GroupMatches, Matches } from './matches.ts';
import type { NumberMemory } from './number-memory.ts';
import { DEFAULT_LIMITS, type GroupLimits, type IndexedRecord, RowGroup } from './row-group.ts';

/** A record as it is now, or the id of one that was removed. */
export type Change = IndexedRecord | RemovedRecord;

export interface RemovedRecord {
  readonly id: number;
  readonly removed: true;
}

/** If more rows of a group change, it is rebuilt. */
const MAX_CHANGED_IN_PLACE = 512;

export interface ExplainedCounts {
  readonly alone: number;
  readonly others: number;
}

export class Table {
  readonly #fields: readonly Field[];
  readonly #memory: NumberMemory;
  readonly #limits: GroupLimits;
  #groups: RowGroup[];
  #changes = 0;

  constructor(fields: readonly Field[], memory: NumberMemory, limits: GroupLimits = DEFAULT_LIMITS) {
    this.#fields = fields;
    this.#memory = memory;
    this.#limits = limits;
    this.#groups = [this.#createGroup()];
  }

  get bytes(): number {
    return this.#groups.reduce((sum, group) => sum + group.bytes, 0);
  }

  /** Changes whenever the records do. */
  get changes(): number {
    return this.#changes;
  }

  /** The records must be in the order of their ids, which are larger than all others. */
  append(records: Iterable<IndexedRecord>): void {
    this.#changes += 1;
    let last = this.#groups.at(-1);
    for (const record of records) {
      if (last === undefined || last.rows === this.#limits.rows) {
        last = this.#createGroup();
        this.#groups.push(last);
      }
      last.push(record);
    }
  }

  /** In the order in which they were made. Every group is a step, and after the last one the table is complete. */
  *apply(changes: readonly Change[]): Generator<void, void> {
    this.#changes += 1;
    const latest = new Map(changes.map((change) => [change.id, change]));
    const sorted = [...latest.values()].toSorted((a, b) => a.id - b.id);
    const groups: RowGroup[] = [];
    let next = 0;
    for (const [index, group] of this.#groups.entries()) {
      const isLast = index === this.#groups.length - 1;
      const first = next;
      while (next < sorted.length && (isLast || (sorted[next]?.id ?? 0) <= group.lastId)) next += 1;
      groups.push(...this.#changed(group, sorted.slice(first, next), isLast));
      if (next > first) yield;
    }
    this.#groups = groups.length === 0 ? [this.#createGroup()] : groups;
    this.append(newAtEnd(sorted, this.#groups.at(-1)?.lastId ?? 0));
  }

  /** The table must not change between two steps. */
  *select(predicate: Predicate | undefined): Generator<void, Matches> {
    const matches: GroupMatches[] = [];
    for (const group of this.#groups)
      matches.push({ group, rows: predicate === undefined ? undefined : yield* group.select(predicate) });
    return new Matches(matches);
  }

  /** About how many records match, judging by the first group. */
  *estimate(predicate: Predicate): Generator<void, number> {
    const [first] = this.#groups;
    if (first === undefined || first.rows === 0) return 0;
    const rows = this.#groups.reduce((sum, group) => sum + group.rows, 0);
    return (countBits(yield* first.select(predicate)) / first.rows) * rows;
  }

  /** How many records meet each condition, and how many meet all others. */
  *explain(conditions: readonly Predicate[]): Generator<void, readonly ExplainedCounts[]> {
    const counts = conditions.map(() => ({ alone: 0, others: 0 }));
    for (const group of this.#groups) {
      const each: Bitmap[] = [];
      for (const condition of conditions) each.push(yield* group.select(condition));
      for (const [index, count] of counts.entries()) {
        const others = firstRows(group.rows);
        for (const [other, rows] of each.entries()) if (other !== index) intersect(others, rows);
        count.alone += countBits(each[index] ?? emptyBitmap());
        count.others += countBits(others);
      }
      yield;
    }
    return counts;
  }

  /** Returns the memory. The table must not be used any more. */
  release(): void {
    for (const group of this.#groups) group.release();
    this.#groups = [];
  }

  #createGroup(): RowGroup {
    return RowGroup.create(this.#fields, this.#memory, this.#limits);
  }

  /** The group after changes, or several. Records after the end of the last group are left out. */
  #changed(group: RowGroup, changes: readonly Change[], isLast: boolean): readonly RowGroup[] {
    const relevant = changes.filter((change) => !isLast || change.id <= group.lastId);
    if (relevant.length === 0 && group.rows > 0) return [group];
    const isInPlace = relevant.every((change) => !isRemoved(change) && group.rowOf(change.id) >= 0);
    if (isInPlace && relevant.length <= MAX_CHANGED_IN_PLACE) {
      for (const change of relevant) if (!isRemoved(change)) group.set(group.rowOf(change.id), change);
      return [group];
    }
    const records: IndexedRecord[] = [];
    const rows = mergedRows(group, relevant, records);
    const rebuilt = evenParts(rows, this.#limits.rows).map((part) => group.rebuilt(part, records));
    group.release();
    return rebuilt;
  }
}

/** Rows of the group, and, as negative numbers, records that are new or changed, which are added to `records`. */
function mergedRows(group: RowGroup, changes: readonly Change[], records: IndexedRecord[]): Int32Array {
  const rows = new Int32Array(group.rows + changes.length);
  let length = 0;
  let next = 0;
  const keepUntil = (end: number) => {
    for (; next < end; next += 1) {
      rows[length] = next;
      length += 1;
    }
  };
  for (const change of changes) {
    const found = group.rowOf(change.id);
    keepUntil(found >= 0 ? found : -1 - found);
    if (found >= 0) next += 1;
    if (isRemoved(change)) continue;
    rows[length] = -records.push(change);
    length += 1;
  }
  keepUntil(group.rows);
  return rows.subarray(0, length);
}

function evenParts(rows: Int32Array, maxLength: number): readonly Int32Array[] {
  const count = Math.ceil(rows.length / maxLength);
  const length = Math.ceil(rows.length / count);
  return Array.from({ length: count }, (_, part) => rows.subarray(part * length, (part + 1) * length));
}

function* newAtEnd(sorted: readonly Change[], lastId: number): Generator<IndexedRecord> {
  for (const change of sorted) if (change.id > lastId && !isRemoved(change)) yield change;
}

function isRemoved(change: Change): change is RemovedRecord {
  return 'removed' in change;
}
