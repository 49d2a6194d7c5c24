/** SQLite's SQL. Booleans are 0 and 1, timestamps are text, lists are JSON arrays. */

import { serialize } from 'node:v8';
import { memoize } from '../../catalog/memoize.ts';
import type { Value } from '../../catalog/value.ts';
import { MAX_INTEGER, type Storage } from '../../catalog/value-types.ts';
import { SCHEMA_VERSION } from '../migrations/schema-version.ts';
import type { Dialect, TypedColumn } from '../sql/dialect.ts';
import { bind, type Sql, sql, trusted } from '../sql/sql.ts';
import { indexNewest, searchIndex, UNINDEXED_IDS } from './search.ts';
import { additions, removal } from './table-statements.ts';

/** The days from 1899-12-30 to 1970-01-01. */
const SHEET_EPOCH_DAYS = 25_569;

/** A function that every connection defines: a number as JavaScript prints it. */
export const NUMBER_TEXT = 'number_text';

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  columnTypes: { integer: 'INTEGER', real: 'REAL', text: 'TEXT', boolean: 'INTEGER', timestamp: 'TEXT' },
  tableOptions: ' STRICT, WITHOUT ROWID',
  encode,
  // The writing thread takes them apart.
  pack: serialize,
  // JSON has no infinity. Nothing that is stored equals it, so it can be left out.
  encodeList: (values) =>
    JSON.stringify(values.map(encode).filter((value) => typeof value !== 'number' || Number.isFinite(value))),
  placeholder: (n) => `?${n}`,
  print,
  indexed(column, storage) {
    if (storage === 'timestamp') return trusted(`'"' || ${column} || '"'`);
    return storage === 'real' ? print(column, storage) : trusted(column);
  },
  sheetDays(column) {
    const seconds = `(unixepoch(${column}) + ${SHEET_EPOCH_DAYS * 86_400})`;
    const milliseconds = `(${seconds} % 86400 * 1000 + CAST(substr(${column}, 21, 3) AS INTEGER))`;
    return trusted(`printf('%d.%010d', ${seconds} / 86400, (${milliseconds} * 10000000000 + 43200000) / 86400000)`);
  },
  hasNoXmlForm: (column) =>
    trusted(
      `(${column} GLOB '*[\u0001-\u0008\u000b-\u001f\ufffe\uffff]*' OR ${column} GLOB '*_x${'[0-9A-Fa-f]'.repeat(4)}_*')`,
    ),
  jsonString: (column) => trusted(`json_quote(${column})`),
  isIn(column, list, negated) {
    // JSON prints a large double with digits that SQLite would read as an integer close to it.
    const value = trusted(list.storage === 'real' ? 'CAST(value AS REAL)' : 'value');
    return sql`${column} ${trusted(negated ? 'NOT IN' : 'IN')} (SELECT ${value} FROM json_each(${list}))`;
  },
  isInQuery: (query) => sql`IN (${query})`,
  // The unary plus disqualifies the column from being looked up in an index.
  unindexed: (column) => trusted(`+${column}`),
  supportedSchema: trusted(` AND (SELECT max(number) FROM migration) <= ${SCHEMA_VERSION}`),
  now: trusted(clock('')),
  clock: trusted(`CAST(unixepoch('subsec') * 1000 AS INTEGER)`),
  secondsFromNow: (seconds) => trusted(clock(`, '${seconds} seconds'`)),
  // Writes are serialized.
  alonePruning: sql`SELECT 1 AS alone`,
  // A connection has a limit, and stops when it is reached.
  bounded: (text) => text,
  // The planner inspects a bare parameter, and the statement would be prepared again whenever it is bound.
  limit: (rows) => sql`(${rows} + 0)`,
  // Parts that an index has in order are merged row by row, up to the limit of the union.
  firstRows: (part) => part,
  entryOrder: ['id'],
  writesInWith: false,
  // One statement per row: numbers would not survive JSON to the last bit.
  incoming: (columns, rows) => ({ table: incomingRow(columns), runs: rows.map((row, index) => [...row, index + 1]) }),
  contains: (column, text) => sql`instr(${column}, ${bind('text', text)}) > 0`,
  searchIndex,
  unindexedIds: UNINDEXED_IDS,
  indexNewest,
  additions: (difference) => additions(difference, sqliteDialect),
  removal,
  // Readers have snapshots, so nothing waits for them.
  beforeTableChange: [],
  // Writes are serialized.
  lockTable: () => [],
};

/** A question mark without a number refers to the value after the numbered ones, so nothing may be bound after it. */
const incomingRow = memoize((columns: readonly TypedColumn[]) =>
  trusted(`(SELECT ${columns.map(({ name }) => `? AS ${name}`).join(', ')}, ? AS n) AS incoming`),
);

/** In the format of timestamps. */
function clock(modifiers: string): string {
  return `strftime('%Y-%m-%dT%H:%M:%fZ', 'now'${modifiers})`;
}

function encode(value: Value | null): string | number | null {
  return typeof value === 'boolean' ? Number(value) : value;
}

function print(column: string, storage: Storage): Sql {
  switch (storage) {
    case 'boolean':
      return trusted(`CASE ${column} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END`);
    case 'real':
      // Most numbers are whole or have two decimals. SQLite prints them several times as fast as it calls JavaScript,
      // and in the same way: the shortest decimal that is read as the same number, here with at most 11 digits.
      return trusted(
        `CASE WHEN ${column} = CAST(${column} AS INTEGER) AND abs(${column}) <= ${MAX_INTEGER} THEN CAST(${column} AS INTEGER) ` +
          `WHEN abs(${column}) < 1e9 AND ${column} = CAST(round(${column} * 100) AS INTEGER) / 100.0 THEN ${column} ` +
          `ELSE ${NUMBER_TEXT}(${column}) END`,
      );
    default:
      return trusted(column);
  }
}
