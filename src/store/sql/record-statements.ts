/** Plans to statements. Each list is one statement, so that its page, its total and its revision are of one snapshot. */

import { MAX_INTEGER, type Resource } from '../../catalog/resource.ts';
import type { CreatePlan, ExportPlan, ListPlan, OrderKey, PageOfList, RecordPlan, Selection } from '../../plan/plan.ts';
import type { AccountId } from '../store.ts';
import { columnsOf, foldedColumn } from './columns.ts';
import type { Dialect } from './dialect.ts';
import type { KnownTotal } from './known-totals.ts';
import { exportLine, recordJson } from './record-text.ts';
import { type Bound, bind, join, type Sql, sql, trusted } from './sql.ts';
import { compile, type Statement } from './statement.ts';
import { where } from './where.ts';

export function listStatement(account: AccountId, plan: ListPlan, dialect: Dialect, known?: KnownTotal): Statement {
  const own = bind('integer', account);
  const records = sql`(SELECT ${dialect.bytes(sql`string_agg(${recordJson(plan.fields, dialect)}, ',')`)}
    FROM (${selected(own, plan, dialect, plan)}) AS page)`;
  return compile(
    sql`SELECT revision, ${totalOf(own, plan, dialect, known)} AS total, ${records} AS records
      FROM ledger WHERE ${ledgerRow(own, plan.resource)}`,
    dialect,
  );
}

/** What there is to say about an export, and its lines. Both are to be read in one snapshot. */
export function exportStatements(
  account: AccountId,
  plan: ExportPlan,
  dialect: Dialect,
  known?: KnownTotal,
): { readonly head: Statement; readonly lines: Statement } {
  const own = bind('integer', account);
  const total = totalOf(own, plan, dialect, known);
  const line = exportLine(plan.fields, plan.format, dialect);
  return {
    head: compile(sql`SELECT revision, ${total} AS total FROM ledger WHERE ${ledgerRow(own, plan.resource)}`, dialect),
    lines: compile(sql`SELECT ${line} AS line FROM (${selected(own, plan, dialect, plan.page)}) AS selected`, dialect),
  };
}

/** The records that match are counted only where their number is not `known` for the revision that the ledger has. */
function totalOf(own: Bound, plan: Selection, dialect: Dialect, known: KnownTotal | undefined): Sql {
  if (plan.where === undefined) return sql`rows`;
  return sql`CASE WHEN revision = ${bind('integer', known?.revision ?? null)} THEN ${bind('integer', known?.total ?? null)}
    ELSE (SELECT count(*) FROM ${matching(own, plan, dialect)}) END`;
}

/** The records of the page alone: of those before it, PostgreSQL would compute the JSON as well. */
function selected(own: Bound, plan: Selection, dialect: Dialect, page: PageOfList | undefined): Sql {
  const names = plan.fields.map((field) => trusted(field.name));
  const rows = sql`SELECT ${join(names, ', ')} FROM ${matching(own, plan, dialect)}
    ORDER BY ${join(plan.order.map(orderTerm), ', ')}`;
  if (page === undefined) return rows;
  const offset = Math.min((page.page - 1) * page.limit, MAX_INTEGER);
  return sql`${rows} LIMIT ${bind('integer', page.limit)} OFFSET ${bind('integer', offset)}`;
}

function matching(own: Bound, { resource, where: condition }: Selection, dialect: Dialect): Sql {
  const all = sql`${trusted(resource.name)} WHERE account_id = ${own}`;
  return condition === undefined ? all : sql`${all} AND ${where(condition, dialect)}`;
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

function orderTerm({ field, descending }: OrderKey): Sql {
  const column = field.type === 'text' ? foldedColumn(field) : field.name;
  return trusted(`${column}${descending ? ' DESC' : ''}${field.nullable ? ' NULLS LAST' : ''}`);
}
