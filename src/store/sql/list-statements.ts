/** Lists and exports to statements. A list is one statement, so its page, total and version come from one snapshot. */

import { type Field, id, type Resource } from '../../catalog/resource.ts';
import { MAX_INTEGER } from '../../catalog/value-types.ts';
import { offsetOf } from '../../plan/page.ts';
import type { ExportPlan, ListPlan, OrderKey, PageSelection, Predicate, Selection } from '../../plan/plan.ts';
import type { Anchor } from '../state/anchors.ts';
import type { Caller } from '../store.ts';
import type { LedgerVersion } from '../version.ts';
import { sortColumn } from './columns.ts';
import type { Dialect } from './dialect.ts';
import { isSearch, valueCandidates } from './indexes.ts';
import { hasAccess, ledgerRow } from './ledger.ts';
import { memoize } from './memoize.ts';
import { exportLine, recordJson } from './record-text.ts';
import { type Bound, bind, join, type Sql, sql, trusted } from './sql.ts';
import { compile, type Statement } from './statement.ts';
import { condition } from './where.ts';

/** What is known about a list before it is read. */
export interface ListHints {
  /** The total at a version of the ledger. */
  readonly total?: KnownTotal | undefined;
  /** An anchor at or before the page. */
  readonly anchor?: Anchor | undefined;
  /** The conditions that may use an index; all if undefined. */
  readonly indexed?: ReadonlySet<Predicate> | undefined;
}

export interface KnownTotal {
  readonly version: LedgerVersion;
  readonly total: number;
}

type Matching = Pick<Selection, 'resource' | 'where'> & Pick<ListHints, 'indexed'>;

export function listStatement(
  caller: Caller,
  plan: ListPlan,
  dialect: Dialect,
  { total, anchor, indexed }: ListHints = {},
): Statement {
  const account = bind('integer', caller.account);
  const isMaterialized = total === undefined && plan.where !== undefined && isSearch(plan.where) && isOrderedById(plan);
  const selection = { ...withId(plan), indexed };
  const [prefix, count, page] = isMaterialized
    ? searchOnce(account, selection, dialect)
    : [sql``, totalOf(account, selection, dialect, total), selectPage(account, selection, dialect, plan, anchor)];
  const records = sql`string_agg(${recordJson(plan.fields, dialect)}, ',')`;
  const last = sql`${trusted(plan.order[0]?.descending ? 'min' : 'max')}(id)`;
  return compile(
    sql`${prefix}SELECT ledger.generation, ledger.revision, ledger.rows, ${count} AS total, page.* FROM ledger, (
        SELECT ${records} AS records, ${last} AS last_id FROM (${page}) AS page
      ) AS page WHERE ${ledgerRow(account, plan.resource)}${hasAccess(account, caller, dialect)}`,
    dialect,
  );
}

/** Searching takes longer than holding the result: it is searched once, then counted and shown. */
function searchOnce(
  account: Bound,
  plan: ListPlan & Matching,
  dialect: Dialect,
): readonly [prefix: Sql, count: Sql, page: Sql] {
  return [
    sql`WITH found AS MATERIALIZED (SELECT id FROM ${matching(account, plan, dialect)}) `,
    sql`(SELECT count(*) FROM found)`,
    selectByIds(account, plan, sql`SELECT id FROM found ${orderBy(plan)} ${limitTo(plan, dialect)}`, dialect),
  ];
}

/** The last id of a page is the anchor of the next. */
function withId(plan: ListPlan): ListPlan {
  return plan.fields.includes(id) ? plan : { ...plan, fields: [...plan.fields, id] };
}

/** Returns a row if more than `count` records meet one of the conditions. */
export function probeStatement(
  account: number,
  resource: Resource,
  conditions: readonly Predicate[],
  dialect: Dialect,
  count: number,
): Statement {
  const where: Predicate = { kind: 'or', operands: conditions };
  const rows = matching(bind('integer', account), { resource, where }, dialect);
  return compile(sql`SELECT 1 FROM ${rows} LIMIT 1 OFFSET ${bind('integer', count)}`, dialect);
}

/** The id of every nth record, for a list ordered by id. */
export function anchorsStatement(account: number, plan: Selection, dialect: Dialect, spacing: number): Statement {
  const owner = bind('integer', account);
  const { after, order } = idOrder(plan);
  const skip = sql`LIMIT 1 OFFSET ${bind('integer', spacing - 1)}`;
  const rows = matching(owner, plan, dialect);
  return compile(
    sql`WITH RECURSIVE anchor (id) AS (
        SELECT (SELECT id FROM ${rows} ORDER BY ${order} ${skip})
        UNION ALL
        SELECT (SELECT id FROM ${rows} AND id ${after} anchor.id ORDER BY ${order} ${skip}) FROM anchor WHERE anchor.id IS NOT NULL
      )
      SELECT ledger.generation, ledger.revision, ledger.rows, anchor.id FROM ledger, anchor
        WHERE ${ledgerRow(owner, plan.resource)} AND anchor.id IS NOT NULL`,
    dialect,
  );
}

