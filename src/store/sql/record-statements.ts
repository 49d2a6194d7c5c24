/** Finding and creating single records. */

import { memoize } from '../../catalog/memoize.ts';
import { type Field, type Resource, uniqueFields } from '../../catalog/resource.ts';
import type { Value } from '../../catalog/value.ts';
import { MAX_INTEGER, valueTypes } from '../../catalog/value-types.ts';
import type { CreatePlan, RecordPlan } from '../../plan/plan.ts';
import type { Caller, StorageLimits } from '../store.ts';
import { columnsOf } from './columns.ts';
import type { Dialect } from './dialect.ts';
import { keyWrites } from './idempotency-statements.ts';
import { accessIs, CURRENT_GENERATION, generationOf, hasAccess, ledgerRow } from './ledger.ts';
import { recordJson } from './record-text.ts';
import { type Bound, bind, bindList, join, type Sql, sql, trusted, variable } from './sql.ts';
import { compile, compileEach, compileOnce, type Statement } from './statement.ts';
import { fitsLimits, recordBytes, storageUse } from './storage-use.ts';

/** Returns no row if the caller has no access, and a row without a record if there is no such record. */
export function findStatement(
  { account, access }: Caller,
  { resource, fields, id }: RecordPlan,
  dialect: Dialect,
): Statement {
  if (access !== undefined) return findStatements(dialect)(resource)(fields)({ account, id, access });
  return compile(findSql(resource, fields, bind('integer', account), bind('integer', id), sql``, dialect), dialect);
}

/** Most requests select all fields, which is the same array every time. */
const findStatements = memoize((dialect: Dialect) =>
  memoize((resource: Resource) =>
    memoize((fields: readonly Field[]) => {
      const variables = { account: variable(), id: variable(), access: variable() };
      const { account, id, access } = variables;
      const condition = accessIs(account, access, dialect);
      return compileOnce(findSql(resource, fields, account, id, condition, dialect), variables, dialect);
    }),
  ),
);

function findSql(
  resource: Resource,
  fields: readonly Field[],
  account: Bound,
  id: Bound,
  condition: Sql,
  dialect: Dialect,
): Sql {
  const written = sql`found.record_revision`;
  return sql`SELECT ledger.generation, ledger.revision, ledger.rows, found.record, ${written},
      ${generationOf(account, resource, written)} AS record_generation
    FROM ledger LEFT JOIN (
      SELECT revision AS record_revision, ${recordJson(fields, dialect)} AS record FROM ${trusted(resource.name)}
        WHERE account_id = ${account} AND id = ${id}
    ) AS found ON 1 = 1
    WHERE ${ledgerRow(account, resource)}${condition}`;
}

/** Tells why nothing could be created: no row if the caller has no access. */
export function createDiagnosis(
  caller: Caller,
  resource: Resource,
  limits: StorageLimits,
  dialect: Dialect,
): Statement {
  const account = bind('integer', caller.account);
  return compile(
    sql`SELECT last_id, storage.records, storage.bytes AS bytes, max_records, max_bytes FROM ledger, (${storageUse(account, limits)}) AS storage
      WHERE ${ledgerRow(account, resource)}${hasAccess(account, caller, dialect)}`,
    dialect,
  );
}

type NewRecord = Omit<CreatePlan, 'resource'>;

/** Of all records together, in bytes. */
export function sizeOf(resource: Resource, records: readonly NewRecord[]): number {
  return records.reduce((sum, { values }) => sum + recordBytes(resource, values), 0);
}

/** The values of these records that no other record may have. */
export function uniqueValues(resource: Resource, records: readonly NewRecord[]): ReadonlyMap<Field, readonly Value[]> {
  const values = uniqueFields(resource).map(
    (field) => [field, records.flatMap((record) => record.values.get(field) ?? [])] as const,
  );
  return new Map(values.filter(([, some]) => some.length > 0));
}

/**
 * Before records with unique values are created: the second statement returns one of the values that another record has. The ledger row is locked
 * by a statement of its own, so that the next one sees what was written while this one waited.
 */
