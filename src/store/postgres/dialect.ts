/** PostgreSQL's SQL. Text has the collation "C", so that it is compared and sorted by code point whatever the server's locale. */

import type { Value } from '../../catalog/resource.ts';
import type { ValueType } from '../../filter/operators.ts';
import type { Dialect } from '../sql/dialect.ts';
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
  encode,
  encodeList: (values) =>
    `{${values.map((value) => (typeof value === 'string' ? quoted(value) : encode(value))).join(',')}}`,
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
  bytes: (text) => text,
  timestamp: iso,
  among: (column, list, negated) => (negated ? sql`${column} <> ALL(${list})` : sql`${column} = ANY(${list})`),
  contains: (column, folded) => sql`${column} LIKE ${bind('text', `%${folded.replaceAll(/[\\%_]/g, '\\$&')}%`)}`,
};

function iso(column: string) {
  return trusted(`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);
}

function encode(value: Value | null): string | number | null {
  return typeof value === 'boolean' ? (value ? 't' : 'f') : value;
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
