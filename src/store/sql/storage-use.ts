/**
 * How much an account stores, and how much it may store. The size of a record is that of its values: text counts its bytes in UTF-8, any
 * other value eight, and null nothing. So it is the same on every engine. The ledger has the sum.
 */

import type { Field, Resource } from '../../catalog/resource.ts';
import type { Value } from '../../catalog/value.ts';
import { storageOf } from '../../catalog/value-types.ts';
import type { StorageLimits } from '../store.ts';
import { type Bound, bind, join, type Sql, sql, trusted } from './sql.ts';

/** The size of a value that is not text, in bytes. */
const VALUE_BYTES = 8;

/** Of a record with these values, or else the initial ones. Its id may be assigned later. */
export function recordBytes(
  { fields }: Resource,
  values: ReadonlyMap<Field, Value | null>,
  initials: ReadonlyMap<Field, Value | null> = new Map(),
): number {
  let bytes = 0;
  for (const field of fields) {
    const value = values.get(field);
    if (field.initial.kind === 'id') bytes += VALUE_BYTES;
    else bytes += valueBytes(field, value === undefined ? (initials.get(field) ?? null) : value);
  }
  return bytes;
}

function valueBytes(field: Field, value: Value | null): number {
  if (value === null) return 0;
  return storageOf(field) === 'text' ? Buffer.byteLength(String(value)) : VALUE_BYTES;
}

/** The size of a field in a row of a table. */
export function fieldSize(table: Sql, field: Field): Sql {
  const column = sql`${table}.${trusted(field.column)}`;
  return storageOf(field) === 'text'
    ? sql`coalesce(octet_length(${column}), 0)`
    : sql`CASE WHEN ${column} IS NULL THEN 0 ELSE ${trusted(String(VALUE_BYTES))} END`;
}

/** The size of a record in a table. */
export function recordSize({ name, fields }: Resource): Sql {
  return sql`(${join(
    fields.map((field) => fieldSize(trusted(name), field)),
    ' + ',
  )})`;
}

/** The columns `records`, `bytes`, `max_records` and `max_bytes` of an account, in a row of its own. A limit of 0 means unlimited. */
export function storageUse(account: Bound, limits: StorageLimits): Sql {
  return sql`SELECT CAST(coalesce(sum(used.rows), 0) AS bigint) AS records, CAST(coalesce(sum(used.bytes), 0) AS bigint) AS bytes,
      ${limitOf(account, 'record_limit', limits.records)} AS max_records, ${limitOf(account, 'byte_limit', limits.bytes)} AS max_bytes
    FROM ledger AS used WHERE used.account_id = ${account}`;
}

function limitOf(account: Bound, column: string, fallback: number): Sql {
  return sql`coalesce((SELECT ${trusted(column)} FROM account WHERE account.id = ${account}), ${bind('integer', fallback)})`;
}

/**
 * Whether a row of the ledger has room for further records. PostgreSQL evaluates that again when it has got the lock on the row, with the
 * row as it is then. It does not run subqueries again, so they are only about other rows.
 */
export function fitsLimits(
  account: Bound,
  resource: Resource,
  limits: StorageLimits,
  records: Bound,
  bytes: Bound,
): Sql {
  const others = (column: string) =>
    sql`coalesce((SELECT sum(${trusted(column)}) FROM ledger AS used WHERE used.account_id = ${account} AND used.resource <> ${bind('text', resource.name)}), 0)`;
  const fits = (column: string, added: Bound, limit: Sql) =>
    sql`(${limit} = 0 OR ledger.${trusted(column)} + ${added} + ${others(column)} <= ${limit})`;
  return sql`${fits('rows', records, limitOf(account, 'record_limit', limits.records))}
    AND ${fits('bytes', bytes, limitOf(account, 'byte_limit', limits.bytes))}`;
}

/** Whether the account, whose `storageUse` is called `storage`, would have more records than it may. */
export function exceedsRecords(added: Sql): Sql {
  return sql`(storage.max_records > 0 AND storage.records + ${added} > storage.max_records)`;
}

/** Likewise for bytes. */
export function exceedsBytes(added: Sql): Sql {
  return sql`(storage.max_bytes > 0 AND storage.bytes + ${added} > storage.max_bytes)`;
}
