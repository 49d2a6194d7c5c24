/**
 * How rows get from a temporary table into a resource's table: they are compared with what is there, then inserted or
 * updated, by statements over whole tables. The temporary table has the resource's columns and some of its own.
 */

import { type Field, id, MAX_INTEGER, type Resource } from '../../catalog/resource.ts';
import { type AccountId, type LoadPlan, MAX_LEFT_OUT, MOST_FAULTS } from '../store.ts';
import { columnsOf } from './columns.ts';
import type { Dialect } from './dialect.ts';
import { ledgerRow } from './record-statements.ts';
import { bind, join, type Sql, sql, trusted } from './sql.ts';
import { compile, type Expectation, type Statement } from './statement.ts';

export const STAGING_TABLE = 'incoming';

/** The columns of the temporary table that say something about the row, before those that hold its values. */
export const STAGING_COLUMNS = [
  /** Where the row stands in its file. */
  { name: 'line', type: 'integer' },
  /** A bit for each field that it gives. */
  { name: 'given', type: 'integer' },
  /** What becomes of it. */
  { name: 'state', type: 'integer' },
  /** Where a row with the same key stands before it. */
  { name: 'first_line', type: 'integer' },
  /** The row as the file has it, where it may have to be given back. */
  { name: 'source', type: 'text' },
] as const;

/** Every row counts as new until its record is found. From `repeated` on it is at fault. */
export const State = {
  unchanged: 0,
  changed: 1,
  new: 2,
  repeated: 3,
  ambiguous: 4,
  exhausted: 5,
  incomplete: 6,
} as const;

export interface LoadStatements {
  readonly takeLedgerRow: Statement;
  readonly findRecords?: Statement;
  readonly markRepeated: Statement;
  readonly compare: Statement;
  readonly markIncomplete: Statement;
  readonly giveNewIds: Statement;
  readonly markExhausted: Statement;
  readonly tooManyFaults: Statement;
  readonly leaveOut: Statement;
  readonly count: Statement;
  /** Gives up, after all has been counted, where nothing is to be changed. */
  readonly goOn: Statement;
  readonly remove?: Statement;
  readonly update: Statement;
  readonly insert: Statement;
  readonly advanceLedger: Statement;
}

