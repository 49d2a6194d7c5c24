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
  for (const [index, string] of strings.entries()) {
    add(parts, string);
    const insertion = insertions[index];
    if (insertion !== undefined) addAll(parts, insertion);
  }
  return new Sql(parts);
}

/** Text joins the text before it: what is put together once is put into statements as one piece. */
function add(parts: (string | Bound)[], part: string | Bound): void {
  const last = parts.at(-1);
  if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
  else parts.push(part);
}

function addAll(parts: (string | Bound)[], insertion: Sql | Bound): void {
  if (insertion instanceof Sql) for (const part of insertion.parts) add(parts, part);
  else add(parts, insertion);
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
  const parts: (string | Bound)[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0) add(parts, separator);
    addAll(parts, item);
  }
  return new Sql(parts);
}
