/** Imports and positions of sources in SQL, and what a load writes besides its records. */

import { offsetOf } from '../../plan/page.ts';
import type { PageSelection } from '../../plan/plan.ts';
import type { Json } from '../audit.ts';
import {
  IMPORT_SILENCE,
  type ImportRecord,
  type ImportState,
  type NewImport,
  type Source,
  type SourceLimits,
  type SourceOfAccount,
} from '../imports.ts';
import type { AccountId, Actor, Caller, LoadPlan, NewPosition, RowError, RowFacts } from '../store.ts';
import { accountName, type EntryTemplate, jsonObject } from './audit-statements.ts';
import type { Dialect } from './dialect.ts';
import { saveKeyStatement } from './idempotency-statements.ts';
import { accessRow } from './ledger.ts';
import { integerOf, type Row, textOf, textOrNullOf } from './row.ts';
import { type Bound, bind, bindList, type Sql, sql, trusted } from './sql.ts';
import { compile, type Statement } from './statement.ts';

/** How long a row may take to be written, in seconds, before its import is taken for dead. A million take a minute or less. */
const SECONDS_PER_ROW = 0.000_3;

/** Expressions for how many rows became what. */
export type LoadCounts = Readonly<Record<'created' | 'updated' | 'unchanged' | 'removed' | 'skipped', Sql>>;

export interface EndStatements {
  /** Expects that the position is the expected one. */
  readonly savePosition?: Statement;
  readonly saveKey?: Statement;
  /** Expects that the import was not cancelled. */
  readonly endImport?: Statement;
}

/** `facts` are about the rows that were staged, and `importId` is what an import that is not listed yet will be listed as. */
export function endStatements(
  caller: Caller,
  plan: LoadPlan,
  importId: string,
  { rows, lacksIds }: Pick<RowFacts, 'rows' | 'lacksIds'>,
  counts: LoadCounts,
  revision: Sql,
  by: Actor,
  dialect: Dialect,
): EndStatements {
  const { resource, idempotency, import: entry } = plan;
  const owner = bind('integer', caller.account);
  const name = bind('text', resource.name);
  const rejected = entry?.rejected?.rows ?? 0;
  const contentHash = bind('text', lacksIds ? (entry?.content?.hash ?? null) : null);
  const generation = sql`(SELECT ledger.generation FROM ledger WHERE ledger.account_id = ${owner} AND ledger.resource = ${name})`;
  const result = jsonObject({
    ...counts,
    skipped: sql`(${bind('integer', rejected)} + ${counts.skipped})`,
    errors: (entry?.rejected?.errors.first ?? []).map(errorJson),
    revision,
    generation,
  });
  return {
    ...(entry?.source && { savePosition: savePositionStatement(owner, name, entry.source, dialect) }),
    ...(idempotency && {
      saveKey: saveKeyStatement(owner, resource, idempotency, entry === undefined ? sql`NULL` : result, dialect),
    }),
    ...(entry && {
      endImport:
        entry.id === undefined
          ? compile(
              sql`INSERT INTO import (account_id, id, resource, state, rows, actor, file, source, started_at, expires_at, ended_at, content_hash, result)
                SELECT ledger.account_id, ${bind('text', importId)}, ledger.resource, ${state('done')}, ${bind('integer', rows + rejected)},
                  ${bind('text', by.name)}, ${bind('text', entry.file ?? null)}, ${bind('text', entry.source?.name ?? null)},
                  ${bind('timestamp', plan.now)}, ${dialect.now}, ${dialect.now}, ${contentHash}, ${result}
                FROM ledger WHERE ledger.account_id = ${owner} AND ledger.resource = ${name}`,
              dialect,
            )
          : compile(
              sql`UPDATE import SET state = ${state('done')}, rows = ${bind('integer', rows + rejected)}, ended_at = ${dialect.now}, content_hash = ${contentHash}, result = ${result}
                WHERE ${isRunning(owner, entry.id)} RETURNING id`,
              dialect,
              'some',
            ),
    }),
  };
}

