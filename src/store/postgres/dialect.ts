/** PostgreSQL's SQL. Text has the collation "C", so that it is compared and sorted by code point whatever the server's locale. */

import type { Value } from '../../catalog/resource.ts';
import type { ValueType } from '../../filter/operators.ts';
import { foldedColumn } from '../sql/columns.ts';
import type { Dialect, SearchedTable, TypedColumn } from '../sql/dialect.ts';
import { madeOnce } from '../sql/made-once.ts';
import { bind, sql, trusted } from '../sql/sql.ts';

const types: Record<ValueType, string> = {
  integer: 'bigint',
  number: 'double precision',
  text: 'text',
  boolean: 'boolean',
  timestamp: 'timestamptz',
};

export const postgresDialect: Dialect = {
  columnTypes: { ...types, text: 'text COLLATE "C"' },
  tableOptions: '',
  searchIndexes,
  // Its indexes of trigrams gather what is new by themselves.
  joinTogether: () => [],
  // PostgreSQL gathers them by itself.
  indexStatistics: () => [],
  coverRanges: (indexes) =>
    indexes.map(
      ({ name, table, column, others }) =>
        `CREATE INDEX ${name}_covering ON ${table} (account_id, ${column}, id) INCLUDE (${others.join(', ')})`,
    ),
  // Without a lock that reads would wait for.
  dropCovered: (indexes) => indexes.map(({ name }) => `DROP INDEX CONCURRENTLY IF EXISTS ${name}`),
  replaceReferences: () => [
    "COMMENT ON TABLE ledger IS 'Taken first by every write: records need no reference to their account beside it'",
  ],
  dropReferences: (tables) => tables.map(dropReference),
  encode,
  encodeList: (values) =>
    `{${values.map((value) => (typeof value === 'string' ? quoted(value) : (encode(value) ?? 'NULL'))).join(',')}}`,
  placeholder: (n, type) => `$${n}::${types[type]}`,
  listPlaceholder: (n, type) => `$${n}::${types[type]}[]`,
  json({ name, type, nullable }) {
    const column = trusted(name);
    switch (type) {
      case 'text':
        return nullable ? sql`coalesce(to_json(${column})::text, 'null')` : sql`to_json(${column})::text`;
      case 'number':
      case 'integer':
        return nullable ? sql`coalesce(${column}::text, 'null')` : column;
      case 'boolean':
        return sql`CASE WHEN ${column} THEN 'true' WHEN NOT ${column} THEN 'false' ELSE 'null' END`;
      case 'timestamp':
        return nullable ? sql`coalesce('"' || ${iso(name)} || '"', 'null')` : sql`'"' || ${iso(name)} || '"'`;
    }
  },
  timestamp: iso,
  among: (column, list, negated) => (negated ? sql`${column} <> ALL(${list})` : sql`${column} = ANY(${list})`),
  // With IN, it would run the query again for every record of an account of which its statistics do not know yet.
  amongAll: (query) => sql`= ANY(ARRAY(${query}))`,
  rows(columns, rows) {
    const records = rows.map((row, index) => {
      const record: Record<string, Value> = { n: index + 1 };
      for (const [at, { name }] of columns.entries()) {
        const value = row[at] ?? null;
        if (value !== null) record[name] = value;
      }
      return record;
    });
    const json = bind('text', JSON.stringify(records));
    return { table: sql`json_to_recordset(${json}::json) AS incoming (${definitionsOf(columns)})` };
  },
  // It knows by its statistics.
  unindexed: trusted,
  atMost: (rows) => sql`${rows}`,
  // Only LIKE can use a trigram index, and without three letters in a row it would read the whole of it.
  contains(field, folded) {
    const column = trusted(foldedColumn(field));
    return HAS_TRIGRAM.test(folded)
      ? sql`${column} LIKE ${bind('text', `%${folded.replaceAll(/[\\%_]/g, '\\$&')}%`)}`
      : sql`strpos(${column}, ${bind('text', folded)}) > 0`;
  },
};

const definitionsOf = madeOnce((columns: readonly TypedColumn[]) =>
  trusted(['n bigint', ...columns.map(({ name, type }) => `${name} ${types[type]}`)].join(', ')),
);

const HAS_TRIGRAM = /[\p{L}\p{N}]{3}/u;

function iso(column: string) {
  return trusted(`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);
}

function encode(value: Value | null): string | number | null {
  return typeof value === 'boolean' ? (value ? 't' : 'f') : value;
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

/**
 * Needs the table, and that of accounts, for itself for a moment. Whoever reads waits behind it, so it asks for a short time
 * again and again. Where it never gets its turn the reference stays, which costs time and nothing else.
 */
function dropReference(table: string): string {
  return `DO $$ BEGIN
      FOR attempt IN 1..10 LOOP
        BEGIN
          PERFORM set_config('lock_timeout', '50ms', true);
          ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${table}_account_id_fkey;
          EXIT;
        EXCEPTION
          WHEN lock_not_available THEN PERFORM pg_sleep(0.2);
          WHEN insufficient_privilege THEN EXIT;
        END;
      END LOOP;
    END $$`;
}

/**
 * Trigram indexes, led by the account. They need two extensions that come with PostgreSQL; where those cannot be had,
 * `contains` goes without.
 */
function searchIndexes(tables: readonly SearchedTable[]): readonly string[] {
  const all = tables.flatMap(({ table, columns }) => columns.map((column) => ({ table, column })));
  const indexes = all.map(
    ({ table, column }) =>
      `EXECUTE format('CREATE INDEX ${table}_${column}_search ON ${table} USING gin (account_id, ${column} %I.gin_trgm_ops)', place);`,
  );
  return [
    `DO $$ DECLARE place name; BEGIN
      CREATE EXTENSION IF NOT EXISTS pg_trgm;
      CREATE EXTENSION IF NOT EXISTS btree_gin;
      SELECT nspname INTO place FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm';
      ${indexes.join('\n      ')}
    EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
      RAISE NOTICE 'pg_trgm and btree_gin cannot be had';
    END $$`,
  ];
}
