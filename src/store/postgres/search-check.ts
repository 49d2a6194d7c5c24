/** Whether the search indexes find records by their text. Every entry cannot be verified, so a sample is looked up. */

import type { CheckedLedger, LedgerCheck } from '../check/check.ts';
import { searchIndexCheck } from '../check/engine-checks.ts';
import { type Finding, findings } from '../check/findings.ts';
import { advanceEach } from '../check/ledger-row.ts';
import { type SearchedText, searchedTexts, textColumn } from '../sql/columns.ts';
import { integerOf, textOf } from '../sql/row.ts';
import { bind, join, sql, trusted } from '../sql/sql.ts';
import { compile } from '../sql/statement.ts';
import { hasTrigram, postgresDialect } from './dialect.ts';

/** How many records of a ledger are looked up by each field. */
const SAMPLE = 100;

/** Ids that are a multiple of this number come first: they are spread over all records. */
const SPREAD = 1_009;

/** How much of a text is looked up, in characters. */
const MAX_TEXT = 60;

export const searchIndexes: LedgerCheck = {
  ...searchIndexCheck,
  scope: 'ledger',
  async find(ledger) {
    const found: Finding[] = [];
    for (const text of searchedTexts(ledger.resource)) found.push(...(await missing(ledger, text)));
    return findings(found);
  },
  async repair({ resource }, engine) {
    const rows = await engine.reserved({
      text: `SELECT indexrelid::regclass::text AS name FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        JOIN pg_am ON pg_am.oid = relam WHERE amname = 'gin' AND indrelid = to_regclass($1::text)`,
      parameters: [resource.name],
    });
    for (const row of rows) await engine.write([{ text: `REINDEX INDEX ${textOf(row, 'name')}`, parameters: [] }]);
    await engine.write(advanceEach(resource, engine));
  },
};

async function missing(
  { account, resource, snapshot }: CheckedLedger,
  { field, form }: SearchedText,
): Promise<readonly Finding[]> {
  const { read } = snapshot;
  const [owner, column] = [bind('integer', account.id), trusted(textColumn(field, form))];
  const sample = await read(
    compile(
      sql`SELECT id, left(${column}, ${trusted(String(MAX_TEXT))}) AS text FROM ${trusted(resource.name)}
        WHERE account_id = ${owner} AND ${column} IS NOT NULL
        ORDER BY id % ${trusted(String(SPREAD))}, id LIMIT ${bind('integer', SAMPLE)}`,
      postgresDialect,
    ),
  );
  const texts = sample
    .map((row) => ({ id: integerOf(row, 'id'), text: textOf(row, 'text') }))
    .filter(({ text }) => hasTrigram(text));
  if (texts.length === 0) return [];
  // It is off on this connection, but not on the worker nodes of a cluster.
  await read({ text: 'SET LOCAL enable_seqscan = off', parameters: [] });
  await allowIndexScans('off');
  // Without a condition that another index could find, and with all other scans off, only the search index is left.
  const lookups = texts.map(
    ({ id, text }) => sql`(${postgresDialect.contains(column, text)} AND id + 0 = ${bind('integer', id)})`,
  );
  const rows = await read(
    compile(
      sql`SELECT id FROM ${trusted(resource.name)} WHERE account_id + 0 = ${owner} AND (${join(lookups, ' OR ')})`,
      postgresDialect,
    ),
  );
  await allowIndexScans('on');
  const found = new Set(rows.map((row) => integerOf(row, 'id')));
  const detail = `is not found by its ${field.name} in the search index`;
  return texts
    .filter(({ id }) => !found.has(id))
    .map(({ id }) => ({ account: account.name, resource: resource.name, id, detail }));

  async function allowIndexScans(value: 'on' | 'off'): Promise<void> {
    for (const name of ['enable_indexscan', 'enable_indexonlyscan'])
      await read({ text: `SET LOCAL ${name} = ${value}`, parameters: [] });
  }
}