function errorJson({ line, column, value, reason, suggestion }: RowError): Json {
  return {
    line,
    ...(column !== undefined && { column }),
    ...(value !== undefined && { value }),
    reason,
    ...(suggestion !== undefined && { suggestion }),
  };
}

function savePositionStatement(
  owner: Bound,
  resource: Bound,
  { name, position, expected }: NewPosition,
  dialect: Dialect,
): Statement {
  const values = sql`${bind('text', position)}, ${resource}, ${dialect.now}`;
  const key = sql`account_id = ${owner} AND name = ${bind('text', name)}`;
  const insert = sql`INSERT INTO source (account_id, name, position, resource, saved_at) VALUES (${owner}, ${bind('text', name)}, ${values})`;
  if (expected === null)
    return compile(sql`${insert} ON CONFLICT (account_id, name) DO NOTHING RETURNING name`, dialect, 'some');
  if (expected === undefined)
    return compile(
      sql`${insert} ON CONFLICT (account_id, name)
        DO UPDATE SET position = excluded.position, saved_at = excluded.saved_at WHERE source.resource = excluded.resource RETURNING name`,
      dialect,
      'some',
    );
  return compile(
    sql`UPDATE source SET position = ${bind('text', position)}, saved_at = ${dialect.now}
      WHERE ${key} AND resource = ${resource} AND position = ${bind('text', expected)} RETURNING name`,
    dialect,
    'some',
  );
}

export function beginImportStatement(
  account: AccountId,
  id: string,
  { resource, file, source }: NewImport,
  by: Actor,
  dialect: Dialect,
): Statement {
  return compile(
    sql`INSERT INTO import (account_id, id, resource, state, rows, actor, file, source, started_at, expires_at)
      VALUES (${bind('integer', account)}, ${bind('text', id)}, ${bind('text', resource.name)}, ${state('running')}, 0, ${bind('text', by.name)},
        ${bind('text', file ?? null)}, ${bind('text', source ?? null)}, ${dialect.now}, ${dialect.secondsFromNow(IMPORT_SILENCE)})`,
    dialect,
  );
}

/** Returns a row if it is running. */
export function reportImportStatement(account: AccountId, id: string, rows: number, dialect: Dialect): Statement {
  const silence = Math.ceil(IMPORT_SILENCE + rows * SECONDS_PER_ROW);
  return compile(
    sql`UPDATE import SET rows = ${bind('integer', rows)}, expires_at = ${dialect.secondsFromNow(silence)}
      WHERE ${isRunning(bind('integer', account), id)} RETURNING id`,
    dialect,
  );
}

/** Returns a row if it was running. */
export function failImportStatement(account: AccountId, id: string, problem: string, dialect: Dialect): Statement {
  return compile(
    sql`UPDATE import SET state = ${state('failed')}, ended_at = ${dialect.now}, result = ${bind('text', problem)}
      WHERE ${isRunning(bind('integer', account), id)} RETURNING id`,
    dialect,
  );
}

export function discardImportStatement(account: AccountId, id: string, dialect: Dialect): Statement {
  return compile(sql`DELETE FROM import WHERE ${isRunning(bind('integer', account), id)}`, dialect);
}

/** Of those whose process has died. They have no result. */
export function failDeadImportsStatement(account: AccountId, dialect: Dialect): Statement {
  return compile(
    sql`UPDATE import SET state = ${state('failed')}, ended_at = ${dialect.now}
      WHERE account_id = ${bind('integer', account)} AND state = ${state('running')} AND expires_at <= ${dialect.now}`,
    dialect,
  );
}

export function amendImportStatement(account: AccountId, id: string, result: string, dialect: Dialect): Statement {
  return compile(
    sql`UPDATE import SET result = ${bind('text', result)} WHERE account_id = ${bind('integer', account)} AND id = ${bind('text', id)}`,
    dialect,
  );
}

