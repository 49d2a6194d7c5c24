/**
 * How rows get from a temporary table into a resource's table: they are compared with what is there, then inserted or
 * updated, by statements over whole tables. The temporary table has the resource's columns and three of its own:
 * `line` says where the row stands in its file, `given` has a bit for each field that it gives, `state` what becomes of it.
 */

import { type Field, MAX_INTEGER, type Resource } from '../../catalog/resource.ts';
import type { AccountId } from '../store.ts';
import { columnsOf } from './columns.ts';
import type { Dialect } from './dialect.ts';
import { ledgerRow } from './record-statements.ts';
import { bind, join, type Sql, sql, trusted } from './sql.ts';
import { compile, type Expectation, type Statement } from './statement.ts';

export const STAGING_TABLE = 'incoming';

/** Every row counts as new until a record with its id is found. */
export const State = { unchanged: 0, changed: 1, new: 2 } as const;

export interface LoadStatements {
  readonly takeLedgerRow: Statement;
  readonly findRepeatedIds: Statement;
  readonly giveNewIds: Statement;
  readonly findExhaustedIds: Statement;
  readonly compare: Statement;
  readonly findMissingValues: Statement;
  readonly count: Statement;
  readonly findSomethingToDo: Statement;
  readonly update: Statement;
  readonly insert: Statement;
  readonly advanceLedger: Statement;
}

/** In the order in which they are to run. */
export function loadStatements(account: AccountId, resource: Resource, dialect: Dialect): LoadStatements {
  const own = bind('integer', account);
  const ledger = ledgerRow(own, resource);
  const table = trusted(resource.name);
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
      SELECT last_id AS id FROM ledger WHERE ${ledger} UNION ALL SELECT max(id) FROM incoming
    ) AS ids)`;
  const required = trusted(String(bitsOf(resource, requiredFields(resource))));
  const { unchanged, changed, fresh } = {
    unchanged: trusted(`${State.unchanged}`),
    changed: trusted(`${State.changed}`),
    fresh: trusted(`${State.new}`),
  };
  const step = (statement: Sql, expect?: Expectation) => compile(statement, dialect, expect);

  return {
    takeLedgerRow: step(sql`UPDATE ledger SET revision = revision + 1 WHERE ${ledger} RETURNING revision`, 'some'),
    findRepeatedIds: step(
      sql`SELECT id, min(line) AS first, max(line) AS line FROM incoming
        WHERE id IS NOT NULL GROUP BY id HAVING count(*) > 1 ORDER BY 3`,
      'none',
    ),
    giveNewIds: step(
      sql`UPDATE incoming SET id = numbered.id FROM (
          SELECT line, ${lastId} + row_number() OVER (ORDER BY line) AS id FROM incoming WHERE id IS NULL
        ) AS numbered WHERE incoming.line = numbered.line`,
    ),
    findExhaustedIds: step(
      sql`SELECT line FROM incoming WHERE id > ${bind('integer', MAX_INTEGER)} ORDER BY line`,
      'none',
    ),
    compare: step(
      sql`UPDATE incoming SET state = CASE WHEN ${join(differences, ' OR ')} THEN ${changed} ELSE ${unchanged} END
        FROM ${table} WHERE ${sameRecord}`,
    ),
    findMissingValues: step(
      sql`SELECT line, given FROM incoming WHERE state = ${fresh} AND given & ${required} <> ${required} ORDER BY line`,
      'none',
    ),
    count: step(sql`SELECT state, count(*) AS rows FROM incoming GROUP BY state`),
    findSomethingToDo: step(sql`SELECT line FROM incoming WHERE state <> ${unchanged} LIMIT 1`, 'some'),
    update: step(
      sql`UPDATE ${table} SET revision = ${revision}, ${commas(assignments)}
        FROM incoming WHERE ${sameRecord} AND state = ${changed}`,
    ),
    insert: step(
      sql`INSERT INTO ${table} (account_id, revision, ${names})
        SELECT ${own}, ${revision}, ${names} FROM incoming WHERE state = ${fresh} ORDER BY id`,
    ),
    advanceLedger: step(
      sql`UPDATE ledger SET last_id = ${lastId}, rows = rows + (SELECT count(*) FROM incoming WHERE state = ${fresh})
        WHERE ${ledger}`,
    ),
  };
}

/** The bit that says, in `given`, that a row gives the field. */
export function bitOf(resource: Resource, field: Field): number {
  return 2 ** resource.fields.indexOf(field);
}

export function bitsOf(resource: Resource, fields: Iterable<Field>): number {
  let bits = 0;
  for (const field of fields) bits += bitOf(resource, field);
  return bits;
}

export function requiredFields(resource: Resource): readonly Field[] {
  return resource.fields.filter((field) => field.initial.kind === 'required');
}

function commas(items: readonly Sql[]): Sql {
  return join(items, ', ');
}
