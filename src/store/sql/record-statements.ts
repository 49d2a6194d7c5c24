/** Plans to statements. Each list is one statement, so that its page, its total and its revision are of one snapshot. */

import { type Field, id, MAX_INTEGER, type Resource } from '../../catalog/resource.ts';
import { offsetOf } from '../../plan/page.ts';
import type {
  CreatePlan,
  ExportPlan,
  ListPlan,
  OrderKey,
  PageOfList,
  Predicate,
  RecordPlan,
  Selection,
} from '../../plan/plan.ts';
import type { AccountId, Presumption } from '../store.ts';
import { columnsOf, foldedColumn } from './columns.ts';
import type { Dialect, Led } from './dialect.ts';
import { isNarrow, isSearched } from './effort.ts';
import type { KnownTotal } from './known-totals.ts';
import { madeOnce } from './made-once.ts';
import type { PageStart } from './page-starts.ts';
import { exportLine, recordJson } from './record-text.ts';
import { type Bound, bind, join, type Sql, sql, trusted } from './sql.ts';
import { compile, compileEach, type Statement } from './statement.ts';
import { where } from './where.ts';

export interface ListKnowledge {
  /** The total, where it is known. */
  readonly total?: KnownTotal | undefined;
  /** A place before the page from which it can be sought, where one is known. */
  readonly start?: PageStart | undefined;
  readonly led?: Led | undefined;
}

/** Records that are looked for, and how they are found. */
type Sought<Plan extends Pick<Selection, 'resource' | 'where'>> = Plan & Pick<ListKnowledge, 'led'>;

export function listStatement(
  account: AccountId,
  plan: ListPlan,
  dialect: Dialect,
  { total, start, led }: ListKnowledge = {},
): Statement {
  const own = bind('integer', account);
  const isSearch = total === undefined && plan.where !== undefined && isSearched(plan.where) && isInOrderOfIds(plan);
  const sought = { ...withId(plan), led };
  const [found, counted, page] = isSearch
    ? searchedOnce(own, sought, dialect)
    : [sql``, totalOf(own, sought, dialect, total), selected(own, sought, dialect, { ...plan, start })];
  const records = sql`string_agg(${recordJson(plan.fields, dialect)}, ',')`;
  const last = sql`${trusted(plan.order[0]?.descending ? 'min' : 'max')}(id)`;
  return compile(
    sql`${found}SELECT revision, ${counted} AS total, page.* FROM ledger, (
        SELECT ${records} AS records, ${last} AS last_id FROM (${page}) AS page
      ) AS page WHERE ${ledgerRow(own, plan.resource)}`,
    dialect,
  );
}

/** To search takes longer than to hold what is found: it is looked for once, and then counted and shown. */
function searchedOnce(
  own: Bound,
  plan: Sought<ListPlan>,
  dialect: Dialect,
): readonly [found: Sql, counted: Sql, page: Sql] {
  return [
    sql`WITH found AS MATERIALIZED (SELECT id FROM ${matching(own, plan, dialect)}) `,
    sql`(SELECT count(*) FROM found)`,
    recordsOf(own, plan, sql`SELECT id FROM found ${ordered(plan)} ${part(plan, dialect)}`, dialect),
  ];
}

/** The last id of a page says where the next one begins. */
function withId(plan: ListPlan): ListPlan {
  return plan.fields.includes(id) ? plan : { ...plan, fields: [...plan.fields, id] };
}

/** Returns a row where more than so many records meet one of the conditions. */
export function moreThanStatement(
  account: AccountId,
  resource: Resource,
  conditions: readonly Predicate[],
  dialect: Dialect,
  count: number,
): Statement {
  const where: Predicate = { kind: 'or', operands: conditions };
  const rows = matching(bind('integer', account), { resource, where }, dialect);
  return compile(sql`SELECT 1 FROM ${rows} LIMIT 1 OFFSET ${bind('integer', count)}`, dialect);
}

