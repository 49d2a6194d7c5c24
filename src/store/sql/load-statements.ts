/**
 * How rows get from a temporary table into a resource's table: they are compared with the existing records, then inserted or
 * updated, by statements over whole tables. The temporary table has the resource's columns and some of its own.
 */

import { company } from '../../catalog/company.ts';
import { memoize } from '../../catalog/memoize.ts';
import { codeFields, type Field, id, type Resource, uniqueFields } from '../../catalog/resource.ts';
import { isText, MAX_INTEGER } from '../../catalog/value-types.ts';
import type { LoadPhase } from '../load-progress.ts';
import {
  type AccountId,
  type Actor,
  type Caller,
  type LoadPlan,
  MAX_REPORTED_ERRORS,
  MAX_SKIPPED_ROWS,
  type RowFacts,
  type StorageLimits,
} from '../store.ts';
import type { RecordVersion } from '../version.ts';
import { accountName, type EntryTemplate } from './audit-statements.ts';
import { buryStatement } from './change-statements.ts';
import { columnsOf } from './columns.ts';
import type { Dialect } from './dialect.ts';
import { givenColumns, isGiven, lacksAny } from './given-fields.ts';
import { endStatements, type LoadCounts } from './import-statements.ts';
import {
  enterStatements,
  FIELDS_VERSION,
  generationOf,
  hasAccess,
  ledgerRow,
  ledgerVersionStatement,
} from './ledger.ts';
import { recordJson } from './record-text.ts';
import { bind, join, type Sql, sql, trusted } from './sql.ts';
import { compile, type Expectation, flatten, type Statement } from './statement.ts';
import { exceedsBytes, exceedsRecords, fieldSize, recordSize, storageUse } from './storage-use.ts';

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

/**
 * A row counts as new until its record is found, and one that removes its record as absent. From `duplicate` on, the row is in
 * error.
 */
export const RowState = {
  unchanged: 0,
  changed: 1,
  new: 2,
  removed: 3,
  absent: 4,
  duplicate: 5,
  ambiguous: 6,
  exhausted: 7,
  incomplete: 8,
  /** Another record has its value of a unique field: the first of them. Those of the other unique fields follow. */
  taken: 9,
} as const;

/** What is known about the rows once all of them are in the temporary table. */
export interface StagedFacts extends Omit<RowFacts, 'bytes'> {
  /** The name of the temporary table. */
  readonly table: string;
  /** Whether they are staged by the transaction itself. */
  readonly isFew: boolean;
  /** What the import will be listed as, unless it is listed already. */
  readonly importId: string;
}

export interface LoadStatements {
  readonly takeLedgerRow: Statement;
  readonly sameFields?: Statement;
  /** The record of the only row, as it was before. */
  readonly requireRecord?: Statement;
  readonly matchRecord?: Statement;
  readonly savePosition?: Statement;
  readonly findRecords?: Statement;
  readonly markDuplicates?: Statement;
  readonly compare: Statement;
  readonly markRemoved?: Statement;
  readonly addedAgain?: Statement;
  readonly markIncomplete?: Statement;
  /** For each unique field. */
  readonly markTaken: readonly Statement[];
  readonly assignIds?: Statement;
  readonly markExhausted?: Statement;
  readonly tooManyErrors?: Statement;
  /** The rows that are skipped, in the order of their lines, and without them. */
  readonly errors?: Statement;
  readonly skipErrors?: Statement;
  readonly count: Statement;
  readonly tooManyRemoved?: Statement;
  readonly discount?: Statement;
  readonly storageExceeded: Statement;
  /** Stops, after everything has been counted, if nothing is to be written. */
  readonly proceed?: Statement;
  readonly markBehind: Statement;
  readonly archiveGeneration: Statement;
  readonly enterGeneration: Statement;
  readonly bury?: Statement;
  readonly remove?: Statement;
  /** Updates and inserts, in several parts if there are many rows. */
  readonly write: readonly Statement[];
  readonly exhume?: Statement;
  readonly auditEntry?: Statement;
  readonly saveKey?: Statement;
  readonly endImport?: Statement;
  readonly advanceLedger: Statement;
  /** One load into an account commits at a time, so that those into other resources see what it has added. */
  readonly lockAccount: Statement;
  readonly exceededMeanwhile: Statement;
  /** The ledger afterwards. */
  readonly version: Statement;
  /** The record of the only row, as it was changed. */
  readonly readBack?: Statement;
}

