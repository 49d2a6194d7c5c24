/** Where the SQL of the engines differs. Everything else is written once, for all of them. */

import type { Field, Value } from '../../catalog/resource.ts';
import type { ValueType } from '../../filter/operators.ts';
import type { Predicate } from '../../plan/plan.ts';
import type { Bound, Sql } from './sql.ts';

export type Parameter = string | number | null;

export interface Dialect {
  readonly columnTypes: Record<ValueType, string>;
  /** Behind the closing parenthesis of `CREATE TABLE`. */
  readonly tableOptions: string;
  /** The statements that make `contains` fast on the columns. */
  searchIndexes(tables: readonly SearchedTable[]): readonly string[];
  /** The statements after which new records join these indexes many at a time. */
  joinTogether(tables: readonly SearchedTable[]): readonly string[];
  /** The statements that tell the planner what it cannot know of indexes, each led by the account and ended by the id. */
  indexStatistics(indexes: readonly ValueIndex[]): readonly string[];
  /** The statements that make indexes beside these, which tell by themselves what wide filters ask about. */
  coverRanges(indexes: readonly CoveringIndex[]): readonly string[];
  /** The statements that drop those whose place they take. */
  dropCovered(indexes: readonly CoveringIndex[]): readonly string[];
  /** Says in the database what takes the place of references; whoever may not change the tables fails here. */
  replaceReferences(): readonly string[];
  /** The statements after which no record of the tables looks up its account when it is written. */
  dropReferences(tables: readonly string[]): readonly string[];
  encode(value: Value | null): Parameter;
  encodeList(values: readonly (Value | null)[]): Parameter;
  /** The text that stands for the nth parameter, counted from 1. */
  placeholder(n: number, type: ValueType): string;
  listPlaceholder(n: number, type: ValueType): string;
  /** The JSON of a column's value, as text; `null` for null. */
  json(field: Field): Sql;
  /** A timestamp as the program writes it. */
  timestamp(column: string): Sql;
  /** Whether the column is one of the list's values; or, negated, none of them. Neither for null. */
  among(column: Sql, list: Bound, negated: boolean): Sql;
  /** What follows a column to say that it is one of the values of a query, which is run once. */
  amongAll(query: Sql): Sql;
  /** A column by which records are not to be found, where the engine could not know that. */
  unindexed(column: string): Sql;
  /** Rows of values as a table that a statement can read. */
  rows(columns: readonly TypedColumn[], rows: readonly (readonly (Value | null)[])[]): Incoming;
  /** How many rows at most: what stands behind `LIMIT`. */
  atMost(rows: Bound): Sql;
  /** Whether the text occurs in the field, which is folded as the text is. Without a scope, the record itself is looked at. */
  contains(field: Field, folded: string, scope: Scope | undefined): Sql;
}

export interface TypedColumn {
  readonly name: string;
  readonly type: ValueType;
}

export interface Incoming {
  /** Called `incoming`, with a column `n` that counts the rows from 1. */
  readonly table: Sql;
  /**
   * The values of each row, where a statement can read one at a time; they follow what is bound in it. Without: all rows
   * are there at once, and a statement may write in its `WITH` clauses what it needs beside them.
   */
  readonly runs?: readonly (readonly (Value | null)[])[];
}

export interface SearchedTable {
  readonly table: string;
  readonly columns: readonly string[];
}

export interface ValueIndex {
  readonly name: string;
  readonly table: string;
  readonly column: string;
}

/** An index on numbers, in whose order ranges are read. */
export interface CoveringIndex extends ValueIndex {
  /** The other columns with numbers, and those that are true or false. */
  readonly others: readonly string[];
}

/** What a condition is about: the records of one account in one table. */
export interface Scope {
  readonly table: string;
  readonly own: Bound;
  /** Left out where the engine may find the records as it likes. */
  readonly led?: Led | undefined;
}

/** The conditions by which records are found in an index. Whether they meet the others is seen in the records. */
export type Led = ReadonlySet<Predicate>;
