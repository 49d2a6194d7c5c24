/**
 * Saved views in SQL. Each account has one row in `view_list`, which every write changes first: so the views of an account are written one after another, and
 * what a write has found about the others still holds when it commits.
 */

import { randomInt } from 'node:crypto';
import type { NewView } from '../../plan/view.ts';
import { NO_DEADLINE } from '../../schedule/deadline.ts';
import { FairQueue, type Job } from '../../schedule/fair-queue.ts';
import type { Engine, WriteResult } from '../engine/engine.ts';
import type { Dialect } from '../sql/dialect.ts';
import { accessRow, hasAccess } from '../sql/ledger.ts';
import { integerOf, integerOrNullOf, type Row, textOf } from '../sql/row.ts';
import { type Bound, bind, bindList, join, type Sql, sql, trusted } from '../sql/sql.ts';
import { compile, type Statement } from '../sql/statement.ts';
import {
  type Caller,
  type ExpectedVersion,
  MAX_VIEW_CHARACTERS,
  MAX_VIEWS,
  type NoAccess,
  type SavedView,
  type ViewList,
  type ViewNotSaved,
  type ViewRemoved,
  type ViewSaved,
  type Views,
} from '../store.ts';

/** Accounts take turns, and each has one write under way, so that they do not delay other writes of a database with one writer. */
const WRITES = { slots: 2, maxRunning: 1, maxQueued: 100 };

/** Roughly how long a read and a write take, in milliseconds. */
const READ_TIME = 1;
const WRITE_TIME = 5;

export class SqlViews implements Views {
  readonly #engine: Engine;
  readonly #writes: FairQueue;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#writes = new FairQueue(WRITES, engine.clock);
  }

  async list(caller: Caller): Promise<ViewList | NoAccess> {
    const rows = await this.#read(caller);
    const [first] = rows;
    if (first === undefined) return 'no access';
    return { views: rows.filter(isFound).map(viewOf), version: integerOrNullOf(first, 'list_version') ?? 0 };
  }

  async find(caller: Caller, id: string): Promise<SavedView | undefined | NoAccess> {
    const rows = await this.#read(caller, id);
    return rows.length === 0 ? 'no access' : rows.filter(isFound).map(viewOf)[0];
  }

  async save(caller: Caller, view: NewView, expected?: ExpectedVersion): Promise<ViewSaved | ViewNotSaved | NoAccess> {
    this.#engine.requireRoom();
    const { dialect } = this.#engine;
    const statements = saveStatements(caller, view, expected, dialect);
    const { lock, existing, expectation, sameName, others, save, saved } = statements;
    const all = [lock, existing, ...expectation, sameName, others, ...statements.replaceFirstPage, save, saved];
    const { isCommitted, rows } = await this.#write(caller, all);
    const rowsOf = (statement: Statement) => rows[all.indexOf(statement)] ?? [];
    const [found] = rowsOf(saved);
    if (isCommitted && found !== undefined)
      return { kind: 'saved', view: viewOf(found), isNew: rowsOf(existing).length === 0 };
    switch (all[rows.length - 1]) {
      case lock:
        return 'no access';
      case sameName:
        return { kind: 'name taken', id: textOf(rowsOf(sameName)[0] ?? {}, 'id') };
      case others:
        return { kind: 'too many' };
      default:
        return { kind: 'changed', view: rowsOf(existing).map(viewOf)[0] };
    }
  }

  async remove(caller: Caller, id: string, expected?: ExpectedVersion): Promise<ViewRemoved | NoAccess> {
    const { dialect } = this.#engine;
    const owner = bind('integer', caller.account);
    const key = keyOf(owner, bind('text', id));
    const lock = lockStatement(caller, owner, dialect);
    const existing = compile(sql`SELECT ${columns(dialect)} FROM saved_view WHERE ${key}`, dialect, 'some');
    const expectation = expectedStatements(key, expected, sql``, dialect);
    const remove = compile(sql`DELETE FROM saved_view WHERE ${key}`, dialect);
    const all = [lock, existing, ...expectation, remove];
    const { isCommitted, rows } = await this.#write(caller, all);
    if (isCommitted) return { kind: 'removed' };
    if (all[rows.length - 1] === lock) return 'no access';
    const [found] = rows[1] ?? [];
    return found === undefined ? { kind: 'not found' } : { kind: 'changed', view: viewOf(found) };
  }

  #write(caller: Caller, statements: readonly Statement[]): Promise<WriteResult> {
    return this.#writes.run(jobOf(caller, WRITE_TIME), () => this.#engine.write(statements, caller.account));
  }

  /** Without access, there is no row; if nothing was found, there is one without an id. */
  #read(caller: Caller, id?: string): Promise<readonly Row[]> {
    const { dialect } = this.#engine;
    const owner = bind('integer', caller.account);
    const condition = id === undefined ? sql`` : sql` AND id = ${bind('text', id)}`;
    const statement = compile(
      sql`SELECT (SELECT version FROM view_list WHERE view_list.account_id = ${owner}) AS list_version, ${columns(dialect)}
        FROM ${accessRow(owner, caller, dialect)}
          LEFT JOIN (SELECT * FROM saved_view WHERE account_id = ${owner}${condition}) AS found ON 1 = 1
        ORDER BY found.resource, found.name`,
      dialect,
    );
    return this.#engine.fast(jobOf(caller, READ_TIME), statement);
  }
}

