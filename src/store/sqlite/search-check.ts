/** Whether the search index finds every record that it should have. What it finds beyond that, the records rule out. */

import type { Catalog } from '../../catalog/catalog.ts';
import type { Resource } from '../../catalog/resource.ts';
import { type CheckedLedger, firstIds, idFindings, type LedgerCheck, type LedgerKey } from '../check/check.ts';
import { searchIndexCheck } from '../check/engine-checks.ts';
import { type Finding, findings, merge, NOTHING_FOUND } from '../check/findings.ts';
import { advance, advanceEach } from '../check/ledger-row.ts';
import type { Engine } from '../engine/engine.ts';
import { searchedTexts, textColumn } from '../sql/columns.ts';
import { ledgerRow } from '../sql/ledger.ts';
import { integerOf, textOf } from '../sql/row.ts';
import { bind, join, type Sql, sql, trusted } from '../sql/sql.ts';
import { compile } from '../sql/statement.ts';
import { ID_BITS, LAST_ACCOUNT, LAST_ID, searchTerms } from './search.ts';

export const searchIndexes: LedgerCheck = {
  ...searchIndexCheck,
  scope: 'ledger',
  async find(ledger) {
    if (isNotIndexed(ledger)) return NOTHING_FOUND;
    const { snapshot, engine } = ledger;
    const { record, indexed, entry, table, index } = partsOf(ledger);
    const sizes = searchedTexts(ledger.resource).map(({ field, form }) => sizeText(trusted(textColumn(field, form))));
    const missing = await snapshot.read(
      compile(
        firstIds(sql`SELECT record.id FROM ${table} AS record WHERE ${record} AND record.id <= ${indexed} AND NOT EXISTS (
          SELECT 1 FROM ${index}_docsize AS size WHERE size.id = ${entry} AND hex(size.sz) = ${join(sizes, ' || ')}
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
    const found = merge(
      idFindings(ledger, missing, 'is not in the search index with its text'),
      idFindings(ledger, superfluous, 'is in the search index, and should not be'),
    );
    return found.count > 0 ? found : findings(await notFound(ledger));
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
    await engine.writeLarge([...advance(ledger, engine), ...statements.map((text) => compile(text, engine.dialect))]);
  },
};

/** How many records of a ledger are looked up by each field. A lookup reads the entries of all earlier records. */
const SAMPLE = 50;

/** Ids that are a multiple of this number come first: they are spread over all records. */
const SPREAD = 1_009;

/** How much of a text is looked up: characters, and trigrams. */
const MAX_TEXT = 200;
const MAX_LOOKED_UP = 4;

/** The records of a sample that are not found by their text. */
async function notFound(ledger: CheckedLedger): Promise<readonly Finding[]> {
  const { account, resource, snapshot, engine } = ledger;
  const { record, indexed, entry, table, index } = partsOf(ledger);
  const found: Finding[] = [];
  for (const { name, field, form } of searchedTexts(resource)) {
    const text = trusted(textColumn(field, form));
    const sample = await snapshot.read(
      compile(
        sql`SELECT record.id, ${entry} AS entry, substr(${text}, 1, ${trusted(String(MAX_TEXT))}) AS text
          FROM ${table} AS record WHERE ${record} AND record.id <= ${indexed} AND ${text} IS NOT NULL
          ORDER BY record.id % ${trusted(String(SPREAD))}, record.id LIMIT ${bind('integer', SAMPLE)}`,
        engine.dialect,
      ),
    );
    for (const row of sample) {
      const terms = searchTerms(textOf(row, 'text'), MAX_LOOKED_UP);
      if (terms === undefined) continue;
      const rows = await snapshot.read(
        compile(
          sql`SELECT 1 AS found FROM ${index} WHERE ${index} MATCH ${bind('text', `${name} : (${terms})`)}
            AND rowid = ${bind('integer', integerOf(row, 'entry'))}`,
          engine.dialect,
        ),
      );
      const detail = 'is not in the search index with its text';
      if (rows.length === 0)
        found.push({ account: account.name, resource: resource.name, id: integerOf(row, 'id'), detail });
    }
  }
  return found;
}

/**
 * How many trigrams a text has, as the index stores it with an entry: a variable-length integer of SQLite, in hexadecimal
 * digits. https://www.sqlite.org/fileformat2.html#varint
 */
function sizeText(column: Sql): Sql {
  const size = sql`max(0, coalesce(length(${column}), 0) - 2)`;
  return sql`CASE WHEN ${size} < 128 THEN format('%02X', ${size})
    WHEN ${size} < 16384 THEN format('%02X%02X', 128 | (${size} >> 7), ${size} & 127)
    ELSE format('%02X%02X%02X', 128 | (${size} >> 14), 128 | ((${size} >> 7) & 127), ${size} & 127) END`;
}

/** Those of all accounts, whatever they contain. */
export async function rebuildSearchIndexes(engine: Engine, catalog: Catalog): Promise<void> {
  const statements = catalog.resources
    .filter((resource) => searchedTexts(resource).length > 0)
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
  await engine.writeLarge(statements);
}

/** Other conditions may follow. */
function insertion(resource: Resource): Sql {
  const texts = searchedTexts(resource);
  const names = texts.map(({ name }) => name).join(', ');
  const values = texts.map(({ field, form }) => textColumn(field, form)).join(', ');
  return sql`INSERT INTO ${trusted(`${resource.name}_search`)} (rowid, ${trusted(names)})
    SELECT (record.account_id << ${trusted(String(ID_BITS))}) | record.id, ${trusted(values)} FROM ${trusted(resource.name)} AS record
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
  return account.id > LAST_ACCOUNT || searchedTexts(resource).length === 0;
}