function idOrder({ order: [first] }: Selection): { readonly after: Sql; readonly order: Sql } {
  return first?.descending
    ? { after: trusted('<'), order: trusted('id DESC') }
    : { after: trusted('>'), order: trusted('id') };
}

/** The facts about an export, and its lines. Both have to be read in one snapshot. */
export function exportStatements(
  caller: Caller,
  plan: ExportPlan,
  dialect: Dialect,
  known?: KnownTotal,
): { readonly head: Statement; readonly lines: Statement } {
  const account = bind('integer', caller.account);
  const total = totalOf(account, plan, dialect, known);
  const line = exportLine(plan.fields, plan.format, dialect);
  return {
    head: compile(
      sql`SELECT ledger.generation, ledger.revision, ledger.rows, ${total} AS total FROM ledger
        WHERE ${ledgerRow(account, plan.resource)}${hasAccess(account, caller, dialect)}`,
      dialect,
    ),
    lines: compile(
      sql`SELECT ${line} AS line FROM (${selectPage(account, plan, dialect, plan.page)}) AS selected`,
      dialect,
    ),
  };
}

/** Matching records are counted unless their number is known for the version that the ledger has. */
function totalOf(account: Bound, plan: Matching, dialect: Dialect, known: KnownTotal | undefined): Sql {
  if (plan.where === undefined) return sql`ledger.rows`;
  const [generation, revision] = [known?.version.generation ?? null, known?.version.revision ?? null];
  return sql`CASE WHEN ledger.generation = ${bind('integer', generation)} AND ledger.revision = ${bind('integer', revision)}
    THEN ${bind('integer', known?.total ?? null)} ELSE (SELECT count(*) FROM ${matching(account, plan, dialect)}) END`;
}

/** Selects the records of the page before any JSON is built: PostgreSQL would build it for skipped records as well. */
function selectPage(
  account: Bound,
  plan: Selection & Matching,
  dialect: Dialect,
  page: PageSelection | undefined,
  anchor?: Anchor,
): Sql {
  const from = anchor === undefined ? sql`` : sql` AND id ${idOrder(plan).after} ${bind('integer', anchor.id)}`;
  const rows = sql`${matching(account, plan, dialect)}${from}`;
  if (page === undefined) return sql`SELECT ${names(plan.fields)} FROM ${rows} ${orderBy(plan)}`;
  const onPage = sql`${rows} ${orderBy(plan)} ${limitTo(page, dialect, anchor)}`;
  const isAtStart = offsetOf(page) === (anchor?.offset ?? 0);
  const isIndexed = plan.where !== undefined && valueCandidates(plan.where).length > 0;
  if (isAtStart || !isIndexed || !isOrderedById(plan)) return sql`SELECT ${names(plan.fields)} FROM ${onPage}`;
  // The index, which ends with the id, skips to the page; only the records of the page are looked up.
  return selectByIds(account, plan, sql`SELECT id FROM ${onPage}`, dialect);
}

function selectByIds(account: Bound, plan: Selection, ids: Sql, dialect: Dialect): Sql {
  return sql`SELECT ${names(plan.fields)} FROM ${trusted(plan.resource.name)}
    WHERE account_id = ${account} AND id ${dialect.isInQuery(ids)} ${orderBy(plan)}`;
}

/** Most requests select all fields. */
const names = memoize((fields: readonly Field[]) => trusted(fields.map(({ name }) => name).join(', ')));

function orderBy({ order }: Selection): Sql {
  return sql`ORDER BY ${join(order.map(orderTerm), ', ')}`;
}

function orderTerm({ field, descending }: OrderKey): Sql {
  return trusted(`${sortColumn(field)}${descending ? ' DESC' : ''}${field.nullable ? ' NULLS LAST' : ''}`);
}

function limitTo(page: PageSelection, dialect: Dialect, anchor?: Anchor): Sql {
  const skipped = Math.min(offsetOf(page), MAX_INTEGER) - (anchor?.offset ?? 0);
  return sql`LIMIT ${dialect.limit(bind('integer', page.limit))} OFFSET ${bind('integer', skipped)}`;
}

function isOrderedById({ order: [first] }: Selection): boolean {
  return first?.field === id;
}

function matching(account: Bound, { resource, where, indexed }: Matching, dialect: Dialect): Sql {
  const all = sql`${trusted(resource.name)} WHERE account_id = ${account}`;
  if (where === undefined) return all;
  return sql`${all} AND ${condition(where, dialect, { table: resource.name, account, indexed })}`;
}
