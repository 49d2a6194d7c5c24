/**
 * Changes in the order in which they were made. A record is where it was last written, in its current state; a record that
 * was removed is where it was removed, as a tombstone.
 */

import { MAX_INTEGER } from '../../catalog/value-types.ts';
import { costPerRecord } from '../../plan/cost.ts';
import type { ChangesPlan, Cursor, Predicate } from '../../plan/plan.ts';
import type { AccountId, Caller, Separator } from '../store.ts';
import type { Dialect } from './dialect.ts';
import { hasAccess, ledgerRow } from './ledger.ts';
import { recordJson, recordValues } from './record-text.ts';
import { type Bound, bind, concat, type Sql, sql, trusted } from './sql.ts';
import { compile, type Statement } from './statement.ts';
import { condition } from './where.ts';

/** What checking the records for a page of a copy that begins may cost: about 0.1 s. */
const MAX_CHECKING_COST = 3_000_000;

/** The changes of a page, and where it ends if there are more. */
interface PageParts {
  /** What the others refer to, as `boundary`. */
  readonly boundary: Sql;
  /** A column `change` for each, in order. */
  readonly changes: Sql;
  /** Selects `revision` and `id` of the last change that the page covers; null, or no row, if there are no more. */
  readonly last: (column: Sql) => Sql;
}

/**
 * The ledger, whether the cursor lies on its history, and the changes after the cursor's position: those on the page as JSON,
 * and how many they are. If there are more, `last_revision` and `last_id` are the position of the last one that it covers.
 */
export function changesStatement(
  caller: Caller,
  plan: ChangesPlan,
  dialect: Dialect,
  separator: Separator | 'indexed',
): Statement {
  const { resource } = plan;
  const account = bind('integer', caller.account);
  const { boundary, changes, last } = isBeginning(plan.cursor)
    ? firstRecords(account, plan, dialect, separator)
    : laterChanges(account, plan, dialect, separator);
  return compile(
    sql`WITH boundary AS MATERIALIZED (${boundary})
      SELECT ledger.generation, ledger.revision, ledger.rows, ledger.pruned, ${isOnHistory(account, plan)} AS is_on_history,
        ${dialect.bounded(sql`page.changes`)} AS changes, page.found,
        ${last(sql`revision`)} AS last_revision, ${last(sql`id`)} AS last_id
      FROM ledger, (
        SELECT string_agg(change, ${trusted(SEPARATORS[separator])}) AS changes, count(*) AS found
        FROM (${changes}) AS changed
      ) AS page WHERE ${ledgerRow(account, resource)}${hasAccess(account, caller, dialect)}`,
    dialect,
  );
}

/** Records and tombstones. With a filter, a record that does not match is as good as removed. */
function laterChanges(
  account: Bound,
  plan: ChangesPlan,
  dialect: Dialect,
  separator: Separator | 'indexed',
): PageParts {
  const { resource, cursor, limit, where } = plan;
  const position = isAfter(cursor);
  const first = (part: Sql) => dialect.firstRows(part, ORDER, bind('integer', limit + 1));
  /** Both tables have an index in this order, so that no more is read than is selected. */
  const changed = (written: Sql, removed: Sql) => {
    const records = sql`SELECT revision, id${written} FROM ${trusted(resource.name)} WHERE account_id = ${account} AND ${position}`;
    const tombstones = sql`SELECT revision, id${removed} FROM tombstone
      WHERE account_id = ${account} AND resource = ${bind('text', resource.name)} AND ${position}`;
    return sql`${first(records)} UNION ALL ${first(tombstones)} ${ORDER}`;
  };
  const removed = separator === 'indexed' ? removedValues(dialect) : removedJson(dialect);
  const record = changeOf(plan, dialect, separator);
  const written =
    where === undefined
      ? record
      : sql`CASE WHEN ${condition(where, dialect, new Set())} THEN ${record} ELSE ${removed} END`;
  return {
    boundary: sql`${changed(sql``, sql``)} LIMIT 2 OFFSET ${bind('integer', limit - 1)}`,
    changes: sql`${changed(sql`, ${written} AS change`, sql`, ${removed} AS change`)} LIMIT ${dialect.limit(bind('integer', limit))}`,
    last: (column) =>
      sql`CASE WHEN (SELECT count(*) FROM boundary) = 2 THEN (SELECT ${column} FROM boundary ${ORDER} LIMIT 1) END`,
  };
}

