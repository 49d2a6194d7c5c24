/** Plans to statements. Each list is one statement, so that its page, its total and its revision are of one snapshot. */

import { type Field, MAX_INTEGER, type Resource } from '../../catalog/resource.ts';
import type { CreatePlan, ListPlan, OrderKey, RecordPlan } from '../../plan/plan.ts';
import type { AccountId } from '../store.ts';
import { columnsOf, foldedColumn } from './columns.ts';
import type { Dialect } from './dialect.ts';
import type { KnownTotal } from './known-totals.ts';
import { type Bound, bind, join, type Sql, sql, trusted } from './sql.ts';
import { compile, type Statement } from './statement.ts';
import { where } from './where.ts';

/** The records that match are counted only where their number is not `known` for the revision that the ledger has. */
export function listStatement(account: AccountId, plan: ListPlan, dialect: Dialect, known?: KnownTotal): Statement {
  const own = bind('integer', account);
  const table = trusted(plan.resource.name);
  const condition = plan.where === undefined ? sql`` : sql` AND ${where(plan.where, dialect)}`;
  const matching = sql`${table} WHERE account_id = ${own}${condition}`;
  const total =
    plan.where === undefined
      ? sql`rows`
      : sql`CASE WHEN revision = ${bind('integer', known?.revision ?? null)} THEN ${bind('integer', known?.total ?? null)}
          ELSE (SELECT count(*) FROM ${matching}) END`;
  const offset = Math.min((plan.page - 1) * plan.limit, MAX_INTEGER);
  // The JSON is made of the records of the page alone: of those before it, PostgreSQL would compute it as well.
  const page = sql`SELECT ${join(
    plan.fields.map((field) => trusted(field.name)),
    ', ',
  )} FROM ${matching}
    ORDER BY ${join(plan.order.map(orderTerm), ', ')} LIMIT ${bind('integer', plan.limit)} OFFSET ${bind('integer', offset)}`;
  const records = sql`(SELECT ${dialect.bytes(sql`string_agg(${recordJson(plan.fields, dialect)}, ',')`)} FROM (${page}) AS page)`;
  return compile(
    sql`SELECT revision, ${total} AS total, ${records} AS records FROM ledger WHERE ${ledgerRow(own, plan.resource)}`,
    dialect,
  );
}

export function findStatement(account: AccountId, plan: RecordPlan, dialect: Dialect): Statement {
  return compile(
    sql`SELECT revision, ${dialect.bytes(recordJson(plan.fields, dialect))} AS record FROM ${trusted(plan.resource.name)}
      WHERE account_id = ${bind('integer', account)} AND id = ${bind('integer', plan.id)}`,
    dialect,
  );
}

export function ledgerStatement(account: AccountId, resource: Resource, dialect: Dialect): Statement {
  return compile(sql`SELECT revision FROM ledger WHERE ${ledgerRow(bind('integer', account), resource)}`, dialect);
}

/** Takes the ledger row first: whoever comes next waits for it, so ids and revisions are handed out one by one. */
export function createStatements(
  account: AccountId,
  { resource, values }: CreatePlan,
  dialect: Dialect,
): readonly Statement[] {
  const row = ledgerRow(bind('integer', account), resource);
  const columns = columnsOf(resource).filter(({ field }) => values.has(field));
  return [
    compile(
      sql`UPDATE ledger SET revision = revision + 1, rows = rows + 1, last_id = last_id + 1
        WHERE ${row} AND last_id < ${bind('integer', MAX_INTEGER)} RETURNING last_id AS id`,
      dialect,
      'some',
    ),
    compile(
      sql`INSERT INTO ${trusted(resource.name)} (account_id, revision, id, ${join(
        columns.map(({ name }) => trusted(name)),
        ', ',
      )})
        SELECT account_id, revision, last_id, ${join(
          columns.map(({ type, field, holds }) => bind(type, holds(values.get(field) ?? null))),
          ', ',
        )} FROM ledger WHERE ${row}`,
      dialect,
    ),
  ];
}

export function ledgerRow(account: Bound, resource: Resource): Sql {
  return sql`account_id = ${account} AND resource = ${bind('text', resource.name)}`;
}

/** `{"id":7,"name":"Chair"}`, put together by the database from constant keys and JSON values. */
function recordJson(fields: readonly Field[], dialect: Dialect): Sql {
  const members = fields.map(
    (field, index) => sql`${trusted(`'${index === 0 ? '{' : ','}"${field.name}":'`)}, ${dialect.json(field)}`,
  );
  return sql`concat(${join(members, ', ')}, '}')`;
}

function orderTerm({ field, descending }: OrderKey): Sql {
  const column = field.type === 'text' ? foldedColumn(field) : field.name;
  return trusted(`${column}${descending ? ' DESC' : ''}${field.nullable ? ' NULLS LAST' : ''}`);
}