/** In the order in which they are to run. */
export function loadStatements(account: AccountId, plan: LoadPlan, dialect: Dialect): LoadStatements {
  const { resource, replace } = plan;
  const own = bind('integer', account);
  const ledger = ledgerRow(own, resource);
  const table = trusted(resource.name);
  const key = trusted(plan.key.name);
  const columns = columnsOf(resource).map(({ name, field }) => ({
    keepsOld: field.initial.kind !== 'written',
    name: trusted(name),
    isGiven: trusted(`given & ${bitOf(resource, field)} <> 0`),
  }));
  const names = commas(columns.map(({ name }) => name));
  const differences = columns.map(
    ({ name, isGiven }) => sql`(${isGiven} AND incoming.${name} IS DISTINCT FROM ${table}.${name})`,
  );
  const assignments = columns.map(({ name, isGiven, keepsOld }) =>
    keepsOld
      ? sql`${name} = CASE WHEN ${isGiven} THEN incoming.${name} ELSE ${table}.${name} END`
      : sql`${name} = incoming.${name}`,
  );
  const sameRecord = sql`${table}.account_id = ${own} AND ${table}.id = incoming.id`;
  const revision = sql`(SELECT revision FROM ledger WHERE ${ledger})`;
  const lastId = sql`(SELECT max(id) FROM (
      SELECT last_id AS id FROM ledger WHERE ${ledger} UNION ALL SELECT max(id) FROM incoming WHERE state < ${is('repeated')}
    ) AS ids)`;
  const required = trusted(String(requiredFields(resource).reduce((bits, field) => bits + bitOf(resource, field), 0)));
  // An id beyond the last one is more than a number here can hold.
  const fault = sql`line, given, state, first_line, CASE WHEN state <> ${is('exhausted')} THEN ${key} END AS key`;
  const step = (statement: Sql, expect?: Expectation) => compile(statement, dialect, expect);

  return {
    takeLedgerRow: step(
      sql`UPDATE ledger SET revision = revision + 1 WHERE ${ledger} RETURNING revision, rows`,
      'some',
    ),
    ...(plan.key !== id && {
      findRecords: step(
        sql`UPDATE incoming SET id = known.id, state = CASE known.records WHEN 1 THEN state ELSE ${is('ambiguous')} END
          FROM (
            SELECT ${key}, min(id) AS id, count(*) AS records FROM ${table}
              WHERE account_id = ${own} AND ${key} IS NOT NULL GROUP BY ${key}
          ) AS known WHERE incoming.${key} = known.${key}`,
      ),
    }),
    markRepeated: step(
      sql`UPDATE incoming SET state = ${is('repeated')}, first_line = repeated.line
        FROM (
          SELECT ${key}, min(line) AS line FROM incoming WHERE ${key} IS NOT NULL GROUP BY ${key} HAVING count(*) > 1
        ) AS repeated WHERE incoming.${key} = repeated.${key} AND incoming.line > repeated.line`,
    ),
    compare: step(
      sql`UPDATE incoming SET state = CASE WHEN ${join(differences, ' OR ')} THEN ${is('changed')} ELSE ${is('unchanged')} END
        FROM ${table} WHERE ${sameRecord} AND state = ${is('new')}`,
    ),
    markIncomplete: step(
      sql`UPDATE incoming SET state = ${is('incomplete')} WHERE state = ${is('new')} AND given & ${required} <> ${required}`,
    ),
    giveNewIds: step(
      sql`UPDATE incoming SET id = numbered.id FROM (
          SELECT line, ${lastId} + row_number() OVER (ORDER BY line) AS id FROM incoming
            WHERE id IS NULL AND state = ${is('new')}
        ) AS numbered WHERE incoming.line = numbered.line`,
    ),
    markExhausted: step(
      sql`UPDATE incoming SET state = ${is('exhausted')} WHERE state = ${is('new')} AND id > ${bind('integer', MAX_INTEGER)}`,
    ),
    tooManyFaults: step(
      sql`SELECT ${fault}, count(*) OVER () AS faults FROM incoming WHERE state >= ${is('repeated')}
          AND (SELECT count(*) FROM incoming WHERE state >= ${is('repeated')})
            > ${bind('integer', plan.faulty === 'stop' ? 0 : MAX_LEFT_OUT)}
        ORDER BY line LIMIT ${bind('integer', MOST_FAULTS)}`,
      'none',
    ),
    leaveOut: step(sql`DELETE FROM incoming WHERE state >= ${is('repeated')} RETURNING ${fault}, source`),
    count: step(sql`SELECT state, count(*) AS rows FROM incoming GROUP BY state`),
    goOn: step(goOn(plan, ledger), 'some'),
    ...(replace && {
      remove: step(
        sql`DELETE FROM ${table} WHERE account_id = ${own} AND id IN (
            SELECT id FROM ${table} WHERE account_id = ${own} EXCEPT SELECT id FROM incoming
          )`,
      ),
    }),
    update: step(
      sql`UPDATE ${table} SET revision = ${revision}, ${commas(assignments)}
        FROM incoming WHERE ${sameRecord} AND state = ${is('changed')}`,
    ),
    insert: step(
      sql`INSERT INTO ${table} (account_id, revision, ${names})
        SELECT ${own}, ${revision}, ${names} FROM incoming WHERE state = ${is('new')} ORDER BY id`,
    ),
    advanceLedger: step(
      sql`UPDATE ledger SET last_id = ${lastId}, rows = ${
        replace
          ? sql`(SELECT count(*) FROM incoming)`
          : sql`rows + (SELECT count(*) FROM incoming WHERE state = ${is('new')})`
      } WHERE ${ledger}`,
    ),
  };
}

function goOn({ dryRun, replace }: LoadPlan, ledger: Sql): Sql {
  if (dryRun) return sql`SELECT 1 WHERE 1 = 0`;
  const isWritten = sql`EXISTS (SELECT 1 FROM incoming WHERE state <> ${is('unchanged')})`;
  const isRemoved = sql`(SELECT rows FROM ledger WHERE ${ledger}) > (SELECT count(*) FROM incoming)`;
  return replace ? sql`SELECT 1 WHERE ${isWritten} OR ${isRemoved}` : sql`SELECT 1 WHERE ${isWritten}`;
}

/** The bit that says, in `given`, that a row gives the field. */
export function bitOf(resource: Resource, field: Field): number {
  return 2 ** resource.fields.indexOf(field);
}

export function requiredFields(resource: Resource): readonly Field[] {
  return resource.fields.filter((field) => field.initial.kind === 'required');
}

function is(state: keyof typeof State): Sql {
  return trusted(String(State[state]));
}

function commas(items: readonly Sql[]): Sql {
  return join(items, ', ');
}
