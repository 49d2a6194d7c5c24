/** Whether the search index finds every record that it should have. What it finds beyond that, the records rule out. */

import { catalog } from '../../catalog/catalog.ts';
import type { Resource } from '../../catalog/resource.ts';
import { firstIds, idFindings, type LedgerCheck, type LedgerKey, merge, NOTHING_FOUND } from '../check/check.ts';
import { advance, advanceEach } from '../check/ledger-row.ts';
import type { Engine } from '../engine/engine.ts';
import { foldedColumn } from '../sql/columns.ts';
import { ledgerRow } from '../sql/ledger.ts';
import { bind, join, type Sql, sql, trusted } from '../sql/sql.ts';
import { compile } from '../sql/statement.ts';
import { ID_BITS, LAST_ACCOUNT, LAST_ID, SEARCH_TERMS } from './search.ts';

export const searchIndexes: LedgerCheck = {
  scope: 'ledger',
  name: 'search indexes',
  verifies:
    'SQLite: the search index has the text of every record; PostgreSQL: it is valid, and finds a sample of records',
  repairs: 'builds the index anew',
  async find(ledger) {
    if (isNotIndexed(ledger)) return NOTHING_FOUND;
    const { snapshot, engine } = ledger;
    const { record, indexed, entry, table, index } = partsOf(ledger);
    const found = searchedColumns(ledger.resource).map((column) => {
      const terms = sql`${trusted(SEARCH_TERMS)}(record.${trusted(column)})`;
      return sql`${terms} IS NULL OR EXISTS (SELECT 1 FROM ${index}
        WHERE ${index} MATCH ${trusted(`'${column} : ('`)} || ${terms} || ')' AND rowid = ${entry})`;
    });
    const missing = await snapshot.read(
      compile(
        firstIds(sql`SELECT record.id FROM ${table} AS record WHERE ${record} AND record.id <= ${indexed} AND NOT (
          EXISTS (SELECT 1 FROM ${index}_docsize AS size WHERE size.id = ${entry}) AND (${join(found, ') AND (')})
        )`),
        engine.dialect,
      ),
    );
    const { first, last } = rangeOf(ledger);
    const superfluous = await snapshot.read(
      compile(
        firstIds(sql`SELECT size.id & ${trusted(String(LAST_ID))} AS id FROM ${index}_docsize AS size
          WHERE size.id BETWEEN ${first} AND ${last} AND NOT EXISTS (
            SELECT 1 FROM ${table} AS record WHERE ${record} AND record.id = size.id & ${trusted(String(LAST_ID))} AND record.id <= ${indexed}
          )`),
        engine.dialect,
      ),
    );
    return merge(
      idFindings(ledger, missing, 'is not in the search index with its text'),
      idFindings(ledger, superfluous, 'is in the search index, and should not be'),
    );
  },
  async repair(ledger, engine) {
    if (isNotIndexed(ledger)) return;
    const { index } = partsOf(ledger);
    const { first, last } = rangeOf(ledger);
    const statements = [
      sql`DELETE FROM ${index} WHERE rowid IN (SELECT id FROM ${index}_docsize WHERE id BETWEEN ${first} AND ${last})`,
      sql`${insertion(ledger.resource)} AND record.account_id = ${bind('integer', ledger.account.id)}`,
      sql`UPDATE ledger SET indexed_id = min(last_id, ${trusted(String(LAST_ID))})
        WHERE ${ledgerRow(bind('integer', ledger.account.id), ledger.resource)}`,
    ];
    await engine.write([...advance(ledger, engine), ...statements.map((text) => compile(text, engine.dialect))]);
  },
};

/** Those of all accounts, whatever they contain. */
export async function rebuildSearchIndexes(engine: Engine): Promise<void> {
  const statements = catalog
    .filter((resource) => searchedColumns(resource).length > 0)
    .flatMap((resource) => {
      const index = trusted(`${resource.name}_search`);
      const rebuild = [
        sql`INSERT INTO ${index} (${index}) VALUES ('delete-all')`,
        insertion(resource),
        sql`UPDATE ledger SET indexed_id = min(last_id, ${trusted(String(LAST_ID))})
          WHERE resource = ${bind('text', resource.name)} AND account_id <= ${trusted(String(LAST_ACCOUNT))}`,
      ].map((statement) => compile(statement, engine.dialect));
      return [...advanceEach(resource, engine), ...rebuild];
    });
  await engine.write(statements);
}

/** Other conditions may follow. */
function insertion(resource: Resource): Sql {
  const columns = searchedColumns(resource);
  const selected = columns.map((column) => trusted(`record.${column}`));
  return sql`INSERT INTO ${trusted(`${resource.name}_search`)} (rowid, ${trusted(columns.join(', '))})
    SELECT (record.account_id << ${trusted(String(ID_BITS))}) | record.id, ${join(selected, ', ')} FROM ${trusted(resource.name)} AS record
    WHERE record.id <= ${trusted(String(LAST_ID))} AND record.account_id <= ${trusted(String(LAST_ACCOUNT))}`;
}

function partsOf({ account, resource }: LedgerKey) {
  const owner = bind('integer', account.id);
  return {
    table: trusted(resource.name),
    index: trusted(`${resource.name}_search`),
    record: sql`record.account_id = ${owner}`,
    entry: sql`((record.account_id << ${trusted(String(ID_BITS))}) | record.id)`,
    indexed: sql`(SELECT indexed_id FROM ledger WHERE ${ledgerRow(owner, resource)})`,
  };
}

/** The row ids of the account's entries. */
function rangeOf({ account }: LedgerKey): { readonly first: Sql; readonly last: Sql } {
  const [owner, bits] = [bind('integer', account.id), trusted(String(ID_BITS))];
  return {
    first: sql`(${owner} << ${bits})`,
    last: sql`((${owner} << ${bits}) | ${trusted(String(LAST_ID))})`,
  };
}

function isNotIndexed({ account, resource }: LedgerKey): boolean {
  return account.id > LAST_ACCOUNT || searchedColumns(resource).length === 0;
}

function searchedColumns({ fields }: Resource): readonly string[] {
  return fields.filter(({ searched }) => searched === true).map(foldedColumn);
}