/**
 * For a copy that begins, and so has nothing to remove: the records that match, as they were when it began. A page also ends after
 * as many records as may be checked for it.
 */
function firstRecords(
  account: Bound,
  plan: ChangesPlan,
  dialect: Dialect,
  separator: Separator | 'indexed',
): PageParts {
  const { resource, cursor, limit, where } = plan;
  const table = trusted(resource.name);
  const begun = cursor === undefined ? sql`` : sql` AND revision <= ${bind('integer', cursor.begun)}`;
  const records = sql`${table} WHERE account_id = ${account} AND ${isAfter(cursor)}${begun} ${ORDER}`;
  const rows = (count: number) => dialect.limit(bind('integer', count));
  const checked = maxChecked(where);
  // The order is that of the inner query: SQLite would sort all that match, instead of stopping at the last one that is needed.
  const matching =
    where === undefined
      ? sql`SELECT revision, id FROM ${records}`
      : sql`SELECT revision, id FROM (SELECT * FROM ${records} LIMIT ${rows(checked)}) AS ${table}
          WHERE ${condition(where, dialect, new Set())}`;
  const found = (count: number) => sql`FROM boundary ${ORDER} LIMIT ${rows(count)}`;
  const lastChecked = (column: Sql) =>
    where === undefined ? sql`` : sql` ELSE (SELECT ${column} FROM ${records} LIMIT 1 OFFSET ${rows(checked - 1)})`;
  return {
    boundary: sql`${matching} LIMIT ${rows(limit + 1)}`,
    changes: sql`SELECT ${changeOf(plan, dialect, separator)} AS change FROM ${table}
      WHERE account_id = ${account} AND id ${dialect.isInQuery(sql`SELECT id ${found(limit)}`)} ${ORDER}`,
    last: (column) => sql`CASE WHEN (SELECT count(*) FROM boundary) > ${bind('integer', limit)}
      THEN (SELECT ${column} ${found(1)} OFFSET ${rows(limit - 1)})${lastChecked(column)} END`,
  };
}

/** Whether the copy does not have all the records yet that it began with. */
export function isBeginning(cursor: Cursor | undefined): boolean {
  return cursor === undefined || !isAtOrAfterEnd(cursor.position, cursor.begun);
}

/** A position in the middle of a revision is not enough: the rest of it may be missing. */
export function isAtOrAfterEnd({ revision, id }: Cursor['position'], of: number): boolean {
  return revision > of || (revision === of && id === MAX_INTEGER);
}

/** How many records may be checked for a page of a copy that begins. */
export function maxChecked(where: Predicate | undefined): number {
  return Math.floor(MAX_CHECKING_COST / costPerRecord(where));
}

const ORDER = sql`ORDER BY revision, id`;

const SEPARATORS: Record<Separator | 'indexed', string> = { comma: "','", 'line break': "'\n'", indexed: "','" };

/** The same changes, all of them, as lines for an index in memory. Without a cursor, all records in the order of ids. */
export function indexedLinesStatement(
  { account: id }: Caller,
  { resource, fields, cursor }: Pick<ChangesPlan, 'resource' | 'fields' | 'cursor'>,
  dialect: Dialect,
): Statement {
  const account = bind('integer', id);
  const line = sql`${recordValues(fields, dialect)} || ','`;
  const table = trusted(resource.name);
  if (cursor === undefined)
    return compile(sql`SELECT ${line} AS line FROM ${table} WHERE account_id = ${account} ORDER BY id`, dialect);
  const position = isAfter(cursor);
  return compile(
    sql`SELECT ${line} AS line, revision, id FROM ${table} WHERE account_id = ${account} AND ${position}
      UNION ALL SELECT ${removedValues(dialect)} || ',' AS line, revision, id FROM tombstone
        WHERE account_id = ${account} AND resource = ${bind('text', resource.name)} AND ${position}
      ORDER BY revision, id`,
    dialect,
  );
}