/** The ids of every nth record, in the order of the list, which is that of ids. */
export function placesStatement(account: AccountId, plan: Selection, dialect: Dialect, distance: number): Statement {
  const own = bind('integer', account);
  const { after, order } = idOrder(plan);
  const skip = sql`LIMIT 1 OFFSET ${bind('integer', distance - 1)}`;
  const rows = matching(own, plan, dialect);
  return compile(
    sql`WITH RECURSIVE place (id) AS (
        SELECT (SELECT id FROM ${rows} ORDER BY ${order} ${skip})
        UNION ALL
        SELECT (SELECT id FROM ${rows} AND id ${after} place.id ORDER BY ${order} ${skip}) FROM place WHERE place.id IS NOT NULL
      )
      SELECT revision, place.id FROM ledger, place WHERE ${ledgerRow(own, plan.resource)} AND place.id IS NOT NULL`,
    dialect,
  );
}

function idOrder({ order: [first] }: Selection): { readonly after: Sql; readonly order: Sql } {
  return first?.descending
    ? { after: trusted('<'), order: trusted('id DESC') }
    : { after: trusted('>'), order: trusted('id') };
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
function totalOf(own: Bound, plan: Sought<Selection>, dialect: Dialect, known: KnownTotal | undefined): Sql {
  if (plan.where === undefined) return sql`rows`;
  return sql`CASE WHEN revision = ${bind('integer', known?.revision ?? null)} THEN ${bind('integer', known?.total ?? null)}
    ELSE (SELECT count(*) FROM ${matching(own, plan, dialect)}) END`;
}

/** The records of the page alone: of those before it, PostgreSQL would compute the JSON as well. */
function selected(
  own: Bound,
  plan: Sought<Selection>,
  dialect: Dialect,
  page: (PageOfList & Pick<ListKnowledge, 'start'>) | undefined,
): Sql {
  const start = page?.start;
  const from = start === undefined ? sql`` : sql` AND id ${idOrder(plan).after} ${bind('integer', start.id)}`;
  const rows = sql`${matching(own, plan, dialect)}${from}`;
  if (page === undefined) return sql`SELECT ${namesOf(plan.fields)} FROM ${rows} ${ordered(plan)}`;
  const taken = sql`${rows} ${ordered(plan)} ${part(page, dialect)}`;
  const isAtStart = offsetOf(page) === (start?.offset ?? 0);
  if (isAtStart || plan.where === undefined || !isNarrow(plan.where) || !isInOrderOfIds(plan))
    return sql`SELECT ${namesOf(plan.fields)} FROM ${taken}`;
  // What is skipped is skipped in the index, which has the ids; only the records of the page are looked up.
  return recordsOf(own, plan, sql`SELECT id FROM ${taken}`, dialect);
}

function recordsOf(own: Bound, plan: Selection, ids: Sql, dialect: Dialect): Sql {
  return sql`SELECT ${namesOf(plan.fields)} FROM ${trusted(plan.resource.name)}
    WHERE account_id = ${own} AND id ${dialect.amongAll(ids)} ${ordered(plan)}`;
}

/** Most requests take all the fields. */
const namesOf = madeOnce((fields: readonly Field[]) => trusted(fields.map(({ name }) => name).join(', ')));

function ordered({ order }: Selection): Sql {
  return sql`ORDER BY ${join(order.map(orderTerm), ', ')}`;
}

function part(page: PageOfList & Pick<ListKnowledge, 'start'>, dialect: Dialect): Sql {
  const skipped = Math.min(offsetOf(page), MAX_INTEGER) - (page.start?.offset ?? 0);
  return sql`LIMIT ${dialect.atMost(bind('integer', page.limit))} OFFSET ${bind('integer', skipped)}`;
}

function isInOrderOfIds({ order: [first] }: Selection): boolean {
  return first?.field === id;
}

function matching(
  own: Bound,
  { resource, where: condition, led }: Sought<Pick<Selection, 'resource' | 'where'>>,
  dialect: Dialect,
): Sql {
  const all = sql`${trusted(resource.name)} WHERE account_id = ${own}`;
  if (condition === undefined) return all;
  return sql`${all} AND ${where(condition, dialect, { table: resource.name, own, led })}`;
}

export function findStatement(
  account: AccountId,
  plan: RecordPlan,
  dialect: Dialect,
  presumed?: Presumption,
): Statement {
  const own = bind('integer', account);
  return compile(
    sql`SELECT revision, ${recordJson(plan.fields, dialect)} AS record FROM ${trusted(plan.resource.name)}
      WHERE account_id = ${own} AND id = ${bind('integer', plan.id)}${asPresumed(own, presumed)}`,
    dialect,
  );
}

function asPresumed(own: Bound, presumed: Presumption | undefined): Sql {
  if (presumed === undefined) return sql``;
  return sql` AND (SELECT access FROM account WHERE account.id = ${own}) = ${bind('integer', presumed.access)}`;
}

export function ledgerStatement(account: AccountId, resource: Resource, dialect: Dialect): Statement {
  return compile(sql`SELECT revision FROM ledger WHERE ${ledgerRow(bind('integer', account), resource)}`, dialect);
}

/**
 * Many records of one resource at once. The ledger row is taken first: whoever comes next waits for it, so ids and revisions
 * are handed out one by one. The first statement returns the last id, or nothing where it could not be taken.
 */
export function createStatements(
  account: AccountId,
  resource: Resource,
  records: readonly CreatePlan['values'][],
  dialect: Dialect,
  presumed?: Presumption,
): readonly Statement[] {
  const own = bind('integer', account);
  const row = ledgerRow(own, resource);
  const count = bind('integer', records.length);
  const { columns, into, values } = insertionOf(resource);
  const rows = records.map((values) => columns.map(({ field, holds }) => holds(values.get(field) ?? null)));
  const incoming = dialect.rows(columns, rows);
  const take = sql`UPDATE ledger SET revision = revision + ${count}, rows = rows + ${count}, last_id = last_id + ${count}
    WHERE ${row} AND last_id <= ${bind('integer', MAX_INTEGER - records.length)}${asPresumed(own, presumed)} RETURNING account_id, revision, last_id`;
  const insert = (taken: Sql) => sql`INSERT INTO ${into}
    SELECT account_id, revision - ${count} + incoming.n, last_id - ${count} + incoming.n, ${values}
    FROM ${taken}, ${incoming.table}`;
  if (incoming.runs === undefined)
    return [compile(sql`WITH taken AS (${take}), made AS (${insert(sql`taken`)}) SELECT last_id FROM taken`, dialect)];
  const taken = sql`(SELECT account_id, revision, last_id FROM ledger WHERE ${row}) AS taken`;
  return [compile(take, dialect, 'some'), ...compileEach(insert(taken), incoming.runs, dialect)];
}

/** What begins with null and cannot be given is left to the table. */
const insertionOf = madeOnce((resource: Resource) => {
  const isWritten = ({ name, initial }: Field) =>
    resource.creatable.includes(name) || (initial.kind === 'value' ? initial.value !== null : initial.kind !== 'id');
  const columns = columnsOf(resource).filter(({ field }) => isWritten(field));
  const names = columns.map(({ name }) => name);
  return {
    columns,
    into: trusted(`${resource.name} (account_id, revision, id, ${names.join(', ')})`),
    values: trusted(names.map((name) => `incoming.${name}`).join(', ')),
  };
});

export function ledgerRow(account: Bound, resource: Resource): Sql {
  return sql`account_id = ${account} AND resource = ${bind('text', resource.name)}`;
}

function orderTerm({ field, descending }: OrderKey): Sql {
  const column = field.type === 'text' ? foldedColumn(field) : field.name;
  return trusted(`${column}${descending ? ' DESC' : ''}${field.nullable ? ' NULLS LAST' : ''}`);
}
