/**
 * How rows get from a temporary table into a resource's table: they are compared with the existing records, then inserted or
 * updated, by statements over whole tables. The temporary table has the resource's columns and some of its own.
 */

import { company } from '../../catalog/company.ts';
import { type Field, id, type Resource } from '../../catalog/resource.ts';
import { MAX_INTEGER } from '../../catalog/value-types.ts';
import type { LoadPhase } from '../load-progress.ts';
import { type AccountId, type LoadPlan, MAX_REPORTED_ERRORS, MAX_SKIPPED_ROWS, type StorageLimits } from '../store.ts';
import { accountName, type EntryTemplate } from './audit-statements.ts';
import { buryStatement } from './change-statements.ts';
import { columnsOf } from './columns.ts';
import type { Dialect } from './dialect.ts';
import { givenColumns, isGiven, lacksAny } from './given-fields.ts';
import { type EnterStatements, enterStatements, ledgerRow } from './ledger.ts';
import { bind, join, type Sql, sql, trusted } from './sql.ts';
import { compile, type Expectation, type Statement } from './statement.ts';
import { exceedsBytes, exceedsRecords, fieldSize, recordSize, storageUse } from './storage-use.ts';

export const STAGING_TABLE = 'incoming';

/** The columns of the temporary table that describe the row; which fields it gives, and its values, follow them. */
export const STAGING_COLUMNS = [
  /** The account that the rows are for: a cluster has them where its records are. */
  { name: 'account_id', storage: 'integer' },
  /** The row's position in its file. */
  { name: 'line', storage: 'integer' },
  { name: 'state', storage: 'integer' },
  /** For a duplicate key: the line of its first occurrence. */
  { name: 'first_line', storage: 'integer' },
  /** The row as the file has it, if it may have to be reported. */
  { name: 'source', storage: 'text' },
  /** By how much the records grow: the size of a new record, or by how much a changed one is larger than before. */
  { name: 'bytes', storage: 'integer' },
] as const;

/** A row counts as new until its record is found. From `duplicate` on, the row is in error. */
export const RowState = {
  unchanged: 0,
  changed: 1,
  new: 2,
  duplicate: 3,
  ambiguous: 4,
  exhausted: 5,
  incomplete: 6,
} as const;

export interface LoadStatements extends EnterStatements {
  readonly takeLedgerRow: Statement;
  readonly findRecords?: Statement;
  readonly markDuplicates: Statement;
  readonly compare: Statement;
  readonly markIncomplete: Statement;
  readonly assignIds: Statement;
  readonly markExhausted: Statement;
  readonly tooManyErrors: Statement;
  readonly skipErrors: Statement;
  readonly count: Statement;
  readonly tooManyRemoved?: Statement;
  readonly discount?: Statement;
  readonly storageExceeded: Statement;
  /** Stops, after everything has been counted, if nothing is to be changed. */
  readonly proceed: Statement;
  readonly auditEntry: Statement;
  readonly bury?: Statement;
  readonly remove?: Statement;
  /** Updates and inserts, in several parts if there are many rows. */
  readonly write: readonly Statement[];
  readonly exhume: Statement;
  readonly advanceLedger: Statement;
  /** One load into an account commits at a time, so that those into other resources see what it has added. */
  readonly lockAccount: Statement;
  readonly exceededMeanwhile: Statement;
}

/** Rows are written in parts of at least `MIN_PART` lines, and in at most `MAX_PARTS` parts, so that progress can be shown. */
const MIN_PART = 10_000;
const MAX_PARTS = 20;

/** The ledger row that stands for the account. Loads of this resource hold it from the beginning, so it is one that has few records. */
const LOCKED_RESOURCE = company.name;