function isAfter(cursor: Cursor | undefined): Sql {
  const { revision, id } = cursor?.position ?? { revision: 0, id: 0 };
  return sql`(revision, id) > (${bind('integer', revision)}, ${bind('integer', id)})`;
}

function removedValues(dialect: Dialect): Sql {
  return concat([sql`'['`, dialect.print('id', 'integer'), sql`']'`]);
}

function changeOf({ fields }: ChangesPlan, dialect: Dialect, separator: Separator | 'indexed'): Sql {
  return separator === 'indexed' ? recordValues(fields, dialect) : recordJson(fields, dialect);
}

function removedJson(dialect: Dialect): Sql {
  return sql`concat('{"id":', ${dialect.print('id', 'integer')}, ',"removed":true}')`;
}

/**
 * Whether the ledger had the version at which the cursor was issued. A restore, or a failover that lost writes, may have led
 * to another history.
 */
function isOnHistory(account: Bound, { resource, cursor }: ChangesPlan): Sql {
  if (cursor === undefined) return sql`1`;
  const [generation, revision] = [bind('integer', cursor.issued.generation), bind('integer', cursor.issued.revision)];
  const past = sql`ledger_history WHERE account_id = ${account} AND resource = ${bind('text', resource.name)} AND began <= ${revision}`;
  return sql`CASE WHEN ledger.generation = ${generation} THEN CASE WHEN ${revision} <= ledger.revision THEN 1 ELSE 0 END
    WHEN ${revision} < ledger.began AND ${generation} = (SELECT generation FROM ${past} ORDER BY began DESC LIMIT 1) THEN 1 ELSE 0 END`;
}

/** A ledger that has tombstones from before a time; no row if there is none. */
export function oldLedgerStatement(before: string, dialect: Dialect): Statement {
  return compile(
    sql`SELECT account_id, resource FROM tombstone WHERE removed_at < ${bind('timestamp', before)} LIMIT 1`,
    dialect,
  );
}

export interface OldTombstones {
  readonly account: AccountId;
  readonly resource: string;
  readonly before: string;
}

/** The position of the nth tombstone of a ledger from before a time; no row if there are fewer. */
export function nthTombstoneStatement(old: OldTombstones, n: number, dialect: Dialect): Statement {
  return compile(
    sql`SELECT revision, id FROM tombstone WHERE ${isOld(old)} ORDER BY revision, id LIMIT 1 OFFSET ${bind('integer', n - 1)}`,
    dialect,
  );
}

/** Removes tombstones of a ledger up to a position, or all, and remembers up to which revision it has lost some. */
export function pruneStatements(
  old: OldTombstones,
  upTo: { readonly revision: number; readonly id: number } | undefined,
  dialect: Dialect,
): readonly Statement[] {
  const { account, resource } = old;
  const range =
    upTo === undefined
      ? sql``
      : sql` AND (revision, id) <= (${bind('integer', upTo.revision)}, ${bind('integer', upTo.id)})`;
  const lost = sql`tombstone WHERE ${isOld(old)}${range}`;
  return [
    compile(dialect.alonePruning, dialect, 'some'),
    compile(
      sql`UPDATE ledger SET pruned = lost.revision FROM (SELECT max(revision) AS revision FROM ${lost}) AS lost
        WHERE ledger.account_id = ${bind('integer', account)} AND ledger.resource = ${bind('text', resource)}
          AND ledger.pruned < lost.revision`,
      dialect,
    ),
    compile(sql`DELETE FROM ${lost}`, dialect),
  ];
}

function isOld({ account, resource, before }: OldTombstones): Sql {
  return sql`account_id = ${bind('integer', account)} AND resource = ${bind('text', resource)} AND removed_at < ${bind('timestamp', before)}`;
}

/** Records that are about to be removed from a table leave tombstones. `records` selects their accounts and ids. */
export function buryStatement(
  resource: string,
  { records, revision, now }: { readonly records: Sql; readonly revision: Sql; readonly now: string },
  dialect: Dialect,
): Statement {
  return compile(
    sql`INSERT INTO tombstone (account_id, resource, id, revision, removed_at)
      SELECT account_id, ${bind('text', resource)}, id, ${revision}, ${bind('timestamp', now)} FROM (${records}) AS removed`,
    dialect,
  );
}