/** No row if the caller has no access, and one of nulls if there is none. */
export function importStatement(caller: Caller, id: string, dialect: Dialect): Statement {
  const owner = bind('integer', caller.account);
  const found = sql`SELECT * FROM import WHERE account_id = ${owner} AND id = ${bind('text', id)}`;
  return compile(foundImports(caller, found, sql`NULL`, dialect), dialect);
}

/** A page, newest first. No row if the caller has no access, and one with nothing but the total if the page has none. */
export function importsStatement(
  caller: Caller,
  resources: readonly string[],
  page: PageSelection,
  dialect: Dialect,
): Statement {
  const owner = bind('integer', caller.account);
  const all = sql`FROM import WHERE account_id = ${owner} AND ${dialect.isIn(sql`resource`, bindList('text', resources), false)}`;
  const found = sql`SELECT * ${all} ORDER BY id DESC
    LIMIT ${dialect.limit(bind('integer', page.limit))} OFFSET ${bind('integer', offsetOf(page))}`;
  return compile(foundImports(caller, found, sql`(SELECT count(*) ${all})`, dialect), dialect);
}

function foundImports(caller: Caller, found: Sql, total: Sql, dialect: Dialect): Sql {
  return sql`SELECT ${total} AS total, found.id, found.resource, found.state, found.rows, found.actor, found.file, found.source,
        ${dialect.print('found.started_at', 'timestamp')} AS started_at, ${dialect.print('found.ended_at', 'timestamp')} AS ended_at, found.result,
        CASE WHEN found.state = ${state('running')} AND found.expires_at <= ${dialect.now} THEN 1 ELSE 0 END AS is_dead
      FROM ${accessRow(bind('integer', caller.account), caller, dialect)} LEFT JOIN (${found}) AS found ON 1 = 1 ORDER BY found.id DESC`;
}

export function sourcesStatement(caller: Caller, name: string | undefined, dialect: Dialect): Statement {
  const owner = bind('integer', caller.account);
  const condition = name === undefined ? sql`` : sql` AND name = ${bind('text', name)}`;
  return compile(
    sql`SELECT found.name, found.resource, found.position, ${dialect.print('found.saved_at', 'timestamp')} AS saved_at,
        ${dialect.print('found.checked_at', 'timestamp')} AS checked_at, ${dialect.print('found.failing_since', 'timestamp')} AS failing_since, found.error
      FROM ${accessRow(owner, caller, dialect)} LEFT JOIN (
        SELECT * FROM source WHERE account_id = ${owner}${condition}
      ) AS found ON 1 = 1 ORDER BY found.name`,
    dialect,
  );
}

/**
 * Nothing is changed if the caller has no access. The time from which on it fails with an error is a statement of its own: Citus does not
 * accept the time of the server in an expression with columns.
 */
export function reportSourceStatements(
  caller: Caller,
  name: string,
  error: string | null,
  dialect: Dialect,
): readonly Statement[] {
  const owner = bind('integer', caller.account);
  const key = sql`account_id = ${owner} AND name = ${bind('text', name)}`;
  const access = compile(sql`SELECT access.one FROM ${accessRow(owner, caller, dialect)}`, dialect, 'some');
  const changes =
    error === null
      ? [sql`UPDATE source SET checked_at = ${dialect.now}, failing_since = NULL, error = NULL WHERE ${key}`]
      : [
          sql`UPDATE source SET failing_since = ${dialect.now} WHERE ${key} AND (error IS NULL OR error <> ${bind('text', error)})`,
          sql`UPDATE source SET error = ${bind('text', error)} WHERE ${key}`,
        ];
  return [access, ...changes.map((change) => compile(change, dialect))];
}

