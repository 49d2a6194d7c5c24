/** The audit trail in SQL. An entry is written in the same transaction as what it describes. */

import type { Actor, AuditAction, AuditQuery, DetailName, Json } from '../audit.ts';
import type { Dialect } from './dialect.ts';
import { bind, join, Sql, sql, trusted } from './sql.ts';
import { compile, type Statement } from './statement.ts';

export interface EntryTemplate<Action extends AuditAction> {
  readonly action: Action;
  /** The account's name. */
  readonly account: Sql;
  readonly details: Details<DetailName<Action>>;
  /** What the expressions refer to, as it follows FROM. There is an entry for each of its rows. */
  readonly from?: Sql;
}

/** A value, or an expression for an integer or for a text that is JSON. */
export type Details<Name extends string> = Readonly<Record<Name, Json | Sql>>;

export const NO_ACCOUNT = sql`NULL`;

/** Follows SELECT: the name of an account. */
export function accountName(account: Sql): Sql {
  return sql`(SELECT account.name FROM account WHERE account.id = ${account})`;
}

/** A detail whose value is in a column that may be null. */
export function numberOrNull(column: Sql): Sql {
  return sql`coalesce(CAST(${column} AS text), 'null')`;
}

/**
 * The time is the database's, so that the entries of several nodes have one clock. The inner query is for clusters: it runs on the worker node that has
 * the records, and the coordinator, which has the audit trail, inserts its result.
 */
export function entryStatement<Action extends AuditAction>(
  { action, account, details, from }: EntryTemplate<Action>,
  by: Actor,
  dialect: Dialect,
): Statement {
  const values = [
    dialect.now,
    bind('text', by.name),
    bind('text', by.origin),
    bind('text', action),
    account,
    jsonObject(details),
  ];
  return compile(
    sql`INSERT INTO audit_entry (at, actor, origin, action, account, details)
      SELECT * FROM (SELECT ${join(values, ', ')}${from === undefined ? sql`` : sql` FROM ${from}`}) AS entry`,
    dialect,
  );
}

/** Written by the migration itself, before there is a store. */
export function upgradeStatement(from: number, to: number, by: Actor, dialect: Dialect): Statement {
  return entryStatement({ action: 'database upgraded', account: NO_ACCOUNT, details: { from, to } }, by, dialect);
}

/** An expression for the text of a JSON object. The names are the program's own. */
export function jsonObject(members: Details<string>): Sql {
  const pairs = Object.entries(members).map(
    ([name, value]) =>
      sql`${trusted(`'"${name}":'`)} || ${value instanceof Sql ? value : bind('text', JSON.stringify(value))}`,
  );
  return pairs.length === 0 ? sql`'{}'` : sql`'{' || ${join(pairs, " || ',' || ")} || '}'`;
}

/** A place in the order of the entries: at one of them, or after it. */
export interface EntryPosition {
  readonly id: number;
  readonly isAfter: boolean;
}

/** The oldest of the newest entries that the query allows; no row if there are fewer than its limit. */
export function firstEntryStatement(query: AuditQuery, limit: number, dialect: Dialect): Statement {
  return compile(
    sql`SELECT id FROM audit_entry WHERE ${conditions(query)} ORDER BY ${orderOf('audit_entry', dialect, ' DESC')} LIMIT 1 OFFSET ${bind('integer', limit - 1)}`,
    dialect,
  );
}

/** The entries from a position onwards, or all of them, oldest first. */
export function entriesStatement(
  query: AuditQuery,
  from: EntryPosition | undefined,
  rows: number,
  dialect: Dialect,
): Statement {
  return compile(
    sql`SELECT id, ${dialect.print('at', 'timestamp')} AS at, actor, origin, action, account, details FROM audit_entry
      WHERE ${from === undefined ? sql`1 = 1` : isFrom(from, dialect)} AND ${conditions(query)} ORDER BY ${orderOf('audit_entry', dialect)} LIMIT ${bind('integer', rows)}`,
    dialect,
  );
}

function isFrom({ id, isAfter }: EntryPosition, dialect: Dialect): Sql {
  return sql`(${orderOf('audit_entry', dialect)}) ${trusted(isAfter ? '>' : '>=')}
    (SELECT ${orderOf('first', dialect)} FROM audit_entry AS first WHERE first.id = ${bind('integer', id)})`;
}

function orderOf(table: string, { entryOrder }: Dialect, direction = ''): Sql {
  return trusted(entryOrder.map((column) => `${table}.${column}${direction}`).join(', '));
}

function conditions({ account, action, since }: AuditQuery): Sql {
  const all = [
    sql`1 = 1`,
    ...(account === undefined
      ? []
      : [account === null ? sql`account IS NULL` : sql`account = ${bind('text', account)}`]),
    ...(action === undefined ? [] : [sql`action = ${bind('text', action)}`]),
    ...(since === undefined ? [] : [sql`at >= ${bind('timestamp', since)}`]),
  ];
  return join(all, ' AND ');
}