function jobOf({ account, deadline = NO_DEADLINE }: Caller, cost: number): Job {
  return { account, cost, deadline };
}

interface SaveStatements {
  /** Expects that the caller has access. */
  readonly lock: Statement;
  /** Returns the view as it is. */
  readonly existing: Statement;
  /** Expects that it has an expected version. */
  readonly expectation: readonly Statement[];
  /** Expects that no other view has the name. */
  readonly sameName: Statement;
  /** Expects that the account may have another view. */
  readonly others: Statement;
  readonly replaceFirstPage: readonly Statement[];
  readonly save: Statement;
  /** Returns it. Citus cannot print times where it writes them. */
  readonly saved: Statement;
}

function saveStatements(
  caller: Caller,
  view: NewView,
  expected: ExpectedVersion | undefined,
  dialect: Dialect,
): SaveStatements {
  const owner = bind('integer', caller.account);
  const id = bind('text', view.id);
  const [resource, name, query] = [bind('text', view.resource), bind('text', view.name), bind('text', view.query)];
  const isFirstPage = bind('boolean', view.isFirstPage);
  const key = keyOf(owner, id);
  const other = sql`account_id = ${owner} AND id <> ${id}`;
  const values = [owner, id, resource, name, query, isFirstPage, newVersion(), dialect.now];
  // RFC 9110, section 13.1.1: a request that has been carried out already, and whose response was lost, may be repeated.
  const isSame = sql` OR (resource = ${resource} AND name = ${name} AND query = ${query} AND is_first_page = ${isFirstPage})`;
  return {
    lock: lockStatement(caller, owner, dialect),
    existing: compile(sql`SELECT ${columns(dialect)} FROM saved_view WHERE ${key}`, dialect),
    expectation: expectedStatements(key, expected, isSame, dialect),
    sameName: compile(
      sql`SELECT id FROM saved_view WHERE ${other} AND resource = ${resource} AND name = ${name}`,
      dialect,
      'none',
    ),
    others: compile(
      sql`SELECT count(*) AS views FROM saved_view WHERE ${other} HAVING count(*) >= ${trusted(String(MAX_VIEWS))}
        OR sum(length(query)) > ${bind('integer', MAX_VIEW_CHARACTERS - [...view.query].length)}`,
      dialect,
      'none',
    ),
    replaceFirstPage: view.isFirstPage
      ? [
          compile(
            sql`UPDATE saved_view SET is_first_page = ${bind('boolean', false)}, version = ${newVersion()}
              WHERE ${other} AND resource = ${resource} AND is_first_page = ${isFirstPage}`,
            dialect,
          ),
        ]
      : [],
    save: compile(
      sql`INSERT INTO saved_view (account_id, id, resource, name, query, is_first_page, version, saved_at)
        VALUES (${join(values, ', ')})
        ON CONFLICT (account_id, id) DO UPDATE SET resource = excluded.resource, name = excluded.name, query = excluded.query,
          is_first_page = excluded.is_first_page, version = excluded.version, saved_at = excluded.saved_at`,
      dialect,
    ),
    saved: compile(sql`SELECT ${columns(dialect)} FROM saved_view WHERE ${key}`, dialect),
  };
}

function lockStatement(caller: Caller, owner: Bound, dialect: Dialect): Statement {
  return compile(
    sql`INSERT INTO view_list (account_id, version)
      SELECT DISTINCT ledger.account_id, ${newVersion()} FROM ledger WHERE ledger.account_id = ${owner}${hasAccess(owner, caller, dialect)}
      ON CONFLICT (account_id) DO UPDATE SET version = excluded.version RETURNING account_id`,
    dialect,
    'some',
  );
}

/** `alternative` follows the condition: what is also acceptable. */
function expectedStatements(
  key: Sql,
  expected: ExpectedVersion | undefined,
  alternative: Sql,
  dialect: Dialect,
): readonly Statement[] {
  if (expected === undefined) return [];
  const isExpected =
    expected === '*'
      ? sql`1 = 1`
      : sql`(${dialect.isIn(sql`version`, bindList('integer', expected), false)}${alternative})`;
  return [compile(sql`SELECT id FROM saved_view WHERE ${key} AND ${isExpected}`, dialect, 'some')];
}

function keyOf(owner: Bound, id: Bound): Sql {
  return sql`account_id = ${owner} AND id = ${id}`;
}

/** Random, so that a version is not used again for another content, even if an older copy of the database is restored. */
function newVersion(): Bound {
  return bind('integer', randomInt(2 ** 48 - 1));
}

function columns(dialect: Dialect): Sql {
  return sql`id, resource, name, query, ${dialect.print('is_first_page', 'boolean')} AS is_first_page, version,
    ${dialect.print('saved_at', 'timestamp')} AS saved_at`;
}

function isFound(row: Row): boolean {
  return row['id'] !== null;
}

function viewOf(row: Row): SavedView {
  return {
    id: textOf(row, 'id'),
    resource: textOf(row, 'resource'),
    name: textOf(row, 'name'),
    query: textOf(row, 'query'),
    isFirstPage: textOf(row, 'is_first_page') === 'true',
    version: integerOf(row, 'version'),
    savedAt: textOf(row, 'saved_at'),
  };
}