/** Rows are written in parts of at least `MIN_PART` lines, and in at most `MAX_PARTS` parts, so that progress can be shown. */
const MIN_PART = 10_000;
const MAX_PARTS = 20;

/** The ledger row that stands for the account. Loads of this resource hold it from the beginning, so it is one that has few records. */
const LOCKED_RESOURCE = company.name;

export interface LoadContext {
  readonly limits: StorageLimits;
  readonly audit: (entry: EntryTemplate<'records imported'>, by?: Actor) => Statement;
  /** Who does what no request asked for. */
  readonly actor: Actor;
  readonly dialect: Dialect;
}

/** Whether rows may be added that are there already: those of an import that says neither which records they are, nor that it adds. */
function asksBeforeAdding({ key, replace, adds, import: entry }: LoadPlan, { lacksIds }: StagedFacts): boolean {
  return entry !== undefined && key === id && !replace && adds !== true && lacksIds;
}

/** In the order they have to run. */
export function loadStatements(
  caller: Caller,
  plan: LoadPlan,
  facts: StagedFacts,
  { limits, audit, actor, dialect }: LoadContext,
): LoadStatements {
  const { resource, replace, existing } = plan;
  const { account } = caller;
  const owner = bind('integer', account);
  const ledger = ledgerRow(owner, resource);
  const table = trusted(resource.name);
  const key = trusted(plan.key.column);
  const { names, given, differs, growth: growthOf, assignments, size, record } = fragmentsOf(dialect)(resource);
  const incoming = trusted(`${facts.table} AS incoming`);
  const staged = sql`incoming.account_id = ${owner}`;
  const inState = (...states: readonly (keyof typeof RowState)[]) => sql`state IN (${commas(states.map(is))})`;
  const countIn = (...states: readonly (keyof typeof RowState)[]) =>
    sql`(SELECT count(*) FROM ${incoming} WHERE ${staged} AND ${inState(...states)})`;
  const growth = sql`(SELECT CAST(coalesce(sum(bytes), 0) AS bigint) FROM ${incoming} WHERE ${staged} AND ${inState('changed', 'new')})`;
  const created = countIn('new');
  // Of few rows, the records are looked up: a planner that does not know how large the account is might read all of it.
  const among = (column: Sql, from: Sql) =>
    facts.isFew
      ? sql` AND ${from}${column} ${dialect.isInQuery(sql`SELECT ${column} FROM ${incoming} WHERE ${staged}`)}`
      : sql``;
  const sameRecord = sql`${staged} AND ${table}.account_id = ${owner} AND ${table}.id = incoming.id${among(sql`id`, sql`${table}.`)}`;
  const removes = replace || facts.hasRemovals;
  const removedRecords = replace
    ? sql`SELECT account_id, id FROM ${table} WHERE account_id = ${owner}
        EXCEPT SELECT account_id, id FROM ${incoming} WHERE ${staged} AND ${inState('unchanged', 'changed')}`
    : sql`SELECT account_id, id FROM ${incoming} WHERE ${staged} AND ${inState('removed')}`;
  const isRemoved = sql`account_id = ${owner} AND id IN (SELECT id FROM (${removedRecords}) AS removed)`;
  const removedBytes = sql`(
      SELECT CAST(coalesce(sum(${size}), 0) AS bigint) FROM ${table} WHERE ${isRemoved}
    )`;
  // Of the records that are written. The ledger gets it at the end, if there are any.
  const revision = sql`(SELECT ledger.revision + 1 FROM ledger WHERE ${ledger})`;
  const lastId = sql`(SELECT max(id) FROM (
      SELECT ledger.last_id AS id FROM ledger WHERE ${ledger} UNION ALL
        SELECT max(id) FROM ${incoming} WHERE ${staged} AND ${inState('unchanged', 'changed', 'new')}
    ) AS ids)`;
  const rows = sql`(SELECT ledger.rows FROM ledger WHERE ${ledger})`;
  const removed = replace ? sql`(${rows} - ${countIn('unchanged', 'changed')})` : countIn('removed');
  // An id past the last one does not fit a JavaScript number.
  const unique = uniqueFields(resource);
  // A cluster prints CASE with an operand incorrectly.
  const takenValue = unique.map(({ column }, n) =>
    trusted(`WHEN state = ${RowState.taken + n} THEN CAST(${column} AS text)`),
  );
  const error = sql`line, ${given}, state, first_line, CASE WHEN state <> ${is('exhausted')} THEN ${key} END AS key${unique.length === 0 ? sql`` : sql`, CASE ${join(takenValue, ' ')} END AS taken`}`;
  const isInError = sql`${staged} AND state >= ${is('duplicate')}`;
  const hasVersion = (versions: readonly RecordVersion[]) => {
    const written = sql`${table}.revision`;
    const generation = generationOf(owner, resource, written);
    const matches = versions.map(
      (version) =>
        sql`(${written} = ${bind('integer', version.revision)} AND ${generation} = ${bind('integer', version.generation)})`,
    );
    return matches.length === 0 ? sql`1 = 0` : join(matches, ' OR ');
  };
  const onlyRecord = sql`SELECT revision, ${record} AS record FROM ${table} WHERE account_id = ${owner}
      AND id = (SELECT id FROM ${incoming} WHERE ${staged})`;
  const step = (statement: Sql, expect?: Expectation) => compile(statement, dialect, expect);
  // If records were removed, their size is not known any more.
  const addsRecords = replace ? sql`1 = 0` : sql`${created} > ${removes ? removed : sql`0`}`;
  const addsBytes = removes ? addsRecords : sql`${growth} > 0`;
  const changes = sql`(EXISTS (SELECT 1 FROM ${incoming} WHERE ${staged} AND ${inState('changed', 'new', 'removed')})${replace ? sql` OR ${removed} > 0` : sql``})`;
  const nextRevision = sql`(SELECT ledger.revision + CASE WHEN ${changes} THEN 1 ELSE 0 END FROM ledger WHERE ${ledger})`;
  const end = endStatements(
    caller,
    plan,
    facts.importId,
    facts,
    {
      created,
      updated: countIn('changed'),
      unchanged: countIn('unchanged', 'absent'),
      removed,
      skipped: sql`(${bind('integer', facts.rows)} - (SELECT count(*) FROM ${incoming} WHERE ${staged}))`,
    },
    nextRevision,
    plan.import?.by ?? actor,
    dialect,
  );

  const rowsToAdd = (condition: Sql) =>
    sql`(SELECT count(*) FROM ${incoming} WHERE ${staged} AND incoming.id IS NULL AND ${inState('new')} AND ${condition})`;
  const sameContent = sql`import.account_id = ${owner} AND import.content_hash = ${bind('text', plan.import?.content?.hash ?? null)}
    AND import.resource = ${bind('text', resource.name)} AND import.state = 'done'`;
  const codes = codeFields(resource).map((field) => {
    const value = trusted(field.column);
    const filled = isText(field) ? sql`incoming.${value} <> ''` : sql`incoming.${value} IS NOT NULL`;
    const given = sql`${isGiven(resource, field)} AND ${filled}`;
    const stays = facts.hasRemovals ? sql` AND known.id NOT IN (SELECT id FROM (${removedRecords}) AS removed)` : sql``;
    const known = sql`SELECT ${value} FROM ${table} AS known WHERE known.account_id = ${owner}${stays}`;
    // Without an index, the records are read once, not for each row.
    const isTaken =
      !facts.isFew && field.indexed
        ? sql`EXISTS (${known} AND known.${value} = incoming.${value})`
        : sql`incoming.${value} IN (${known} AND known.${value} IS NOT NULL${among(value, sql`known.`)})`;
    const several = (rows: Sql) =>
      sql`${given} AND incoming.${value} IN (SELECT ${value} FROM ${rows} AND ${value} IS NOT NULL GROUP BY ${value} HAVING count(*) > 1)`;
    return {
      given,
      taken: sql`${given} AND ${isTaken}`,
      repeated: several(sql`${incoming} WHERE ${staged}`),
      shared: several(sql`${table} AS known WHERE known.account_id = ${owner}${among(value, sql`known.`)}`),
    };
  });

  const savesOthers = plan.import !== undefined || plan.idempotency !== undefined;

  return {
    takeLedgerRow: step(
      sql`UPDATE ledger SET rows = rows WHERE ${ledger}${hasAccess(owner, caller, dialect)} RETURNING generation, revision, rows`,
      'some',
    ),
    // A session has an access version, which changes with the fields.
    ...(caller.access === undefined && {
      sameFields: step(sql`SELECT 1 AS same WHERE ${FIELDS_VERSION} = ${bind('integer', resource.version)}`, 'some'),
    }),
    ...(existing && {
      requireRecord: step(
        sql`SELECT found.record, found.revision, ${generationOf(owner, resource, sql`found.revision`)} AS generation
          FROM ledger, (${onlyRecord}) AS found WHERE ${ledger}`,
        'some',
      ),
    }),
    ...(existing?.versions && {
      matchRecord: step(
        sql`SELECT 1 AS found FROM ledger, ${table}, ${incoming} WHERE ${ledger} AND ${sameRecord} AND (${hasVersion(existing.versions)})`,
        'some',
      ),
    }),
    ...(end.savePosition && { savePosition: end.savePosition }),
    ...(plan.key !== id && {
      findRecords: step(
        sql`UPDATE ${incoming} SET id = known.id, state = CASE known.records WHEN 1 THEN state ELSE ${is('ambiguous')} END
          FROM (
            SELECT ${key}, min(id) AS id, count(*) AS records FROM ${table}
              WHERE account_id = ${owner} AND ${key} IS NOT NULL${among(key, sql``)} GROUP BY ${key}
          ) AS known WHERE ${staged} AND incoming.${key} = known.${key}`,
      ),
    }),
    ...(facts.rows > 1 && {
      markDuplicates: step(
        sql`UPDATE ${incoming} SET state = ${is('duplicate')}, first_line = duplicate.line
          FROM (
            SELECT ${key}, min(line) AS line FROM ${incoming} WHERE ${staged} AND ${key} IS NOT NULL GROUP BY ${key} HAVING count(*) > 1
          ) AS duplicate WHERE ${staged} AND incoming.${key} = duplicate.${key} AND incoming.line > duplicate.line`,
      ),
    }),
    compare: step(
      sql`UPDATE ${incoming} SET state = CASE WHEN ${differs} THEN ${is('changed')} ELSE ${is('unchanged')} END, bytes = ${growthOf}
        FROM ${table} WHERE ${sameRecord} AND state = ${is('new')}`,
    ),
    ...(facts.hasRemovals && {
      markRemoved: step(
        sql`UPDATE ${incoming} SET state = ${is('removed')} FROM ${table} WHERE ${sameRecord} AND state = ${is('absent')}`,
      ),
    }),
    ...(asksBeforeAdding(plan, facts) && {
      addedAgain: step(
        // What only a question needs is counted outside, if there is one.
        sql`SELECT again.*, ${commas([
          sql`(SELECT count(*) FROM ${incoming} WHERE ${staged} AND incoming.id IS NOT NULL) AS identified`,
          ...codes.flatMap(({ repeated, shared }, n) => [
            sql`${rowsToAdd(repeated)} AS ${trusted(`repeated_code_${n}`)}`,
            sql`${rowsToAdd(shared)} AS ${trusted(`shared_code_${n}`)}`,
          ]),
        ])} FROM (SELECT ${commas([
          sql`${rowsToAdd(sql`1 = 1`)} AS added`,
          sql`(SELECT ${dialect.print('max(import.ended_at)', 'timestamp')} FROM import WHERE ${sameContent}) AS imported_at`,
          ...codes.flatMap(({ given, taken }, n) => [
            sql`${rowsToAdd(given)} AS ${trusted(`given_code_${n}`)}`,
            sql`${rowsToAdd(taken)} AS ${trusted(`taken_code_${n}`)}`,
          ]),
        ])}) AS again WHERE added > 0 AND (${join([sql`imported_at IS NOT NULL`, ...codes.map((_, n) => trusted(`taken_code_${n} > 0`))], ' OR ')})`,
        'none',
      ),
    }),
    ...(existing === undefined && {
      markIncomplete: step(
        sql`UPDATE ${incoming} SET state = ${is('incomplete')} WHERE ${staged} AND state = ${is('new')} AND ${lacksAny(resource, requiredFields(resource))}`,
      ),
    }),
    markTaken: unique.flatMap((field, n) => {
      const value = trusted(field.column);
      const gives = sql`${staged} AND ${isGiven(resource, field)}`;
      const taken = trusted(String(RowState.taken + n));
      return [
        step(
          sql`UPDATE ${incoming} SET state = ${taken}
            FROM ${table} AS other WHERE ${gives} AND ${inState('changed', 'new')} AND other.account_id = ${owner} AND other.${value} = incoming.${value}
              AND (incoming.id IS NULL OR other.id <> incoming.id)${among(value, sql`other.`)}${removes ? sql` AND other.id NOT IN (SELECT id FROM (${removedRecords}) AS removed)` : sql``}`,
        ),
        ...(facts.rows > 1
          ? [
              step(
                sql`UPDATE ${incoming} SET state = ${taken}, first_line = earlier.line
                  FROM (
                    SELECT ${value}, min(line) AS line FROM ${incoming} WHERE ${gives} AND ${inState('unchanged', 'changed', 'new')} AND ${value} IS NOT NULL
                      GROUP BY ${value} HAVING count(*) > 1
                  ) AS earlier WHERE ${gives} AND ${inState('changed', 'new')} AND incoming.${value} = earlier.${value} AND incoming.line > earlier.line`,
              ),
            ]
          : []),
      ];
    }),
    ...(facts.lacksIds && {
      assignIds: step(
        sql`WITH numbered AS MATERIALIZED (
            SELECT line, ${lastId} + row_number() OVER (ORDER BY line) AS id FROM ${incoming}
              WHERE ${staged} AND id IS NULL AND state = ${is('new')}
          ) UPDATE ${incoming} SET id = numbered.id FROM numbered WHERE ${staged} AND incoming.line = numbered.line`,
      ),
      markExhausted: step(
        sql`UPDATE ${incoming} SET state = ${is('exhausted')} WHERE ${staged} AND state = ${is('new')} AND id > ${bind('integer', MAX_INTEGER)}`,
      ),
    }),
    ...((existing === undefined || unique.length > 0) && {
      tooManyErrors: step(
        sql`SELECT ${error}, count(*) OVER () AS errors FROM ${incoming} WHERE ${isInError}
            AND (SELECT count(*) FROM ${incoming} WHERE ${isInError})
              > ${bind('integer', plan.onRowError === 'stop' ? 0 : MAX_SKIPPED_ROWS)}
          ORDER BY line LIMIT ${bind('integer', MAX_REPORTED_ERRORS)}`,
        'none',
      ),
    }),
    ...(plan.onRowError === 'skip' && {
      errors: {
        ...step(sql`SELECT ${error}, source FROM ${incoming} WHERE ${isInError} ORDER BY line`),
        returnsMany: true,
      },
      skipErrors: step(sql`DELETE FROM ${incoming} WHERE ${isInError}`),
    }),
    count: step(sql`SELECT state, count(*) AS rows FROM ${incoming} WHERE ${staged} GROUP BY state`),
    ...(replace &&
      plan.removalLimit !== undefined && {
        tooManyRemoved: step(
          sql`SELECT * FROM (SELECT ${rows} AS rows, ${rows} - count(*) AS removed FROM ${incoming} WHERE ${staged} AND ${inState('unchanged', 'changed')}) AS counted
            WHERE removed * ${bind('integer', plan.removalLimit)} > rows`,
          plan.dryRun ? undefined : 'none',
        ),
      }),
    ...(removes && {
      discount: step(sql`UPDATE ledger SET bytes = bytes - ${removedBytes} WHERE ${ledger}`),
    }),
    // What adds nothing is accepted, even if the limit has been lowered.
    storageExceeded: step(
      sql`SELECT storage.records + added AS records, storage.bytes + growth AS bytes, max_records, max_bytes
        FROM (SELECT ${removes ? sql`${created} - ${removed}` : created} AS added, ${growth} AS growth) AS load, (${storageUse(owner, limits)}) AS storage
        WHERE (added > 0 AND ${exceedsRecords(sql`added`)})
          OR CASE WHEN ${exceedsBytes(sql`growth`)} THEN growth > ${removes ? removedBytes : sql`0`} ELSE false END`,
      plan.dryRun ? undefined : 'none',
    ),
    ...((plan.dryRun || !savesOthers) && {
      proceed: step(plan.dryRun ? sql`SELECT 1 WHERE 1 = 0` : sql`SELECT 1 WHERE ${changes}`, 'some'),
    }),
    // A generation in which nothing is written must not be entered.
    ...enterStatements(account, resource, dialect, sql` AND ${changes}`),
    ...(removes && {
      bury: buryStatement(resource.name, { records: removedRecords, revision, now: plan.now }, dialect),
      remove: step(sql`DELETE FROM ${table} WHERE ${isRemoved}`),
    }),
    write: partsOf(facts.lastLine).flatMap((part) => [
      step(
        sql`UPDATE ${table} SET revision = ${revision}, ${assignments}
          FROM ${incoming} WHERE ${sameRecord} AND state = ${is('changed')}${part}`,
      ),
      ...(existing === undefined
        ? [
            step(
              sql`INSERT INTO ${table} (account_id, revision, ${names})
                SELECT account_id, ${revision}, ${names} FROM ${incoming} WHERE ${staged} AND state = ${is('new')}${part} ORDER BY id`,
            ),
          ]
        : []),
    ]),
    // A record with the id of one that was removed takes the place of its tombstone.
    ...(existing === undefined && {
      exhume: step(
        sql`DELETE FROM tombstone WHERE account_id = ${owner} AND resource = ${bind('text', resource.name)}
          AND id IN (SELECT id FROM ${incoming} WHERE ${staged} AND state = ${is('new')})`,
      ),
    }),
    ...(plan.import && {
      auditEntry: audit(
        importEntry(
          account,
          plan,
          {
            created: countOf('new'),
            updated: countOf('changed'),
            unchanged: countOf('unchanged', 'absent'),
            removed: replace ? sql`(${rows} - ${countOf('unchanged', 'changed')})` : countOf('removed'),
            skipped: sql`(${bind('integer', facts.rows + (plan.import.rejected?.rows ?? 0))} - count(*))`,
          },
          nextRevision,
          sql`${incoming} WHERE ${staged}`,
        ),
        plan.import.by,
      ),
    }),
    ...(end.saveKey && { saveKey: end.saveKey }),
    ...(end.endImport && { endImport: end.endImport }),
    advanceLedger: step(
      sql`UPDATE ledger SET last_id = ${lastId}, rows = ${
        replace ? countIn('unchanged', 'changed', 'new') : sql`rows + ${created}${removes ? sql` - ${removed}` : sql``}`
      }, bytes = bytes + ${growth}, revision = CASE WHEN ${changes} THEN revision + 1 ELSE revision END WHERE ${ledger}`,
    ),
    lockAccount: step(
      sql`UPDATE ledger SET rows = rows WHERE account_id = ${owner} AND resource = ${bind('text', LOCKED_RESOURCE)}`,
    ),
    exceededMeanwhile: step(
      sql`SELECT storage.records, storage.bytes, max_records, max_bytes FROM (${storageUse(owner, limits)}) AS storage
        WHERE ${addsRecords} AND ${exceedsRecords(sql`0`)} OR ${addsBytes} AND ${exceedsBytes(sql`0`)}`,
      'none',
    ),
    version: step(ledgerVersionStatement({ account }, resource, dialect)),
    ...(existing !== undefined &&
      !facts.hasRemovals && {
        readBack: step(onlyRecord),
      }),
  };
}

