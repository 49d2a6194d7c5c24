/** Rows that name columns, of which a file should have one: the others begin tables of their own, which are not left out unless somebody says so. */

import { truncated } from '../problem/quoted.ts';
import { type Question, Undecided } from './decisions.ts';

/** What rows are counted in. */
export type RowUnit = 'line' | 'element' | 'row';

/** A row that names columns. */
export interface NamingRow {
  readonly number: number;
  readonly names: readonly string[];
}

/** How many rows a note names. */
const MAX_NAMED = 10;

/** Whether a row names columns rather than having values: at least two known ones, which are most of its cells. */
export function namesColumns(names: readonly string[], isColumn: (name: string) => boolean): boolean {
  let [filled, known] = [0, 0];
  const seen = new Set<string>();
  // Numbers, which no name begins with, are usually among the last.
  for (const name of names.toReversed()) {
    if (name === '') continue;
    filled += 1;
    if (/^[-+\d]/.test(name) || seen.has(name) || !isColumn(name)) {
      if (filled - known > names.length / 2) return false;
      continue;
    }
    seen.add(name);
    known += 1;
  }
  return known >= 2 && known * 2 > filled;
}

/** Somebody has to say which of the tables it is. */
export function severalTables(rows: readonly NamingRow[], unit: RowUnit): Undecided {
  const numbers = rows.map(({ number }) => number).join(' and ');
  const question: Question = {
    option: 'headerRow',
    question: `The ${unit}s ${numbers} name columns, so there are several tables. Which one is it?`,
    choices: rows.map(({ number, names }) => ({
      value: String(number),
      meaning: `the one below ${truncated(names.filter(Boolean).join(', '))}, without the others`,
    })),
  };
  return new Undecided([question]);
}

/** How many rows there are of a kind, and the numbers of the first ones. */
export class CountedRows {
  #rows = 0;
  readonly #first: number[] = [];

  add(number: number): void {
    this.#rows += 1;
    if (this.#first.length < MAX_NAMED) this.#first.push(number);
  }

  /** `1 row (7)`, `3 rows (1, 2, 4)`; undefined if there are none. */
  text(unit: RowUnit): string | undefined {
    if (this.#rows === 0) return undefined;
    if (this.#rows === 1) return `1 ${unit} (${this.#first[0]})`;
    const more = this.#rows > this.#first.length ? ', …' : '';
    return `${this.#rows} ${unit}s (${this.#first.join(', ')}${more})`;
  }

  get isOne(): boolean {
    return this.#rows === 1;
  }
}

/** A row that was named is not there. */
export function noSuchRow(row: number, unit: RowUnit): string {
  return `There is nothing in ${unit} ${row}, which should name the columns.`;
}
