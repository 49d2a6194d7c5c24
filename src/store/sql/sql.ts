/**
 * SQL as a template: what is interpolated is bound, or is itself SQL. Text cannot be interpolated, so no text of a
 * request can become part of a statement.
 *
 *     sql`SELECT name FROM account WHERE id = ${bind('integer', 7)}`
 */

import type { Value } from '../../catalog/resource.ts';
import type { ValueType } from '../../filter/operators.ts';

type Insertion = Sql | Bound;

/** Pieces of text, and what stands between them. */
export class Sql {
  readonly texts: readonly string[];
  readonly insertions: readonly Insertion[];

  constructor(texts: readonly string[], insertions: readonly Insertion[]) {
    this.texts = texts;
    this.insertions = insertions;
  }
}

/** A value that is sent beside the statement. One that stands in several places is sent once. */
export class Bound {
  readonly type: ValueType;
  readonly value: Value | null | readonly (Value | null)[];

  constructor(type: ValueType, value: Value | null | readonly (Value | null)[]) {
    this.type = type;
    this.value = value;
  }
}

export function sql(texts: TemplateStringsArray, ...insertions: readonly Insertion[]): Sql {
  return new Sql(texts, insertions);
}

export function bind(type: ValueType, value: Value | null): Bound {
  return new Bound(type, value);
}

/** Many values as one parameter, so that their number does not change the statement's text. */
export function bindList(type: ValueType, values: readonly (Value | null)[]): Bound {
  return new Bound(type, values);
}

/** Text that the program itself wrote: a name from the catalog, a keyword, an expression of the dialect. */
export function trusted(text: string): Sql {
  return new Sql([text], []);
}

export function join(items: readonly Insertion[], separator: string): Sql {
  return new Sql(['', ...items.slice(1).map(() => separator), ''], items);
}
