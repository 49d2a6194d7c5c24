/** Lists and exports to statements. A list is one statement, so its page, total and version come from one snapshot. */

import { memoize } from '../../catalog/memoize.ts';
import { type Field, id, type Resource } from '../../catalog/resource.ts';
import { MAX_INTEGER } from '../../catalog/value-types.ts';
import { isSearch, valueCandidates } from '../../plan/indexes.ts';
import { offsetOf } from '../../plan/page.ts';
import type { ExportPlan, ListPlan, OrderKey, PageSelection, Predicate, Selection } from '../../plan/plan.ts';
import { hasDescendingIds, isOrderedById } from '../../plan/sort.ts';
import { FAST_ROWS, isNearEnd, type KnownList } from '../records/list-reading.ts';
import type { Anchor } from '../state/anchors.ts';
import type { Caller } from '../store.ts';
import { sortColumn } from './columns.ts';
import type { BoundRange, Dialect } from './dialect.ts';
import { hasAccess, ledgerRow } from './ledger.ts';
import { exportLine, recordJson } from './record-text.ts';
import { searchQuery } from './search-query.ts';
import { type Bound, bind, bindList, join, type Sql, sql, trusted, variable } from './sql.ts';
import { compile, compileOnce, type Statement } from './statement.ts';
import { condition } from './where.ts';

interface Matching extends Pick<Selection, 'resource' | 'where'> {
  /** The conditions that may use an index; all if undefined. */
  readonly indexed?: ReadonlySet<Predicate> | undefined;
  readonly ids?: BoundRange | undefined;
}

/** The statement verifies the version for the total. For the anchor, the caller has to. */
type Known = Pick<KnownList, 'version' | 'total' | 'anchor'>;

export function listStatement(
  caller: Caller,
  plan: ListPlan,
  dialect: Dialect,
  known?: Known,
  indexed?: Matching['indexed'],
): Statement {
  const account = bind('integer', caller.account);
  const isMaterialized =
    known?.total === undefined && plan.where !== undefined && isSearch(plan.where) && isOrderedById(plan);
  const selection = { ...withId(plan), indexed };
  const [prefix, count, page] = isMaterialized
    ? searchOnce(account, selection, dialect)
    : [
        sql``,
        totalOf(account, selection, dialect, known),
        selectPage(account, selection, dialect, plan, known?.anchor),
      ];
  return compile(sql`${prefix}${pageWithLedger(caller, plan, account, count, page, dialect)}`, dialect);
}

function pageWithLedger(caller: Caller, plan: ListPlan, account: Bound, total: Sql, page: Sql, dialect: Dialect): Sql {
  return sql`SELECT ledger.generation, ledger.revision, ledger.rows, ${total} AS total,
      ${dialect.bounded(sql`page.records`)} AS records, page.last_id FROM ledger, (
      ${aggregate(plan, page, dialect)}
    ) AS page WHERE ${ledgerRow(account, plan.resource)}${hasAccess(account, caller, dialect)}`;
}

/** The records with these ids, as a page of a list with this total. */
export function foundStatement(
  caller: Caller,
  plan: ListPlan,
  { ids, total }: { readonly ids: readonly number[]; readonly total: number },
  dialect: Dialect,
): Statement {
  const account = bind('integer', caller.account);
  const page = selectListed(account, withId(plan), ids, dialect);
  return compile(pageWithLedger(caller, plan, account, sql`${bind('integer', total)}`, page, dialect), dialect);
}

function selectListed(account: Bound, plan: Selection, ids: readonly number[], dialect: Dialect): Sql {
  return sql`SELECT ${names(plan.fields)} FROM ${trusted(plan.resource.name)}
    WHERE account_id = ${account} AND ${isListed(plan, ids, dialect)} ${orderBy(plan, dialect)}`;
}

/** Without a filter, a page in the order of ids has all records between its first and its last: they are read in one go. */
function isListed(plan: Selection, ids: readonly number[], dialect: Dialect): Sql {
  const [first, last] = [ids[0], ids.at(-1)];
  if (plan.where !== undefined || !isOrderedById(plan) || first === undefined || last === undefined)
    return dialect.isIn(sql`id`, bindList('integer', ids), false);
  const [least, greatest] = [Math.min(first, last), Math.max(first, last)];
  return sql`id >= ${bind('integer', least)} AND id <= ${bind('integer', greatest)}`;
}

