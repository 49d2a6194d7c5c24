/** PostgreSQL's SQL. Text has the collation "C", so it is compared and sorted by code point, regardless of the server's locale. */

import { memoize } from '../../catalog/memoize.ts';
import type { Value } from '../../catalog/value.ts';
import type { Storage } from '../../catalog/value-types.ts';
import { MAX_TEXT_BYTES } from '../engine/engine.ts';
import type { Dialect, TypedColumn } from '../sql/dialect.ts';
import { bind, sql, trusted } from '../sql/sql.ts';
import { copyText } from './copy.ts';
import { additions, removal } from './table-statements.ts';

const types: Record<Storage, string> = {
  integer: 'bigint',
  real: 'double precision',
  text: 'text',
  boolean: 'boolean',
  timestamp: 'timestamptz',
};

/** Milliseconds from 1899-12-30 to 1970-01-01. */
const SHEET_EPOCH = 25_569 * 86_400_000;

/** "Stkb" in ASCII, so that no other program has the same, and a number for what is locked. Locks belong to one database. */
export const PRUNING_LOCK = '1400138594, 1';

export const postgresDialect: Dialect = {
  name: 'postgres',
  columnTypes: { ...types, text: 'text COLLATE "C"' },
  tableOptions: '',
  encode,
  pack: (rows) => new TextEncoder().encode(copyText(rows)),
  encodeList: (values) =>
    `{${values.map((value) => (typeof value === 'string' ? quote(value) : (encode(value) ?? 'NULL'))).join(',')}}`,
  placeholder: (n, storage, isList) => `$${n}::${types[storage]}${isList ? '[]' : ''}`,
  print(column, storage) {
    switch (storage) {
      case 'real':
        return trusted(numberText(column));
      case 'timestamp':
        return trusted(`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);
      default:
        return trusted(`${column}::text`);
    }
  },
  indexed(column, storage) {
    switch (storage) {
      case 'boolean':
        return trusted(`${column}::int::text`);
      case 'timestamp':
        return trusted(`(date_part('epoch', ${column}) * 1000)::bigint::text`);
      default:
        return trusted(`${column}::text`);
    }
  },
  sheetDays(column) {
    const milliseconds = `((date_part('epoch', ${column}) * 1000)::bigint + ${SHEET_EPOCH})`;
    const fraction = `(${milliseconds} % 86400000 * 10000000000 + 43200000) / 86400000`;
    return trusted(`${milliseconds} / 86400000 || '.' || lpad((${fraction})::text, 10, '0')`);
  },
  hasNoXmlForm: (column) => trusted(`${column} ~ '[\u0001-\u0008\u000b-\u001f\ufffe\uffff]|_x[0-9A-Fa-f]{4}_'`),
  jsonString: (column) => trusted(`to_json(${column})::text`),
  isIn: (column, list, negated) => (negated ? sql`${column} <> ALL(${list})` : sql`${column} = ANY(${list})`),
  // With IN, the query would run once per record in an account that is newer than the planner's statistics.
  isInQuery: (query) => sql`= ANY(ARRAY(${query}))`,
  // The planner's statistics tell whether an index helps.
  unindexed: trusted,
  supportedSchema: sql``,
  now: sql`now()`,
  clock: sql`CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)`,
  secondsFromNow: (seconds) => trusted(`now() + interval '${seconds} seconds'`),
  alonePruning: trusted(`SELECT 1 AS alone WHERE pg_try_advisory_xact_lock(${PRUNING_LOCK})`),
  bounded: (text) => sql`CASE WHEN octet_length(${text}) <= ${trusted(String(MAX_TEXT_BYTES))} THEN ${text} END`,
  limit: (rows) => sql`${rows}`,
  firstRows: (part, order, rows) => sql`SELECT * FROM (${part} ${order} LIMIT ${rows}) AS part`,
  entryOrder: ['id'],
  writesInWith: true,
  incoming(columns, rows) {
    const records = rows.map((row, index) => {
      const record: Record<string, Value> = { n: index + 1 };
      for (const [at, { name }] of columns.entries()) {
        const value = row[at] ?? null;
        if (value !== null) record[name] = value;
      }
      return record;
    });
    const json = bind('text', JSON.stringify(records));
    return { table: sql`json_to_recordset(${json}::json) AS incoming (${definitions(columns)})` };
  },
  // Only LIKE can use a trigram index, and without three letters in a row it would read all of it.
  unindexedIds: undefined,
  indexNewest: () => [],
  additions: (difference) => additions(difference, postgresDialect),
  removal,
  // While it waits for a long export, everybody else would wait for it.
  beforeTableChange: [`SET LOCAL lock_timeout = '200ms'`],
  lockTable: (table) => [`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`],
  contains: (column, text) =>
    hasTrigram(text)
      ? sql`${column} LIKE ${bind('text', `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`)}`
      : sql`strpos(${column}, ${bind('text', text)}) > 0`,
  searchIndex: undefined,
};

const definitions = memoize((columns: readonly TypedColumn[]) =>
  trusted(['n bigint', ...columns.map(({ name, storage }) => `${name} ${types[storage]}`)].join(', ')),
);

/** Whether a trigram index can find a text. */
export function hasTrigram(text: string): boolean {
  return /[\p{L}\p{N}]{3}/u.test(text);
}

/**
 * A number as JavaScript prints it. PostgreSQL switches to exponents at other magnitudes and pads them: `1e+15` for
 * `1000000000000000`, `1e-05` for `0.00001`, `1e-07` for `1e-7`. It also keeps the sign of -0.
 */
function numberText(column: string): string {
  const isBelow = (limit: string) => `abs(${column}) < ${limit}`;
  return `CASE WHEN ${isBelow('1e15')} AND NOT ${isBelow('1e-4')} THEN ${column}::text
    WHEN ${column} = 0 THEN '0'
    WHEN ${isBelow('1e-6')} THEN replace(${column}::text, 'e-0', 'e-')
    WHEN ${isBelow('1e-4')} THEN ${column}::text::numeric::text
    WHEN ${isBelow('1e21')} THEN (${shortestDigits(column)})::numeric::text
    ELSE regexp_replace(trim(${shortestDigits(column)}), '[.]?0+e', 'e') END`;
}

/**
 * A large number in scientific notation. PostgreSQL avoids digits that lie exactly between two doubles, although they read
 * back to the right one, and prints more instead: `1.1500000000000001e+22` for `1.15e+22`. Such digits can only exist below
 * 1e40, and rounding to 15 or 16 of them finds them.
 */
function shortestDigits(column: string): string {
  const attempts = [15, 16]
    .map((digits) => `to_char(${column}, '9.${'9'.repeat(digits - 1)}EEEE')`)
    .map((rounded) => `WHEN ${rounded}::double precision = ${column} THEN ${rounded}`);
  return `CASE WHEN abs(${column}) >= 1e40 THEN ${column}::text ${attempts.join(' ')} ELSE ${column}::text END`;
}

function encode(value: Value | null): string | number | null {
  return typeof value === 'boolean' ? (value ? 't' : 'f') : value;
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