/** In the order they have to run. `lastLine` is the last one that has a row. */
export function loadStatements(
  account: AccountId,
  plan: LoadPlan,
  lastLine: number,
  limits: StorageLimits,
  audit: (entry: EntryTemplate<'records imported'>) => Statement,
  dialect: Dialect,
): LoadStatements {
  const { resource, replace } = plan;
  const owner = bind('integer', account);
  const ledger = ledgerRow(owner, resource);
  const table = trusted(resource.name);
  const key = trusted(plan.key.name);
  const columns = columnsOf(resource).map(({ name, field }) => ({
    keepsOld: field.initial.kind !== 'written',
    name: trusted(name),
    given: isGiven(resource, field),
  }));
  const names = commas(columns.map(({ name }) => name));
  const differences = columns.map(
    ({ name, given }) => sql`(${given} AND incoming.${name} IS DISTINCT FROM ${table}.${name})`,
  );
  const assignments = columns.map(({ name, given, keepsOld }) =>
    keepsOld
      ? sql`${name} = CASE WHEN ${given} THEN incoming.${name} ELSE ${table}.${name} END`
      : sql`${name} = incoming.${name}`,
  );
  const growths = resource.fields.map(
    (field) =>
      sql`CASE WHEN ${isGiven(resource, field)} THEN ${fieldSize(sql`incoming`, field)} - ${fieldSize(table, field)} ELSE 0 END`,
  );
  const staged = sql`incoming.account_id = ${owner}`;
  const growth = sql`(SELECT CAST(coalesce(sum(bytes), 0) AS bigint) FROM incoming WHERE ${staged} AND state IN (${is('changed')}, ${is('new')}))`;
  const created = sql`(SELECT count(*) FROM incoming WHERE ${staged} AND state = ${is('new')})`;
  const sameRecord = sql`${staged} AND ${table}.account_id = ${owner} AND ${table}.id = incoming.id`;
  const missing = sql`SELECT account_id, id FROM ${table} WHERE account_id = ${owner} EXCEPT SELECT account_id, id FROM incoming WHERE ${staged}`;
  const removedBytes = sql`(
      SELECT CAST(coalesce(sum(${recordSize(resource)}), 0) AS bigint) FROM ${table} WHERE account_id = ${owner} AND id IN (SELECT id FROM (${missing}) AS missing)
    )`;
  const revision = sql`(SELECT ledger.revision FROM ledger WHERE ${ledger})`;
  const lastId = sql`(SELECT max(id) FROM (
      SELECT ledger.last_id AS id FROM ledger WHERE ${ledger} UNION ALL SELECT max(id) FROM incoming WHERE ${staged} AND state < ${is('duplicate')}
    ) AS ids)`;
  const known = sql`count(*) FILTER (WHERE state < ${is('new')})`;
  const rows = sql`(SELECT ledger.rows FROM ledger WHERE ${ledger})`;
  const removed = sql`(${rows} - ${known})`;
  const given = commas(givenColumns(resource).map(({ name }) => trusted(name)));
  // An id past the last one does not fit a JavaScript number.
  const error = sql`line, ${given}, state, first_line, CASE WHEN state <> ${is('exhausted')} THEN ${key} END AS key`;
  const step = (statement: Sql, expect?: Expectation) => compile(statement, dialect, expect);

  return {
    ...enterStatements(account, resource, dialect),
    takeLedgerRow: step(
      sql`UPDATE ledger SET revision = revision + 1 WHERE ${ledger} RETURNING revision, rows`,
      'some',
    ),
    ...(plan.key !== id && {
      findRecords: step(
        sql`UPDATE incoming SET id = known.id, state = CASE known.records WHEN 1 THEN state ELSE ${is('ambiguous')} END
          FROM (
            SELECT ${key}, min(id) AS id, count(*) AS records FROM ${table}
              WHERE account_id = ${owner} AND ${key} IS NOT NULL GROUP BY ${key}
          ) AS known WHERE ${staged} AND incoming.${key} = known.${key}`,
      ),
    }),
    markDuplicates: step(
      sql`UPDATE incoming SET state = ${is('duplicate')}, first_line = duplicate.line
        FROM (
          SELECT ${key}, min(line) AS line FROM incoming WHERE ${staged} AND ${key} IS NOT NULL GROUP BY ${key} HAVING count(*) > 1
        ) AS duplicate WHERE ${staged} AND incoming.${key} = duplicate.${key} AND incoming.line > duplicate.line`,
    ),
    compare: step(
      sql`UPDATE incoming SET state = CASE WHEN ${join(differences, ' OR ')} THEN ${is('changed')} ELSE ${is('unchanged')} END, bytes = ${join(growths, ' + ')}
        FROM ${table} WHERE ${sameRecord} AND state = ${is('new')}`,
    ),
    markIncomplete: step(
      sql`UPDATE incoming SET state = ${is('incomplete')} WHERE ${staged} AND state = ${is('new')} AND ${lacksAny(resource, requiredFields(resource))}`,
    ),
    assignIds: step(
      sql`UPDATE incoming SET id = numbered.id FROM (
          SELECT line, ${lastId} + row_number() OVER (ORDER BY line) AS id FROM incoming
            WHERE ${staged} AND id IS NULL AND state = ${is('new')}
        ) AS numbered WHERE ${staged} AND incoming.line = numbered.line`,
    ),
    markExhausted: step(
      sql`UPDATE incoming SET state = ${is('exhausted')} WHERE ${staged} AND state = ${is('new')} AND id > ${bind('integer', MAX_INTEGER)}`,
    ),
    tooManyErrors: step(
      sql`SELECT ${error}, count(*) OVER () AS errors FROM incoming WHERE ${staged} AND state >= ${is('duplicate')}
          AND (SELECT count(*) FROM incoming WHERE ${staged} AND state >= ${is('duplicate')})
            > ${bind('integer', plan.onRowError === 'stop' ? 0 : MAX_SKIPPED_ROWS)}
        ORDER BY line LIMIT ${bind('integer', MAX_REPORTED_ERRORS)}`,
      'none',
    ),
    skipErrors: step(
      sql`DELETE FROM incoming WHERE ${staged} AND state >= ${is('duplicate')} RETURNING ${error}, source`,
    ),
    count: step(sql`SELECT state, count(*) AS rows FROM incoming WHERE ${staged} GROUP BY state`),
    ...(replace &&
      plan.removalLimit !== undefined && {
        tooManyRemoved: step(
          sql`SELECT * FROM (SELECT ${rows} AS rows, ${removed} AS removed FROM incoming WHERE ${staged}) AS counted
            WHERE removed * ${bind('integer', plan.removalLimit)} > rows`,
          plan.dryRun ? undefined : 'none',
        ),
      }),
    ...(replace && {
      discount: step(sql`UPDATE ledger SET bytes = bytes - ${removedBytes} WHERE ${ledger}`),
    }),
    // What adds nothing is accepted, even if the limit has been lowered.
    storageExceeded: step(
      sql`SELECT storage.records + added AS records, storage.bytes + growth AS bytes, max_records, max_bytes
        FROM (SELECT ${replace ? sql`${created} - ${missingRows(rows, staged)}` : created} AS added, ${growth} AS growth) AS load, (${storageUse(owner, limits)}) AS storage
        WHERE (added > 0 AND ${exceedsRecords(sql`added`)})
          OR CASE WHEN ${exceedsBytes(sql`growth`)} THEN growth > ${replace ? removedBytes : sql`0`} ELSE false END`,
      plan.dryRun ? undefined : 'none',
    ),
    proceed: step(proceedIf(plan, ledger, staged), 'some'),
    auditEntry: audit({
      action: 'records imported',
      account: accountName(sql`${owner}`),
      details: {
        resource: resource.name,
        file: plan.file ?? null,
        created: countOf('new'),
        updated: countOf('changed'),
        unchanged: countOf('unchanged'),
        removed: replace ? removed : 0,
        revision,
      },
      from: sql`incoming WHERE ${staged}`,
    }),
    ...(replace && {
      bury: buryStatement(resource.name, { records: missing, revision, now: plan.now }, dialect),
      remove: step(
        sql`DELETE FROM ${table} WHERE account_id = ${owner} AND id IN (SELECT id FROM (${missing}) AS missing)`,
      ),
    }),
    write: partsOf(lastLine).flatMap((part) => [
      step(
        sql`UPDATE ${table} SET revision = ${revision}, ${commas(assignments)}
          FROM incoming WHERE ${sameRecord} AND state = ${is('changed')}${part}`,
      ),
      step(
        sql`INSERT INTO ${table} (account_id, revision, ${names})
          SELECT account_id, ${revision}, ${names} FROM incoming WHERE ${staged} AND state = ${is('new')}${part} ORDER BY id`,
      ),
    ]),
    // A record with the id of one that was removed takes the place of its tombstone.
    exhume: step(
      sql`DELETE FROM tombstone WHERE account_id = ${owner} AND resource = ${bind('text', resource.name)}
        AND id IN (SELECT id FROM incoming WHERE ${staged} AND state = ${is('new')})`,
    ),
    advanceLedger: step(
      sql`UPDATE ledger SET last_id = ${lastId}, rows = ${
        replace ? sql`(SELECT count(*) FROM incoming WHERE ${staged})` : sql`rows + ${created}`
      }, bytes = bytes + ${growth} WHERE ${ledger}`,
    ),
    lockAccount: step(
      sql`UPDATE ledger SET rows = rows WHERE account_id = ${owner} AND resource = ${bind('text', LOCKED_RESOURCE)}`,
    ),
    exceededMeanwhile: step(
      sql`SELECT storage.records, storage.bytes, max_records, max_bytes FROM (${storageUse(owner, limits)}) AS storage
        WHERE ${replace ? sql`false` : sql`(${created} > 0 AND ${exceedsRecords(sql`0`)}) OR (${growth} > 0 AND ${exceedsBytes(sql`0`)})`}`,
      'none',
    ),
  };
}

