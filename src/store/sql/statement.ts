/**
 * SQL in the form an engine runs: text and parameters. Statements of one shape have the same text, as the same string.
 *
 *     compile(sql`SELECT name FROM account WHERE id = ${bind('integer', 7)}`, dialect)
 *     { text: 'SELECT name FROM account WHERE id = ?1', parameters: [7] }
 */

import type { Value } from '../../catalog/value.ts';
import type { Dialect, Parameter } from './dialect.ts';
import { type Bound, Sql, trusted } from './sql.ts';
import { StatementTexts, type TextNode } from './statement-texts.ts';

export interface Statement {
  readonly text: string;
  readonly parameters: readonly Parameter[];
  /** In a transaction: roll back unless this statement returns a row, or unless it returns none. */
  readonly expect?: Expectation;
  /** Whether it may return many thousands of rows. One statement of a write may. */
  readonly returnsMany?: true;
}

export type Expectation = 'some' | 'none';

export function compile(template: Sql, dialect: Dialect, expect?: Expectation): Statement {
  const compiler = new Compiler(dialect);
  compiler.add(template);
  const { text, parameters } = compiler;
  return { text, parameters, ...(expect !== undefined && { expect }) };
}

/** A statement that runs many times, with other values for some of what is bound. */
export function compileOnce<Name extends string>(
  template: Sql,
  variables: Readonly<Record<Name, Bound>>,
  dialect: Dialect,
): (values: Readonly<Record<Name, Value>>) => Statement {
  const compiler = new Compiler(dialect);
  compiler.add(template);
  const { text, parameters } = compiler;
  return (values) => {
    const changed = [...parameters];
    for (const name in variables) changed[compiler.indexOf(variables[name])] = dialect.encode(values[name]);
    return { text, parameters: changed };
  };
}

/** One statement per row of values, which follow what is bound in the template. Without rows, everything is bound. */
export function compileEach(
  template: Sql,
  rows: readonly (readonly (Value | null)[])[] | undefined,
  dialect: Dialect,
): readonly Statement[] {
  const { text, parameters } = compile(template, dialect);
  if (rows === undefined) return [{ text, parameters }];
  return rows.map((values) => ({ text, parameters: [...parameters, ...values.map(dialect.encode)] }));
}

/** A template without parameters as one piece of text, for fragments that are part of many statements. */
export function flatten(template: Sql, dialect: Dialect): Sql {
  const { text, parameters } = compile(template, dialect);
  if (parameters.length > 0) throw new Error('a template with parameters cannot be flattened');
  return trusted(text);
}

const texts = new StatementTexts();

/** Walks a template from left to right and numbers the parameters on the way. */
class Compiler {
  readonly #dialect: Dialect;
  readonly #positions = new Map<Bound, number>();
  readonly parameters: Parameter[] = [];
  #node: TextNode = texts.start();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  get text(): string {
    return this.#node.text;
  }

  /** The index of a parameter in `parameters`. */
  indexOf(bound: Bound): number {
    const position = this.#positions.get(bound);
    if (position === undefined) throw new Error('the template does not have the parameter');
    return position - 1;
  }

  add({ texts: pieces, insertions }: Sql): void {
    for (let index = 0; index < pieces.length; index += 1) {
      this.#node = texts.after(this.#node, pieces[index] ?? '');
      const insertion = insertions[index];
      if (insertion instanceof Sql) this.add(insertion);
      else if (insertion !== undefined) this.#node = texts.after(this.#node, this.#placeholder(insertion));
    }
  }

  #placeholder(bound: Bound): string {
    const { storage, value } = bound;
    const dialect = this.#dialect;
    let position = this.#positions.get(bound);
    if (position === undefined) {
      position = this.parameters.push(isList(value) ? dialect.encodeList(value) : dialect.encode(value));
      this.#positions.set(bound, position);
    }
    return dialect.placeholder(position, storage, isList(value));
  }
}

function isList(value: Bound['value']): value is readonly (Value | null)[] {
  return Array.isArray(value);
}

/** Whether a statement of a transaction returned what was expected. */
export function meetsExpectation(rows: readonly unknown[], expect: Expectation | undefined): boolean {
  return expect === undefined || rows.length > 0 === (expect === 'some');
}