export function uniqueGuard(
  { account }: Caller,
  resource: Resource,
  values: ReadonlyMap<Field, readonly Value[]>,
  dialect: Dialect,
): readonly Statement[] {
  if (values.size === 0) return [];
  const owner = bind('integer', account);
  const taken = [...values].map(([{ name, column, type }, some]) => {
    const list = bindList(valueTypes[type].storage, some);
    return sql`SELECT ${bind('text', name)} AS field, CAST(${trusted(column)} AS text) AS value FROM ${trusted(resource.name)}
      WHERE account_id = ${owner} AND ${dialect.isIn(trusted(column), list, false)}`;
  });
  return [
    compile(sql`UPDATE ledger SET rows = rows WHERE ${ledgerRow(owner, resource)}`, dialect),
    compile(sql`SELECT field, value FROM (${join(taken, ' UNION ALL ')}) AS taken LIMIT 1`, dialect, 'none'),
  ];
}

/**
 * Creates a batch of records, with the idempotency keys of those that have one. The ledger row is locked first: concurrent
 * writers wait for it, so ids and revisions are assigned one by one. The first statement returns the last id, or nothing if
 * the ledger row could not be taken.
 */
export function createStatements(
  caller: Caller,
  resource: Resource,
  records: readonly NewRecord[],
  limits: StorageLimits,
  dialect: Dialect,
): readonly Statement[] {
  const account = bind('integer', caller.account);
  const row = ledgerRow(account, resource);
  const count = bind('integer', records.length);
  const { columns, target, values } = insertionOf(resource);
  const rows = records.map((record) => columns.map(({ field, stored }) => stored(record.values.get(field) ?? null)));
  const incoming = dialect.incoming(columns, rows);
  const bytes = bind('integer', sizeOf(resource, records));
  const take = sql`UPDATE ledger SET revision = revision + ${count}, rows = rows + ${count}, bytes = bytes + ${bytes}, last_id = last_id + ${count}
    WHERE ${row} AND last_id <= ${bind('integer', MAX_INTEGER - records.length)} AND ledger.generation = ${CURRENT_GENERATION}${hasAccess(account, caller, dialect)}
      AND ${fitsLimits(account, resource, limits, count, bytes)}
    RETURNING account_id, revision, last_id`;
  const insert = (taken: Sql) => sql`INSERT INTO ${target}
    SELECT account_id, revision - ${count} + incoming.n, last_id - ${count} + incoming.n, ${values}
    FROM ${taken}, ${incoming.table}`;
  const keys = keyWrites(account, resource, records, dialect);
  if (dialect.writesInWith) {
    const taken = sql`taken`;
    // Expired keys are removed after the ledger row was locked: two writers could otherwise lock them in different orders.
    const keyed =
      keys === undefined
        ? sql``
        : sql`, keyed AS (${keys.insert(taken)}), removed AS (${keys.removeExpired} AND EXISTS (SELECT 1 FROM taken))`;
    return [
      compile(sql`WITH taken AS (${take}), inserted AS (${insert(taken)})${keyed} SELECT last_id FROM taken`, dialect),
    ];
  }
  const taken = sql`(SELECT account_id, revision, last_id FROM ledger WHERE ${row}) AS taken`;
  return [
    compile(take, dialect, 'some'),
    ...compileEach(insert(taken), incoming.runs, dialect),
    ...(keys === undefined
      ? []
      : [...compileEach(keys.insert(taken), keys.runs, dialect), compile(keys.removeExpired, dialect)]),
    ...dialect.indexNewest(resource, account, INDEXED_AT_ONCE).map((statement) => compile(statement, dialect)),
  ];
}

/** Creates add many records to a search index at once, because single ones take as long. */
const INDEXED_AT_ONCE = { min: 250, max: 1_000 };

/** Columns that are initially null and cannot be set are left to the table. */
const insertionOf = memoize((resource: Resource) => {
  const isInserted = ({ name, initial }: Field) =>
    resource.creatable.includes(name) || (initial.kind === 'value' ? initial.value !== null : initial.kind !== 'id');
  const columns = columnsOf(resource).filter(({ field }) => isInserted(field));
  const names = columns.map(({ name }) => name);
  return {
    columns,
    target: trusted(`${resource.name} (account_id, revision, id, ${names.join(', ')})`),
    values: trusted(names.map((name) => `incoming.${name}`).join(', ')),
  };
});
