/**
 * The ledger in SQL. Each account has one row for each resource: its generation, revision, number of records and last id.
 *
 * A database has a history of generations, as PostgreSQL has timelines. A write to a ledger first brings it into the current
 * generation: the generation it was in before, and the revision at which that began, move to `ledger_history`. Generation
 * ids are random, so generation and revision together identify the state of a ledger even if an older copy of the database
 * is restored and written to.
 */

import type { ResourceOutline } from '../../catalog/resource.ts';
import type { AccountId, Caller } from '../store.ts';
import type { LedgerVersion } from '../version.ts';
import type { Dialect } from './dialect.ts';
import { integerOf, type Row } from './row.ts';
import { type Bound, bind, bindList, type Sql, sql, trusted } from './sql.ts';
import { compile, type Statement } from './statement.ts';

export const CURRENT_GENERATION = sql`(SELECT id FROM generation ORDER BY number DESC LIMIT 1)`;

/** The version of the catalog. */
export const FIELDS_VERSION = sql`(SELECT value FROM counter WHERE name = 'fields')`;

export function ledgerRow(account: Bound, resource: ResourceOutline): Sql {
  return sql`ledger.account_id = ${account} AND ledger.resource = ${bind('text', resource.name)}`;
}

/** Follows other conditions: the access version is still the one the caller's session was granted under. */
export function hasAccess(account: Bound, { access }: Caller, dialect: Dialect): Sql {
  return access === undefined ? sql`` : accessIs(account, bind('integer', access), dialect);
}

/** The same, for an access version that is bound. */
export function accessIs(account: Bound, access: Bound, { supportedSchema }: Dialect): Sql {
  return sql` AND (SELECT access FROM account WHERE account.id = ${account}) = ${access}${supportedSchema}`;
}

/** What follows FROM: one row if the caller has access. With it, a statement that reads something else also verifies the session. */
export function accessRow(account: Bound, caller: Caller, dialect: Dialect): Sql {
  return sql`(SELECT 1 AS one FROM ledger WHERE ledger.account_id = ${account}${hasAccess(account, caller, dialect)} LIMIT 1) AS access`;
}

/** The generation in which a record was last written, given its revision. */
export function generationOf(account: Bound, resource: ResourceOutline, revision: Sql): Sql {
  return sql`CASE WHEN ${revision} >= ledger.began THEN ledger.generation ELSE (
      SELECT past.generation FROM ledger_history AS past WHERE past.account_id = ${account}
        AND past.resource = ${bind('text', resource.name)} AND past.began <= ${revision} ORDER BY past.began DESC LIMIT 1
    ) END`;
}

/** No row if the caller has no access. */
export function ledgerVersionStatement(caller: Caller, resource: ResourceOutline, dialect: Dialect): Sql {
  const account = bind('integer', caller.account);
  return sql`SELECT generation, revision, rows FROM ledger WHERE ${ledgerRow(account, resource)}${hasAccess(account, caller, dialect)}`;
}

export interface EnterStatements {
  readonly markBehind: Statement;
  readonly archiveGeneration: Statement;
  readonly enterGeneration: Statement;
}

/**
 * Brings a ledger into the current generation if it is in an earlier one. The row is locked and marked first: of several writers,
 * one archives the earlier generation, and the others wait and find the ledger in the current one. The mark is a negative `began`, which
 * nobody else ever sees. So only the first statement compares generations, and the second reads nothing but the ledger: a cluster would
 * otherwise send it to every worker node. A generation in which nothing was written leaves no trace in the history.
 */
export function enterStatements(
  account: AccountId,
  resource: ResourceOutline,
  dialect: Dialect,
  only?: Sql,
): EnterStatements {
  return enterAllStatements(ledgerRow(bind('integer', account), resource), dialect, only);
}

/** The same for all ledgers that meet a condition. If another one follows it, only if that is met as well. */
export function enterAllStatements(condition: Sql, dialect: Dialect, only: Sql = sql``): EnterStatements {
  const isMarked = sql`${condition} AND ledger.began < 0`;
  return {
    markBehind: compile(
      sql`UPDATE ledger SET began = -1 - abs(began) WHERE ${condition} AND ledger.generation <> ${CURRENT_GENERATION}${only}`,
      dialect,
    ),
    archiveGeneration: compile(
      sql`INSERT INTO ledger_history (account_id, resource, began, generation)
        SELECT account_id, resource, -1 - began, generation FROM ledger WHERE ${isMarked} AND -1 - began <= revision`,
      dialect,
    ),
    enterGeneration: compile(
      sql`UPDATE ledger SET generation = ${CURRENT_GENERATION}, began = revision + 1 WHERE ${isMarked}`,
      dialect,
    ),
  };
}

/** An account whose ledger rows are missing has one row, without a resource. */
export function versionsStatement(accounts: readonly AccountId[], dialect: Dialect): Statement {
  const isWanted = isOneOf(accounts, dialect);
  return compile(
    sql`SELECT account.id, access, resource, generation, revision, rows
      FROM account LEFT JOIN ledger ON ledger.account_id = account.id AND ${isWanted('ledger.account_id')}
      WHERE ${isWanted('account.id')}`,
    dialect,
  );
}

export function ledgerVersionOf(row: Row): LedgerVersion {
  return {
    generation: integerOf(row, 'generation'),
    revision: integerOf(row, 'revision'),
    rows: integerOf(row, 'rows'),
  };
}

/** Most version checks are about a single account. */
function isOneOf(accounts: readonly AccountId[], dialect: Dialect): (column: string) => Sql {
  if (accounts.length === 1) {
    const only = bind('integer', accounts[0] ?? null);
    return (column) => sql`${trusted(column)} = ${only}`;
  }
  const list = bindList('integer', accounts);
  return (column) => dialect.isIn(trusted(column), list, false);
}
