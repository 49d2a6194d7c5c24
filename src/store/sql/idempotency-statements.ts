/**
 * Idempotency keys in SQL. A key is inserted by the transaction that creates its record, so neither exists without the
 * other.
 *
 * Keys are stored as hashes, so they are spread evenly whatever clients choose. A batch removes what has expired among the
 * keys that follow one of its own, which is a random place. So every place is visited in the course of time, without an
 * index on the time: between two indexes that start with the account, PostgreSQL would sometimes choose the wrong one.
 */

import { createHash } from 'node:crypto';
import type { ResourceOutline } from '../../catalog/resource.ts';
import type { CreatePlan, Idempotency } from '../../plan/plan.ts';
import { type AccountId, type Caller, KEY_LIFETIME } from '../store.ts';
import type { Dialect, Incoming, TypedColumn } from './dialect.ts';
import { hasAccess, ledgerRow } from './ledger.ts';
import { type Bound, bind, type Sql, sql, trusted } from './sql.ts';
import { compile, type Statement } from './statement.ts';

/** How many keys are checked for each one that is added. At a constant rate, a quarter of all keys have expired. */
const CHECKED_PER_KEY = 4;

/** Returns no row if the caller has no access, and a row of nulls if the key is unused. */
export function findKeyStatement(caller: Caller, resource: ResourceOutline, key: string, dialect: Dialect): Statement {
  const account = bind('integer', caller.account);
  return compile(
    sql`SELECT used.fingerprint, used.record_id, used.result, used.is_expired
      FROM ledger LEFT JOIN (
        SELECT fingerprint, record_id, result, CASE WHEN ${isExpired(dialect)} THEN 1 ELSE 0 END AS is_expired
          FROM idempotency_key WHERE ${keysOf(account, resource)} AND key_hash = ${bind('text', hashOf(key))}
      ) AS used ON 1 = 1
      WHERE ${ledgerRow(account, resource)}${hasAccess(account, caller, dialect)}`,
    dialect,
  );
}

export function removeExpiredKeyStatement(
  account: AccountId,
  resource: ResourceOutline,
  key: string,
  dialect: Dialect,
): Statement {
  return compile(
    sql`DELETE FROM idempotency_key WHERE ${keysOf(bind('integer', account), resource)}
      AND key_hash = ${bind('text', hashOf(key))} AND ${isExpired(dialect)}`,
    dialect,
  );
}

/** For a request that creates no record. `result` is an expression for what a replay returns. */
export function saveKeyStatement(
  account: Bound,
  resource: ResourceOutline,
  { key, fingerprint }: Idempotency,
  result: Sql,
  dialect: Dialect,
): Statement {
  return compile(
    sql`INSERT INTO idempotency_key (account_id, resource, key_hash, fingerprint, record_id, created_at, result)
      SELECT ledger.account_id, ledger.resource, ${bind('text', hashOf(key))}, ${bind('text', fingerprint)}, 0, ${dialect.now}, ${result}
      FROM ledger WHERE ${ledgerRow(account, resource)}`,
    dialect,
  );
}

export function amendKeyStatement(
  account: AccountId,
  resource: ResourceOutline,
  key: string,
  result: string,
  dialect: Dialect,
): Statement {
  return compile(
    sql`UPDATE idempotency_key SET result = ${bind('text', result)}
      WHERE ${keysOf(bind('integer', account), resource)} AND key_hash = ${bind('text', hashOf(key))}`,
    dialect,
  );
}

/** What the creation of a batch of records does with their keys. */
export interface KeyWrites {
  /** `taken` has the ledger row with the last id of the batch. A key that exists is rejected, even if it has expired. */
  insert(taken: Sql): Sql;
  /** The values of each insertion, as in `Incoming`. */
  readonly runs: Incoming['runs'];
  /** Other conditions may follow. */
  readonly removeExpired: Sql;
}

/** Undefined if no record has a key. */
export function keyWrites(
  account: Bound,
  resource: ResourceOutline,
  records: readonly Pick<CreatePlan, 'idempotency'>[],
  dialect: Dialect,
): KeyWrites | undefined {
  const rows = records.flatMap(({ idempotency }, index) =>
    idempotency === undefined ? [] : [[hashOf(idempotency.key), idempotency.fingerprint, index + 1] as const],
  );
  const [first] = rows;
  if (first === undefined) return undefined;
  const incoming = dialect.incoming(KEY_COLUMNS, rows);
  const [anchor] = first;
  const keys = keysOf(account, resource);
  const checked = sql`SELECT key_hash, created_at FROM idempotency_key WHERE ${keys} AND key_hash > ${bind('text', anchor)}
    ORDER BY key_hash LIMIT ${literalLimit(rows.length * CHECKED_PER_KEY)}`;
  return {
    insert: (taken) =>
      sql`INSERT INTO idempotency_key (account_id, resource, key_hash, fingerprint, record_id, created_at)
        SELECT account_id, ${bind('text', resource.name)}, incoming.key_hash, incoming.fingerprint,
          last_id - ${bind('integer', records.length)} + incoming.place, ${dialect.now}
        FROM ${taken}, ${incoming.table}`,
    runs: incoming.runs,
    removeExpired: sql`DELETE FROM idempotency_key WHERE ${keys} AND key_hash ${dialect.isInQuery(
      sql`SELECT key_hash FROM (${checked}) AS checked WHERE ${isExpired(dialect)}`,
    )}`,
  };
}

/** `place` is the record's place in the batch. */
const KEY_COLUMNS: readonly TypedColumn[] = [
  { name: 'key_hash', storage: 'text' },
  { name: 'fingerprint', storage: 'text' },
  { name: 'place', storage: 'integer' },
];

/**
 * The next power of two, so that there are few texts. PostgreSQL takes a bound limit for a tenth of the table, which it
 * would rather scan and sort.
 */
function literalLimit(rows: number): Sql {
  return trusted(String(2 ** Math.ceil(Math.log2(rows))));
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function keysOf(account: Bound, resource: ResourceOutline): Sql {
  return sql`account_id = ${account} AND resource = ${bind('text', resource.name)}`;
}

function isExpired(dialect: Dialect): Sql {
  return sql`created_at <= ${dialect.secondsFromNow(-3_600 * KEY_LIFETIME)}`;
}
