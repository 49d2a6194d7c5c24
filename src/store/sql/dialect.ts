/** Where the SQL of the engines differs. Everything else is written once, for all of them. */

import type { Field, Value } from '../../catalog/resource.ts';
import type { ValueType } from '../../filter/operators.ts';
import type { Bound, Sql } from './sql.ts';

export type Parameter = string | number | null;

export interface Dialect {
  readonly columnTypes: Record<ValueType, string>;
  /** Behind the closing parenthesis of `CREATE TABLE`. */
  readonly tableOptions: string;
  /** The statements that make `contains` fast on the columns; none where the engine has no such index. */
  searchIndexes(columns: readonly { readonly table: string; readonly column: string }[]): readonly string[];
  encode(value: Value | null): Parameter;
  encodeList(values: readonly Value[]): Parameter;
  /** The text that stands for the nth parameter, counted from 1. */
  placeholder(n: number, type: ValueType): string;
  listPlaceholder(n: number, type: ValueType): string;
  /** The JSON of a column's value, as text; `null` for null. */
  json(field: Field): Sql;
  /** Text as bytes of UTF-8, which go to the caller as they are. */
  bytes(text: Sql): Sql;
  /** A timestamp as the program writes it. */
  timestamp(column: string): Sql;
  /** Whether the column is one of the list's values; or, negated, none of them. Neither for null. */
  among(column: Sql, list: Bound, negated: boolean): Sql;
  /** Whether the text occurs in the column, which is folded as the text is. */
  contains(column: Sql, folded: string): Sql;
}