/** Nothing is removed if the caller has no access, or if the source is one of another resource. */
export function removeSourceStatements(
  caller: Caller,
  { name, resource }: Pick<Source, 'name' | 'resource'>,
  dialect: Dialect,
): { readonly access: Statement; readonly remove: Statement; readonly entry: EntryTemplate<'source removed'> } {
  const owner = bind('integer', caller.account);
  return {
    access: compile(sql`SELECT access.one FROM ${accessRow(owner, caller, dialect)}`, dialect, 'some'),
    remove: compile(
      sql`DELETE FROM source WHERE account_id = ${owner} AND name = ${bind('text', name)} AND resource = ${bind('text', resource)} RETURNING name`,
      dialect,
      'some',
    ),
    entry: { action: 'source removed', account: accountName(sql`${owner}`), details: { resource, source: name } },
  };
}

/** Those that fail come first, then the last one. */
export function latestSourcesStatement(limits: SourceLimits, dialect: Dialect): Statement {
  const [total, perAccount] = [bind('integer', limits.total), bind('integer', limits.perAccount)];
  return compile(
    sql`SELECT account.name AS account, ranked.name, ${dialect.print('ranked.saved_at', 'timestamp')} AS saved_at,
        ${dialect.print('ranked.checked_at', 'timestamp')} AS checked_at, ranked.is_failing
      FROM account JOIN (
        SELECT dated.*, row_number() OVER (PARTITION BY account_id ORDER BY is_failing DESC, latest DESC, name) AS place FROM (
          SELECT source.*, CASE WHEN checked_at > saved_at THEN checked_at ELSE saved_at END AS latest,
            CASE WHEN error IS NULL THEN 0 ELSE 1 END AS is_failing FROM source
        ) AS dated
      ) AS ranked ON ranked.account_id = account.id
      WHERE ranked.place <= ${perAccount}
      ORDER BY ranked.is_failing DESC, ranked.latest DESC, account.name, ranked.name LIMIT ${dialect.limit(total)}`,
    dialect,
  );
}

export function pruneImportsStatement(before: string, dialect: Dialect): Statement {
  return compile(sql`DELETE FROM import WHERE started_at < ${bind('timestamp', before)}`, dialect);
}

export function importOf(row: Row): ImportRecord {
  return {
    id: textOf(row, 'id'),
    resource: textOf(row, 'resource'),
    state: stateOf(textOf(row, 'state')),
    rows: integerOf(row, 'rows'),
    actor: textOf(row, 'actor'),
    file: textOrNullOf(row, 'file'),
    source: textOrNullOf(row, 'source'),
    startedAt: textOf(row, 'started_at'),
    endedAt: textOrNullOf(row, 'ended_at'),
    result: textOrNullOf(row, 'result'),
  };
}

export function sourceOf(row: Row): Source {
  const error = textOrNullOf(row, 'error');
  return {
    name: textOf(row, 'name'),
    resource: textOf(row, 'resource'),
    position: textOf(row, 'position'),
    savedAt: textOf(row, 'saved_at'),
    checkedAt: textOrNullOf(row, 'checked_at'),
    failure: error === null ? null : { error, since: textOf(row, 'failing_since') },
  };
}

export function sourceOfAccount(row: Row): SourceOfAccount {
  return {
    account: textOf(row, 'account'),
    name: textOf(row, 'name'),
    savedAt: textOf(row, 'saved_at'),
    checkedAt: textOrNullOf(row, 'checked_at'),
    isFailing: integerOf(row, 'is_failing') === 1,
  };
}

function stateOf(text: string): ImportState {
  if (text === 'running' || text === 'done' || text === 'failed') return text;
  throw new Error(`${text} is not a state of an import`);
}

function state(name: ImportState): Sql {
  return trusted(`'${name}'`);
}

function isRunning(owner: Bound, id: string): Sql {
  return sql`account_id = ${owner} AND id = ${bind('text', id)} AND state = ${state('running')}`;
}
