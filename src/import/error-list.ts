/** The errors of a file: the first of them, which rows have the same, and how many there are. It stays small however many there are. */

import { type ErrorGroup, MAX_REPORTED_ERRORS, type RowError, type RowErrors } from '../store/store.ts';

/** The maximum number of groups. Errors that would begin another one are only counted. */
const MAX_GROUPS = 100;

/** How many lines of a group are named. */
const MAX_LINES = 5;

export class ErrorList implements RowErrors {
  readonly first: RowError[];
  readonly #groups: Map<string, { readonly error: RowError; rows: number; readonly lines: number[] }>;
  #count: number;

  /** With the errors of another list, if they are given. */
  constructor({ first, count, groups = [] }: RowErrors = { first: [], count: 0 }) {
    this.first = [...first];
    this.#count = count;
    this.#groups = new Map(groups.map((group) => [keyOf(group.error), { ...group, lines: [...group.lines] }]));
  }

  get count(): number {
    return this.#count;
  }

  get groups(): readonly ErrorGroup[] {
    return [...this.#groups.values()];
  }

  add(error: RowError): void {
    this.#count += 1;
    if (this.first.length < MAX_REPORTED_ERRORS) this.first.push(error);
    const key = keyOf(error);
    const group = this.#groups.get(key);
    if (group !== undefined) {
      group.rows += 1;
      if (group.lines.length < MAX_LINES) group.lines.push(error.line);
    } else if (this.#groups.size < MAX_GROUPS) this.#groups.set(key, { error, rows: 1, lines: [error.line] });
  }
}

/** The same for all rows that have to be fixed alike. */
function keyOf({ column, requirement, reason }: RowError): string {
  return `${column ?? ''} ${requirement ?? reason}`;
}
