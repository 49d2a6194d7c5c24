/**
 * SQL in the form in which an engine runs it: text and parameters. Statements of one shape have one text, the very same string.
 *
 *     compile(sql`SELECT name FROM account WHERE id = ${bind('integer', 7)}`, dialect)
 *     { text: 'SELECT name FROM account WHERE id = ?1', parameters: [7] }
 */

import type { Value } from '../../catalog/resource.ts';
import type { Dialect, Parameter } from './dialect.ts';
import { type Shape, Shapes } from './shapes.ts';
import { type Bound, Sql, trusted } from './sql.ts';

export interface Statement {
  readonly text: string;
  readonly parameters: readonly Parameter[];
  /** In a write: give everything up unless this statement returns a row, or unless it returns none. */
  readonly expect?: Expectation;
}

export type Expectation = 'some' | 'none';

export function compile(template: Sql, dialect: Dialect, expect?: Expectation): Statement {
  const reading = new Reading(dialect);
  reading.add(template);
  const { text, parameters } = reading;
  return { text, parameters, ...(expect !== undefined && { expect }) };
}

/** A template as one statement for each run, whose values follow what is bound in it. */
export function compileEach(
  template: Sql,
  runs: readonly (readonly (Value | null)[])[],
  dialect: Dialect,
): readonly Statement[] {
  const { text, parameters } = compile(template, dialect);
  return runs.map((values) => ({ text, parameters: [...parameters, ...values.map(dialect.encode)] }));
}

/** A template without any parameter as one piece of text, for what is put into many statements. */
export function inOnePiece(template: Sql, dialect: Dialect): Sql {
  const { text, parameters } = compile(template, dialect);
  if (parameters.length > 0) throw new Error('a template with parameters is more than text');
  return trusted(text);
}

const shapes = new Shapes();

/** Goes through a template from left to right, and numbers the parameters on the way. */
class Reading {
  readonly #dialect: Dialect;
  readonly #positions = new Map<Bound, number>();
  readonly parameters: Parameter[] = [];
  #shape: Shape = shapes.begin();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  add({ texts, insertions }: Sql): void {
    for (let index = 0; index < texts.length; index += 1) {
      this.#shape = shapes.after(this.#shape, texts[index] ?? '');
      const insertion = insertions[index];
      if (insertion instanceof Sql) this.add(insertion);
      else if (insertion !== undefined) this.#shape = shapes.after(this.#shape, this.#placeholder(insertion));
    }
  }

  get text(): string {
    return this.#shape.text;
  }

  #placeholder(bound: Bound): string {
    const { type, value } = bound;
    let position = this.#positions.get(bound);
    if (position === undefined) {
      position = this.parameters.push(isList(value) ? this.#dialect.encodeList(value) : this.#dialect.encode(value));
      this.#positions.set(bound, position);
    }
    return isList(value) ? this.#dialect.listPlaceholder(position, type) : this.#dialect.placeholder(position, type);
  }
}

function isList(value: Bound['value']): value is readonly (Value | null)[] {
  return Array.isArray(value);
}

/** Whether a statement of a write returned what it was expected to. */
export function isAsExpected(rows: readonly unknown[], expect: Expectation | undefined): boolean {
  return expect === undefined || rows.length > 0 === (expect === 'some');
}
