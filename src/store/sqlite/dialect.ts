/** SQLite's SQL. Booleans are 0 and 1, timestamps are their text, lists are JSON arrays. */

import type { Value } from '../../catalog/resource.ts';
import type { Dialect, TypedColumn, ValueIndex } from '../sql/dialect.ts';
import { madeOnce } from '../sql/made-once.ts';
import { sql, trusted } from '../sql/sql.ts';
import { contains, joinTogether, searchIndex } from './search.ts';

export const sqliteDialect: Dialect = {
  columnTypes: { integer: 'INTEGER', number: 'REAL', text: 'TEXT', boolean: 'INTEGER', timestamp: 'TEXT' },
  tableOptions: ' STRICT, WITHOUT ROWID',
  searchIndexes: (tables) => tables.flatMap(searchIndex),
  joinTogether,
  indexStatistics,
  // It reads ranges in the order of the list.
  coverRanges: () => [],
  dropCovered: () => [],
  // It cannot drop one, and looks up a row in no time.
  replaceReferences: () => [],
  dropReferences: () => [],
  encode,
  // JSON has no infinity; nothing that is stored equals it, so it can be left out.
  encodeList: (values) =>
    JSON.stringify(values.map(encode).filter((value) => typeof value !== 'number' || Number.isFinite(value))),
  placeholder: (n) => `?${n}`,
  listPlaceholder: (n) => `?${n}`,
  json({ name, type, nullable }) {
    const column = trusted(name);
    switch (type) {
      case 'text':
      case 'number':
        return sql`json_quote(${column})`;
      case 'integer':
        return nullable ? sql`coalesce(${column}, 'null')` : column;
      case 'boolean':
        return sql`CASE ${column} WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END`;
      case 'timestamp':
        return nullable ? sql`json_quote(${column})` : sql`'"' || ${column} || '"'`;
    }
  },
  timestamp: trusted,
  among(column, list, negated) {
    // JSON writes a large double in digits that SQLite would read as an integer next to it.
    const value = trusted(list.type === 'number' ? 'CAST(value AS REAL)' : 'value');
    return sql`${column} ${trusted(negated ? 'NOT IN' : 'IN')} (SELECT ${value} FROM json_each(${list}))`;
  },
  amongAll: (query) => sql`IN (${query})`,
  // The sign keeps SQLite from taking an index for it.
  unindexed: (column) => trusted(`+${column}`),
  // Numbers would not come out of JSON to the last bit.
  rows: (columns, rows) => ({ table: oneRow(columns), runs: rows.map((row, index) => [...row, index + 1]) }),
  // A bare parameter would be read by SQLite's planner, and the statement prepared anew each time it is bound.
  atMost: (rows) => sql`(${rows} + 0)`,
  contains,
};

/** A question mark without a number stands for the value after those that have one, so nothing may be bound behind it. */
const oneRow = madeOnce((columns: readonly TypedColumn[]) =>
  trusted(`(SELECT ${columns.map(({ name }) => `? AS ${name}`).join(', ')}, ? AS n) AS incoming`),
);

function encode(value: Value | null): string | number | null {
  return typeof value === 'boolean' ? Number(value) : value;
}

/**
 * Left to itself, SQLite takes an account to have ten records, and reads all of them rather than use an index. Rows, rows of
 * an account, and rows of an account with one value are said here once, so that plans do not change with the data.
 */
function indexStatistics(indexes: readonly ValueIndex[]): readonly string[] {
  const [rows, ofAccount, withValue] = [1_000_000, 100_000, 100];
  const tables = [...new Set(indexes.map(({ table }) => table))];
  const statistics = [
    ...tables.map((table) => [table, table, `${rows} ${ofAccount} 1`]),
    ...indexes.map(({ table, name }) => [table, name, `${rows} ${ofAccount} ${withValue} 1`]),
  ];
  return [
    'ANALYZE sqlite_schema',
    ...statistics.map(
      ([table, name, stat]) => `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('${table}', '${name}', '${stat}')`,
    ),
    // Reads them.
    'ANALYZE sqlite_schema',
  ];
}