/** What the statements say about all fields of a resource. They have many small parts, so each is one text. */
const fragmentsOf = memoize((dialect: Dialect) =>
  memoize((resource: Resource) => {
    const table = trusted(resource.name);
    const columns = columnsOf(resource).map(({ name, field }) => ({
      keepsOld: field.initial.kind !== 'written',
      name: trusted(name),
      given: isGiven(resource, field),
    }));
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
    return {
      names: flatten(commas(columns.map(({ name }) => name)), dialect),
      /** Which fields a row gives. */
      given: flatten(commas(givenColumns(resource).map(({ name }) => trusted(name))), dialect),
      /** Whether a row differs from its record. */
      differs: flatten(join(differences, ' OR '), dialect),
      /** By how much a record grows. */
      growth: flatten(join(growths, ' + '), dialect),
      assignments: flatten(commas(assignments), dialect),
      /** The size of a record. */
      size: flatten(recordSize(resource), dialect),
      /** A record as JSON. */
      record: flatten(recordJson(resource.fields, dialect), dialect),
    };
  }),
);

/** `counts` may be expressions about the rows of `from`. */
function importEntry(
  account: AccountId,
  { resource, import: entry }: LoadPlan,
  counts: LoadCounts,
  revision: Sql,
  from: Sql,
): EntryTemplate<'records imported'> {
  const owner = bind('integer', account);
  return {
    action: 'records imported',
    account: accountName(sql`${owner}`),
    details: {
      resource: resource.name,
      file: entry?.file ?? null,
      source: entry?.source?.name ?? null,
      ...counts,
      revision,
    },
    from,
  };
}

/** The statements in the order they have to run, and the phase of each. */
export function inOrder(statements: LoadStatements): {
  readonly all: readonly Statement[];
  readonly phases: readonly LoadPhase[];
} {
  const all = Object.values<Statement | readonly Statement[]>({ ...statements }).flat();
  const firstWrite = all.indexOf(statements.markBehind);
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

export function requiredFields(resource: Resource): readonly Field[] {
  return resource.fields.filter((field) => field.initial.kind === 'required');
}

/** In an aggregate over the rows. */
function countOf(...states: readonly (keyof typeof RowState)[]): Sql {
  return sql`count(*) FILTER (WHERE state IN (${commas(states.map(is))}))`;
}

function is(state: keyof typeof RowState): Sql {
  return trusted(String(RowState[state]));
}

function commas(items: readonly Sql[]): Sql {
  return join(items, ', ');
}
