/**
 * SQL as a template: an interpolation is either bound or itself SQL. Strings cannot be interpolated, so no text of a request
 * can become part of a statement.
 *
 *     sql`SELECT name FROM account WHERE id = ${bind('integer', 7)}`
 */

import type { Value } from '../../catalog/value.ts';
import type { Storage } from '../../catalog/value-types.ts';

type Insertion = Sql | Bound;

/** Pieces of text, and what is inserted between them. */
export class Sql {
  readonly texts: readonly string[];
  readonly insertions: readonly Insertion[];

  constructor(texts: readonly string[], insertions: readonly Insertion[]) {
    this.texts = texts;
    this.insertions = insertions;
  }
}

/** A parameter of the statement. It is sent once, even if it is used in several places. */
export class Bound {
  readonly storage: Storage;
  readonly value: Value | null | readonly (Value | null)[];

  constructor(storage: Storage, value: Value | null | readonly (Value | null)[]) {
    this.storage = storage;
    this.value = value;
  }
}

export function sql(texts: TemplateStringsArray, ...insertions: readonly Insertion[]): Sql {
  return new Sql(texts, insertions);
}

export function bind(storage: Storage, value: Value | null): Bound {
  return new Bound(storage, value);
}

/** An integer that is given whenever the statement runs: see `compileOnce`. */
export function variable(): Bound {
  return bind('integer', null);
}

/** Many values as one parameter, so that their number does not change the statement's text. */
export function bindList(storage: Storage, values: readonly (Value | null)[]): Bound {
  return new Bound(storage, values);
}

/** Text that the program itself wrote: a name from the catalog, a keyword, an expression of the dialect. */
export function trusted(text: string): Sql {
  return new Sql([text], []);
}

export function join(items: readonly Insertion[], separator: string): Sql {
  return new Sql(['', ...items.slice(1).map(() => separator), ''], items);
}

/** PostgreSQL passes no more to a function. */
const MAX_ARGUMENTS = 100;

/** The parts as one text; null counts as the empty text. */
export function concat(parts: readonly Insertion[]): Sql {
  if (parts.length <= MAX_ARGUMENTS) return sql`concat(${join(parts, ', ')})`;
  const groups = Array.from({ length: Math.ceil(parts.length / MAX_ARGUMENTS) }, (_, index) =>
    concat(parts.slice(index * MAX_ARGUMENTS, (index + 1) * MAX_ARGUMENTS)),
  );
  return concat(groups);
}
