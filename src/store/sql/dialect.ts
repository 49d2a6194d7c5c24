/** Where the engines' SQL differs. All other SQL is written once. */

import type { Field, Resource } from '../../catalog/resource.ts';
import type { Value } from '../../catalog/value.ts';
import type { Storage } from '../../catalog/value-types.ts';
import type { SearchQuery } from './search-query.ts';
import type { Bound, Sql } from './sql.ts';
import type { TableDifference, TableStatements } from './table-difference.ts';

/** The engines whose SQL differs, as data that a thread can be told. */
export type DialectName = 'sqlite' | 'postgres';

export type Parameter = string | number | null;

/** A row on its way into the temporary table from which it is loaded. */
export type StagedRow = readonly Parameter[];

export interface Dialect {
  readonly name: DialectName;
  readonly columnTypes: Readonly<Record<Storage, string>>;
  /** Follows the definition of a table of records. */
  readonly tableOptions: string;
  encode(value: Value | null): Parameter;
  /** Many rows as the engine stages them. */
  pack(rows: readonly StagedRow[]): Uint8Array<ArrayBuffer>;
  encodeList(values: readonly (Value | null)[]): Parameter;
  /** The text for the nth parameter, starting at 1. */
  placeholder(n: number, storage: Storage, isList: boolean): string;
  /** A column's value as JSON and CSV print it, without quotes. Null stays null. */
  print(column: string, storage: Storage): Sql;
  /** A column that is not text as JSON for an index in memory, in the form that costs least. Null stays null. */
  indexed(column: string, storage: Exclude<Storage, 'text'>): Sql;
  /** A timestamp from 1900 on as the number of days since 1899-12-30 that a sheet of Excel has, with ten decimals, which is exact to a millisecond. */
  sheetDays(column: string): Sql;
  /** Whether a text contains characters that XML does not have, or `_x0041_`, as sheets of Excel write those. */
  hasNoXmlForm(column: string): Sql;
  /** A text column as a JSON string. */
  jsonString(column: string): Sql;
  /** Whether the column equals one of the list's values, or, negated, none of them. Null does neither. */
  isIn(column: Sql, list: Bound, negated: boolean): Sql;
  /** Follows a column: equals one of the values of a query, which runs once. */
  isInQuery(query: Sql): Sql;
  /** A column that must not be looked up in an index, for engines that cannot know it would be slow. */
  unindexed(column: string): Sql;
  /** Follows other conditions: false if a newer program has migrated the database. Empty if both can run side by side. */
  readonly supportedSchema: Sql;
  /** The database's clock: nodes may disagree about the time. */
  readonly now: Sql;
  /** In milliseconds. It goes on within a transaction, from statement to statement. */
  readonly clock: Sql;
  /** The same as `now`, some seconds later, or earlier if negative. */
  secondsFromNow(seconds: number): Sql;
  /** Selects a row, unless the transaction of another node is doing the same. */
  readonly alonePruning: Sql;
  /** A text that may have more bytes than a text in a row may have. Then it is an error, or null. */
  bounded(text: Sql): Sql;
  /** What follows `LIMIT`. */
  limit(rows: Bound): Sql;
  /** A part of an ordered union of which no more than the first rows are needed. */
  firstRows(part: Sql, order: Sql, rows: Bound): Sql;
  /** The columns that order the entries of the audit trail. The last one is `id`. */
  readonly entryOrder: readonly string[];
  /** Whether a statement may write to several tables, in its `WITH` clauses. */
  readonly writesInWith: boolean;
  /** Rows of values as a table that a statement can read. */
  incoming(columns: readonly TypedColumn[], rows: readonly (readonly (Value | null)[])[]): Incoming;
  /** Whether a column contains a text. */
  contains(column: Sql, text: string): Sql;
  /** Undefined if the engine uses its indexes for the conditions themselves. */
  readonly searchIndex: SearchIndex | undefined;
  /** How many ids of a ledger are past its search index; undefined if that is always complete. */
  readonly unindexedIds: Sql | undefined;
  /** Adds the newest records of an account to the search index, if that lags behind. The last statement returns how many ids are `left`. */
  indexNewest(resource: Resource, account: Bound, batch: IndexBatch): readonly Sql[];
  /** Adds what a table lacks. */
  additions(difference: TableDifference): TableStatements;
  /** Removes a field from its table. `rest` is the resource without it. */
  removal(resource: Resource, field: Field, rest: Resource): readonly string[];
  /** Precedes changes of tables in a transaction: others must not wait long because it waits for them. */
  readonly beforeTableChange: readonly string[];
  /** Statements after which no statement of another transaction writes to a table, not even one that has begun. */
  readonly lockTable: (table: string) => readonly string[];
}

/** A search index that has to be asked. */
export interface SearchIndex {
  /** Whether it has entries for a text. */
  isIndexed(text: string): boolean;
  /** Follows other conditions: a record is among those that the index finds. */
  isFound(query: SearchQuery, target: SearchTarget): Sql;
}

/** How many records join a search index at once. */
export interface IndexBatch {
  /** None, unless as many ids are missing. */
  readonly min: number;
  readonly max: number;
}

export interface TypedColumn {
  readonly name: string;
  readonly storage: Storage;
}

export interface Incoming {
  /** Named `incoming`, with a column `n` that numbers the rows from 1. */
  readonly table: Sql;
  /**
   * If present, a statement reads one row at a time, and these are the values of each; they follow what is bound in the
   * statement. Otherwise the table has all rows at once.
   */
  readonly runs?: readonly (readonly (Value | null)[])[];
}

/** The records that are searched: those of one account in one table. */
export interface SearchTarget {
  readonly resource: Resource;
  readonly account: Bound;
  /** All if undefined. */
  readonly ids?: BoundRange | undefined;
}

/** Ids above `after`, up to and including `upTo`. */
export interface BoundRange {
  readonly after: Bound;
  readonly upTo: Bound;
}
