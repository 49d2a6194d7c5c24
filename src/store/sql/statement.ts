/**
 * SQL in the form in which an engine runs it: text and parameters. Statements of one shape have one text.
 *
 *     compile(sql`SELECT name FROM account WHERE id = ${bind('integer', 7)}`, dialect)
 *     { text: 'SELECT name FROM account WHERE id = ?1', parameters: [7] }
 */

import type { Value } from '../../catalog/resource.ts';
import type { Dialect, Parameter } from './dialect.ts';
import type { Bound, Sql } from './sql.ts';

export interface Statement {
  readonly text: string;
  readonly parameters: readonly Parameter[];
  /** In a write: give everything up unless this statement returns a row, or unless it returns none. */
  readonly expect?: Expectation;
}

export type Expectation = 'some' | 'none';

export function compile({ parts }: Sql, dialect: Dialect, expect?: Expectation): Statement {
  const positions = new Map<Bound, number>();
  const parameters: Parameter[] = [];
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    let position = positions.get(part);
    if (position === undefined) {
      position = parameters.push(isList(part.value) ? dialect.encodeList(part.value) : dialect.encode(part.value));
      positions.set(part, position);
    }
    text += isList(part.value)
      ? dialect.listPlaceholder(position, part.type)
      : dialect.placeholder(position, part.type);
  }
  return { text, parameters, ...(expect !== undefined && { expect }) };
}

function isList(value: Bound['value']): value is readonly Value[] {
  return Array.isArray(value);
}

/** Whether a statement of a write returned what it was expected to. */
export function isAsExpected(rows: readonly unknown[], expect: Expectation | undefined): boolean {
  return expect === undefined || rows.length > 0 === (expect === 'some');
}
