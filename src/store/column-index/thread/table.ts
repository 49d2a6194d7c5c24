/** The records of a resource in columns: groups of rows in the order of ids. */

import type { Field } from '../../../catalog/resource.ts';
import type { Predicate } from '../../../plan/plan.ts';
import { type Bitmap, countBits, emptyBitmap, firstRows, intersect } from './bitmap.ts';
import { type IndexedRow, isRemoved } from './indexed-row.ts';
import { type GroupMatches, Matches } from './matches.ts';
import type { NumberMemory } from './number-memory.ts';
import { DEFAULT_LIMITS, type GroupLimits, RowGroup } from './row-group.ts';
import { TextSegment } from './text-segment.ts';

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

  get rows(): number {
    return this.#groups.reduce((sum, group) => sum + group.rows, 0);
  }

  /** The rows must be in the order of their ids, which are larger than all others. */
  append(rows: readonly IndexedRow[]): void {
    this.#changes += 1;
    for (let from = 0; from < rows.length; ) {
      let last = this.#groups.at(-1);
      if (last === undefined || last.rows >= this.#limits.rows) {
        last = last?.successor() ?? this.#createGroup();
        this.#groups.push(last);
      }
      const to = Math.min(rows.length, from + this.#limits.rows - last.rows);
      last.append(rows, from, to);
      from = to;
    }
  }

  /** In the order in which they were made. Every group is a step, and after the last one the table is complete. */
  *apply(changes: readonly IndexedRow[]): Generator<void, void> {
    this.#changes += 1;
    const sorted = sortedById(changes);
    if ((sorted[0]?.[0] ?? 0) > (this.#groups.at(-1)?.lastId ?? 0)) {
      this.append(sorted.filter((row) => !isRemoved(row)));
      return;
    }
    const groups: RowGroup[] = [];
    let next = 0;
    for (const [index, group] of this.#groups.entries()) {
      const isLast = index === this.#groups.length - 1;
      const first = next;
      while (next < sorted.length && (isLast || (sorted[next]?.[0] ?? 0) <= group.lastId)) next += 1;
      groups.push(...this.#changed(group, sorted.slice(first, next), isLast));
      if (next > first) yield;
    }
    this.#groups = groups.length === 0 ? [this.#createGroup()] : groups;
    const lastId = this.#groups.at(-1)?.lastId ?? 0;
    this.append(sorted.filter((row) => row[0] > lastId && !isRemoved(row)));
  }

  /** The table must not change between two steps. */
  *select(predicate: Predicate | undefined): Generator<void, Matches> {
    const matches: GroupMatches[] = [];
    for (const group of this.#groups)
      matches.push({ group, rows: predicate === undefined ? undefined : yield* group.select(predicate) });
    return new Matches(matches);
  }

  /** About how many records a search index of trigrams has to look at, judging by the first group: those that have the rarest one. */
  *candidates(predicate: Predicate): Generator<void, number> {
    const [first] = this.#groups;
    if (first === undefined || first.rows === 0) return 0;
    return ((yield* candidatesIn(first, predicate)) / first.rows) * this.rows;
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

  /** Calls `visit` with the folded texts of some fields, record by record. Many characters are a step. */
  *forEachText(fields: readonly Field[], visit: (text: string) => void): Generator<void, void> {
    let characters = 0;
    for (const group of this.#groups) {
      const segments = fields
        .map(({ name }) => group.segment(name))
        .filter((segment) => segment instanceof TextSegment);
      for (let row = 0; row < group.rows; row += 1) {
        for (const segment of segments) {
          const text = segment.foldedAt(row);
          visit(text);
          characters += text.length;
        }
        if (characters < CHARACTERS_AT_ONCE) continue;
        characters = 0;
        yield;
      }
    }
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
  #changed(group: RowGroup, changes: readonly IndexedRow[], isLast: boolean): readonly RowGroup[] {
    const relevant = isLast ? changes.filter(([id]) => id <= group.lastId) : changes;
    if (relevant.length === 0 && group.rows > 0) return [group];
    const places = relevant.map(([id]) => group.rowOf(id));
    if (relevant.every((row, index) => !isRemoved(row) && (places[index] ?? -1) >= 0)) {
      group.setAll(Uint16Array.from(places), relevant);
      return [group];
    }
    const records: IndexedRow[] = [];
    const rows = mergedRows(group, relevant, records);
    const rebuilt = evenParts(rows, this.#limits.rows).map((part) => group.rebuilt(part, records));
    group.release();
    return rebuilt;
  }
}

/** How many characters of texts are read in a step. */
const CHARACTERS_AT_ONCE = 20_000;

/** Other trigrams hardly ever exclude more. */
const MAX_TRIGRAMS = 8;

function* candidatesIn(group: RowGroup, predicate: Predicate): Generator<void, number> {
  switch (predicate.kind) {
    case 'and': {
      let fewest = group.rows;
      for (const operand of predicate.operands) fewest = Math.min(fewest, yield* candidatesIn(group, operand));
      return fewest;
    }
    case 'or': {
      let sum = 0;
      for (const operand of predicate.operands) sum += yield* candidatesIn(group, operand);
      return Math.min(sum, group.rows);
    }
    case 'text': {
      if (predicate.negated || predicate.field.searched !== true) return group.rows;
      let fewest = group.rows;
      const characters = [...predicate.text];
      const step = Math.max(1, Math.ceil((characters.length - 2) / MAX_TRIGRAMS));
      for (let at = 0; at + 3 <= characters.length && fewest > 0; at += step) {
        const text = characters.slice(at, at + 3).join('');
        fewest = Math.min(fewest, countBits(yield* group.select({ ...predicate, test: '*', text })));
      }
      return fewest;
    }
    default:
      return group.rows;
  }
}

/** The last change of each record, in the order of ids. */
function sortedById(changes: readonly IndexedRow[]): readonly IndexedRow[] {
  if (changes.every(([id], index) => index === 0 || id > (changes[index - 1]?.[0] ?? 0))) return changes;
  return [...new Map(changes.map((row) => [row[0], row])).values()].toSorted(([a], [b]) => a - b);
}

/** Rows of the group, and, as negative numbers, records that are new or changed, which are added to `records`. */
function mergedRows(group: RowGroup, changes: readonly IndexedRow[], records: IndexedRow[]): Int32Array {
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
    const found = group.rowOf(change[0]);
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