/** How many records no row names. */
function missingRows(rows: Sql, staged: Sql): Sql {
  return sql`(${rows} - (SELECT count(*) FROM incoming WHERE ${staged} AND state < ${is('new')}))`;
}

/** The statements in the order they have to run, and the phase of each. */
export function inOrder(statements: LoadStatements): {
  readonly all: readonly Statement[];
  readonly phases: readonly LoadPhase[];
} {
  const all = Object.values<Statement | readonly Statement[]>({ ...statements }).flat();
  const firstWrite = all.indexOf(statements.auditEntry);
  return { all, phases: all.map((_, index) => (index < firstWrite ? 'checking' : 'writing')) };
}

/** Conditions that follow others, each for a part of the lines. */
function partsOf(lastLine: number): readonly Sql[] {
  const count = Math.min(MAX_PARTS, Math.floor(lastLine / MIN_PART));
  if (count < 2) return [sql``];
  const length = Math.ceil(lastLine / count);
  // Whatever lines there are, each is in one part.
  return Array.from({ length: count }, (_, n) => {
    const [after, upTo] = [bind('integer', n * length), bind('integer', (n + 1) * length)];
    const isAfter = n === 0 ? sql`` : sql` AND incoming.line > ${after}`;
    return n === count - 1 ? isAfter : sql`${isAfter} AND incoming.line <= ${upTo}`;
  });
}

function proceedIf({ dryRun, replace }: LoadPlan, ledger: Sql, staged: Sql): Sql {
  if (dryRun) return sql`SELECT 1 WHERE 1 = 0`;
  const writes = sql`EXISTS (SELECT 1 FROM incoming WHERE ${staged} AND state <> ${is('unchanged')})`;
  const removes = sql`(SELECT ledger.rows FROM ledger WHERE ${ledger}) > (SELECT count(*) FROM incoming WHERE ${staged})`;
  return replace ? sql`SELECT 1 WHERE ${writes} OR ${removes}` : sql`SELECT 1 WHERE ${writes}`;
}

export function requiredFields(resource: Resource): readonly Field[] {
  return resource.fields.filter((field) => field.initial.kind === 'required');
}

function countOf(state: keyof typeof RowState): Sql {
  return sql`count(*) FILTER (WHERE state = ${is(state)})`;
}

function is(state: keyof typeof RowState): Sql {
  return trusted(String(RowState[state]));
}

function commas(items: readonly Sql[]): Sql {
  return join(items, ', ');
}
