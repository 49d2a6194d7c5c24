/** The first rows in some order, out of many: a heap whose top is the last of those found so far. */

import type { OrderKey } from '../../../plan/plan.ts';
import { type Bitmap, GROUP_ROWS } from './bitmap.ts';
import type { RowGroup } from './row-group.ts';
import type { Segment } from './segment.ts';
import { rowNumbers } from './wasm/row-numbers.ts';

/** What rows of a group are compared by. */
interface SortKey {
  readonly numbers: Float64Array;
  /** Decides between values whose numbers are the same. Undefined if they are equal. */
  readonly segment: Segment | undefined;
  readonly descending: boolean;
}

interface Candidate {
  readonly group: RowGroup;
  readonly keys: readonly SortKey[];
  readonly row: number;
}

/** How many rows are compared with the last one in a step, text with text. */
const CONSIDERED_AT_ONCE = 500;

export class SmallestRows {
  readonly #order: readonly OrderKey[];
  readonly #limit: number;
  /** 1, or -1 to reverse the order. */
  readonly #sign: 1 | -1;
  /** Every candidate comes after those at twice its index, plus one and two. */
  readonly #heap: Candidate[] = [];
  /** Of the group that is being added. */
  readonly #rows = new Uint16Array(GROUP_ROWS);

  /** From the end, the rows are the last ones, and the last one is the first. */
  constructor(order: readonly OrderKey[], limit: number, start: 'from the start' | 'from the end' = 'from the start') {
    this.#order = order;
    this.#limit = limit;
    this.#sign = start === 'from the start' ? 1 : -1;
  }

  /**
   * Many rows are a step. Groups are added in the order of ids, or, from the end, in the opposite order: of rows that are equal otherwise,
   * those that come later are then decided at once.
   */
  *add(group: RowGroup, matching: Bitmap): Generator<void, void> {
    const keys: SortKey[] = [];
    for (const key of this.#order) keys.push(yield* sortKeyOf(group, key));
    const [first] = keys;
    if (first === undefined) throw new Error('the order is empty');
    const { numbers } = first;
    const isDescending = first.descending === (this.#sign === 1);
    let last = this.#lastNumber();
    let considered = 0;
    const found = rowNumbers(matching);
    const { length } = found;
    const rows = this.#rows;
    rows.set(found);
    for (let index = 0; index < length; index += 1) {
      const row = rows[this.#sign === 1 ? index : length - 1 - index] ?? 0;
      const number = numbers[row] ?? Number.NaN;
      // Most rows are decided here.
      if (isDescending ? number < last : number > last) continue;
      this.#consider({ group, keys, row });
      last = this.#lastNumber();
      considered += 1;
      if (considered % CONSIDERED_AT_ONCE === 0) yield;
    }
    yield;
  }

  /** The first key of the last row, once there are as many as wanted; NaN, which decides nothing, before. */
  #lastNumber(): number {
    const [last] = this.#heap;
    if (last === undefined || this.#heap.length < this.#limit) return Number.NaN;
    return last.keys[0]?.numbers[last.row] ?? Number.NaN;
  }

  #compare(a: Candidate, b: Candidate): number {
    return this.#sign * compareCandidates(a, b);
  }

  #consider(candidate: Candidate): void {
    const [last] = this.#heap;
    if (this.#heap.length < this.#limit || last === undefined) this.#rise(candidate);
    else if (this.#compare(candidate, last) < 0) this.#sink(candidate);
  }

  /** Their ids. */
  sorted(): readonly number[] {
    return this.#heap.toSorted((a, b) => this.#compare(a, b)).map(({ group, row }) => group.ids[row] ?? 0);
  }

  #rise(candidate: Candidate): void {
    let index = this.#heap.push(candidate) - 1;
    while (index > 0) {
      const parent = (index - 1) >>> 1;
      const above = this.#heap[parent];
      if (above === undefined || this.#compare(above, candidate) >= 0) break;
      this.#heap[index] = above;
      index = parent;
    }
    this.#heap[index] = candidate;
  }

  /** Replaces the top. */
  #sink(candidate: Candidate): void {
    let index = 0;
    for (;;) {
      const [left, right] = [this.#heap[2 * index + 1], this.#heap[2 * index + 2]];
      if (left === undefined) break;
      const isRight = right !== undefined && this.#compare(right, left) > 0;
      const later = isRight ? right : left;
      if (this.#compare(candidate, later) >= 0) break;
      this.#heap[index] = later;
      index = 2 * index + (isRight ? 2 : 1);
    }
    this.#heap[index] = candidate;
  }
}

function* sortKeyOf(group: RowGroup, key: OrderKey): Generator<void, SortKey> {
  if (key.kind === 'field') {
    const segment = group.segment(key.field.name);
    return { segment, numbers: segment.sortKeys(), descending: key.descending };
  }
  const { conditions } = key;
  const numbers = new Float64Array(group.rows).fill(conditions.length);
  // The first condition that a row meets decides, so it comes last.
  for (const [index, condition] of [...conditions.entries()].toReversed()) {
    const rows = yield* group.select(condition);
    for (const row of rowNumbers(rows)) numbers[row] = index;
  }
  return { segment: undefined, numbers, descending: false };
}

function compareCandidates(a: Candidate, b: Candidate): number {
  for (const [index, { segment, numbers, descending }] of a.keys.entries()) {
    const other = b.keys[index];
    if (other === undefined) continue;
    const byNumber = compareNumbers(numbers[a.row] ?? Number.NaN, other.numbers[b.row] ?? Number.NaN, descending);
    if (byNumber !== 0) return byNumber;
    if (segment === undefined || other.segment === undefined) continue;
    const byValue = segment.compare(a.row, other.segment, b.row);
    if (byValue !== 0) return descending ? -byValue : byValue;
  }
  return 0;
}

/** Null, which is NaN, comes last in either direction. */
function compareNumbers(a: number, b: number, descending: boolean): number {
  if (a === b) return 0;
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : 1;
  if (Number.isNaN(b)) return -1;
  return a < b === descending ? 1 : -1;
}
