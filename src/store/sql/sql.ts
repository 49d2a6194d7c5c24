/**
 * SQL as a template: what is interpolated is bound, or is itself SQL. Text cannot be interpolated, so no text of a
 * request can become part of a statement.
 *
 *     sql`SELECT name FROM account WHERE id = ${bind('integer', 7)}`
 */

import type { Value } from '../../catalog/resource.ts';
import type { ValueType } from '../../filter/operators.ts';

export class Sql {
  readonly parts: readonly (string | Bound)[];

  constructor(parts: readonly (string | Bound)[]) {
    this.parts = parts;
  }
}

/** A value that is sent beside the statement. One that stands in several places is sent once. */
export class Bound {
  readonly type: ValueType;
  readonly value: Value | null | readonly Value[];

  constructor(type: ValueType, value: Value | null | readonly Value[]) {
    this.type = type;
    this.value = value;
  }
}

export function sql(strings: TemplateStringsArray, ...insertions: readonly (Sql | Bound)[]): Sql {
  const parts: (string | Bound)[] = [];
  strings.forEach((string, index) => {
    parts.push(string);
    const insertion = insertions[index];
    if (insertion instanceof Sql) parts.push(...insertion.parts);
    else if (insertion !== undefined) parts.push(insertion);
  });
  return new Sql(parts);
}

export function bind(type: ValueType, value: Value | null): Bound {
  return new Bound(type, value);
}

/** Many values as one parameter, so that their number does not change the statement's text. */
export function bindList(type: ValueType, values: readonly Value[]): Bound {
  return new Bound(type, values);
}

/** Text that the program itself wrote: a name from the catalog, a keyword, an expression of the dialect. */
export function trusted(text: string): Sql {
  return new Sql([text]);
}

export function join(items: readonly (Sql | Bound)[], separator: string): Sql {
  return new Sql(
    items.flatMap((item, index) => [
      ...(index === 0 ? [] : [separator]),
      ...(item instanceof Sql ? item.parts : [item]),
    ]),
  );
}