/** The records of a page as JSON, and the id of the last one. */
function aggregate(plan: ListPlan, page: Sql, dialect: Dialect): Sql {
  const { last } = idOrder(plan);
  return sql`SELECT string_agg(${recordJson(plan.fields, dialect)}, ',') AS records, ${last} AS last_id FROM (${page}) AS page`;
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
    selectByIds(account, plan, sql`SELECT id FROM found ${orderBy(plan, dialect)} ${limitTo(plan, dialect)}`, dialect),
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

/** Ids above `after`, up to and including `upTo`. */
export interface IdRange {
  readonly after: number;
  readonly upTo: number;
}

/** The version of a ledger and its last id, which bounds the ids of its records. No row if the caller has no access. */
export function ledgerStatement(caller: Caller, resource: Resource, dialect: Dialect): Statement {
  const account = bind('integer', caller.account);
  return compile(
    sql`SELECT generation, revision, rows, last_id FROM ledger WHERE ${ledgerRow(account, resource)}${hasAccess(account, caller, dialect)}`,
    dialect,
  );
}

/** The id of the nth record after an id, in the order of the list; no row if there are fewer. */
export function nthIdStatement(account: number, plan: Selection, dialect: Dialect, from: number, n: number): Statement {
  const { after, order } = idOrder(plan);
  const rows = matching(bind('integer', account), { resource: plan.resource, where: undefined }, dialect);
  return compile(
    sql`SELECT id FROM ${rows} AND id ${after} ${bind('integer', from)} ORDER BY ${order} LIMIT 1 OFFSET ${bind('integer', n - 1)}`,
    dialect,
  );
}

/** How many records of a slice match. */
export function countStatement(account: number, plan: Selection, dialect: Dialect): (ids: IdRange) => Statement {
  const range = variableRange();
  const rows = matching(bind('integer', account), { ...plan, ids: range }, dialect);
  return compileOnce(sql`SELECT count(*) AS total FROM ${rows}`, range, dialect);
}

/** The part of a slice's matches that is on the page. */
export interface PagePart extends IdRange {
  readonly skip: number;
  readonly take: number;
}

/**
 * How many records of a slice match, and the ids of those among them that are on the page. Unless all of them are to be
 * counted, the slice is read only as far as the page goes.
 */
export function sliceStatement(
  account: number,
  plan: ListPlan,
  dialect: Dialect,
  isCounted: boolean,
): (part: PagePart) => Statement {
  const variables = { ...variableRange(), skip: variable(), take: variable() };
  const { order } = idOrder(plan);
  const all = sql`SELECT id FROM ${matching(bind('integer', account), { ...plan, ids: variables }, dialect)}`;
  const found = isCounted ? all : sql`${all} ORDER BY ${order} LIMIT ${variables.skip} + ${variables.take}`;
  const onPage = sql`SELECT id FROM found ORDER BY ${order} LIMIT ${dialect.limit(variables.take)} OFFSET ${variables.skip}`;
  return compileOnce(
    sql`WITH found AS MATERIALIZED (${found})
      SELECT (SELECT count(*) FROM found) AS total, ${idArray(onPage, dialect)} AS ids`,
    variables,
    dialect,
  );
}

/** The ids of the records on a page, which may be looked for from the end of the list. */
export function pageIdsStatement(
  account: number,
  plan: ListPlan,
  dialect: Dialect,
  total: number,
  anchor: Anchor | undefined,
): Statement {
  const owner = bind('integer', account);
  const rows = sql`${matching(owner, plan, dialect)}${behind(plan, anchor)}`;
  const ids = isNearEnd(plan, total)
    ? selectByIds(owner, { ...plan, fields: [id] }, lastIds(rows, plan, total, dialect), dialect)
    : sql`SELECT id FROM ${rows} ${orderBy(plan, dialect)} ${limitTo(plan, dialect, anchor)}`;
  return compile(sql`SELECT ${idArray(ids, dialect)} AS ids`, dialect);
}

/** The same records, in the opposite order. */
function lastIds(rows: Sql, plan: ListPlan, total: number, dialect: Dialect): Sql {
  const after = Math.max(0, total - offsetOf(plan) - plan.limit);
  const count = total - after - offsetOf(plan);
  return sql`SELECT id FROM ${rows} ${orderBy(plan, dialect, 'reversed')} LIMIT ${dialect.limit(bind('integer', count))} OFFSET ${bind('integer', after)}`;
}

function behind(plan: Selection, anchor: Anchor | undefined): Sql {
  return anchor === undefined ? sql`` : sql` AND id ${idOrder(plan).after} ${bind('integer', anchor.id)}`;
}

/** The records with these ids as JSON, each after a comma. */
export function recordLinesStatement(
  account: number,
  plan: Selection,
  ids: readonly number[],
  dialect: Dialect,
): Statement {
  const records = selectListed(bind('integer', account), plan, ids, dialect);
  return compile(
    sql`SELECT concat(',', ${recordJson(plan.fields, dialect)}) AS line FROM (${records}) AS page`,
    dialect,
  );
}

/** The ids that a query selects, in its order, as a JSON array. */
function idArray(query: Sql, dialect: Dialect): Sql {
  return sql`concat('[', (SELECT string_agg(${dialect.print('id', 'integer')}, ',') FROM (${query}) AS selected), ']')`;
}

function variableRange(): BoundRange {
  return { after: variable(), upTo: variable() };
}

/** The order of ids in a list: what comes after an id, how to sort, and which is the last. */
function idOrder(plan: Selection): { readonly after: Sql; readonly order: Sql; readonly last: Sql } {
  return hasDescendingIds(plan)
    ? { after: trusted('<'), order: trusted('id DESC'), last: trusted('min(id)') }
    : { after: trusted('>'), order: trusted('id'), last: trusted('max(id)') };
}

/** The lines of an export. */
export function exportStatement({ account }: Caller, plan: ExportPlan, dialect: Dialect): Statement {
  const line = exportLine(plan.fields, plan.format, dialect);
  const records = selectPage(bind('integer', account), plan, dialect, plan.page);
  return compile(sql`SELECT ${line} AS line FROM (${records}) AS selected`, dialect);
}

/** Matching records are counted unless their number is known for the version that the ledger has. */
function totalOf(account: Bound, plan: Matching, dialect: Dialect, known: Known | undefined): Sql {
  if (plan.where === undefined) return sql`ledger.rows`;
  const { generation = null, revision = null } = known?.total === undefined ? {} : known.version;
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
  const rows = sql`${matching(account, plan, dialect)}${behind(plan, anchor)}`;
  if (page === undefined) return sql`SELECT ${names(plan.fields)} FROM ${rows} ${orderBy(plan, dialect)}`;
  const onPage = sql`${rows} ${orderBy(plan, dialect)} ${limitTo(page, dialect, anchor)}`;
  const skipped = offsetOf(page) - (anchor?.offset ?? 0);
  const isIndexed = plan.where !== undefined && valueCandidates(plan.where).length > 0;
  if (skipped === 0 || (skipped <= FAST_ROWS && isOrderedById(plan) && !isIndexed))
    return sql`SELECT ${names(plan.fields)} FROM ${onPage}`;
  // An index, which ends with the id, skips to the page, or ids are sorted, which takes a fraction of the time that records take. Only
  // the records of the page are looked up.
  return selectByIds(account, plan, sql`SELECT id FROM ${onPage}`, dialect);
}

function selectByIds(account: Bound, plan: Selection, ids: Sql, dialect: Dialect): Sql {
  return sql`SELECT ${names(plan.fields)} FROM ${trusted(plan.resource.name)}
    WHERE account_id = ${account} AND id ${dialect.isInQuery(ids)} ${orderBy(plan, dialect)}`;
}

/** Most requests select all fields. */
const names = memoize((fields: readonly Field[]) => trusted(fields.map(({ column }) => column).join(', ')));

function orderBy(plan: Selection, dialect: Dialect, direction: 'as requested' | 'reversed' = 'as requested'): Sql {
  const isReversed = direction === 'reversed';
  return sql`ORDER BY ${join(
    plan.order.map((key) => orderTerm(key, dialect, isReversed)),
    ', ',
  )}`;
}

function orderTerm(key: OrderKey, dialect: Dialect, isReversed: boolean): Sql {
  if (key.kind === 'conditions') return sql`${firstMet(key.conditions, dialect)}${trusted(isReversed ? ' DESC' : '')}`;
  const { field, descending } = key;
  const nulls = field.nullable ? ` NULLS ${isReversed ? 'FIRST' : 'LAST'}` : '';
  return trusted(`${sortColumn(field)}${descending === isReversed ? '' : ' DESC'}${nulls}`);
}

/** The number of the first condition that a record meets. */
function firstMet(conditions: readonly Predicate[], dialect: Dialect): Sql {
  const cases = conditions.map(
    (each, index) => sql`WHEN ${condition(each, dialect, NO_INDEX)} THEN ${trusted(String(index))}`,
  );
  return sql`CASE ${join(cases, ' ')} ELSE ${trusted(String(conditions.length))} END`;
}

const NO_INDEX: ReadonlySet<Predicate> = new Set();

function limitTo(page: PageSelection, dialect: Dialect, anchor?: Anchor): Sql {
  const skipped = Math.min(offsetOf(page), MAX_INTEGER) - (anchor?.offset ?? 0);
  return sql`LIMIT ${dialect.limit(bind('integer', page.limit))} OFFSET ${bind('integer', skipped)}`;
}

function matching(account: Bound, { resource, where, indexed, ids }: Matching, dialect: Dialect): Sql {
  const range = ids === undefined ? sql`` : sql` AND id > ${ids.after} AND id <= ${ids.upTo}`;
  const all = sql`${trusted(resource.name)} WHERE account_id = ${account}${range}`;
  if (where === undefined) return all;
  const { searchIndex } = dialect;
  const query = searchIndex && indexed === undefined ? searchQuery(where, searchIndex.isIndexed) : undefined;
  const isFound = query && searchIndex?.isFound(query, { resource, account, ids });
  return sql`${all}${isFound ?? sql``} AND ${condition(where, dialect, indexed)}`;
}
