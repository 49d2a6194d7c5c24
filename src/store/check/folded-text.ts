/** The folded form of text, by which records are searched and sorted, must be what folding the text yields. */

import { fold } from '../../catalog/fold.ts';
import type { Field } from '../../catalog/resource.ts';
import { isText } from '../../catalog/value-types.ts';
import type { Engine } from '../engine/engine.ts';
import { jobFor } from '../records/jobs.ts';
import { foldedColumn } from '../sql/columns.ts';
import { ledgerRow } from '../sql/ledger.ts';
import { bind, concat, join, type Sql, sql, trusted } from '../sql/sql.ts';
import { compile, type Statement } from '../sql/statement.ts';
import type { CheckedLedger, LedgerCheck, LedgerKey } from './check.ts';
import { findings, MAX_REPORTED_FINDINGS, merge, NOTHING_FOUND } from './findings.ts';
import { advance } from './ledger-row.ts';

/** How many records are repaired in one transaction. */
const BATCH = 500;

interface WrongRecord {
  readonly id: number;
  /** The fields whose folded form is wrong, with their texts. */
  readonly fields: readonly { readonly field: Field; readonly text: string | null }[];
}

export const foldedText: LedgerCheck = {
  scope: 'ledger',
  name: 'folded text',
  verifies: 'the stored folded form of every text is what folding it yields',
  repairs: 'folds the text again',
  async find(ledger) {
    let found = NOTHING_FOUND;
    const { account, resource } = ledger;
    for await (const { id, fields } of wrongRecords(ledger)) {
      const names = fields.map(({ field }) => field.name).join(', ');
      const finding = {
        account: account.name,
        resource: resource.name,
        id,
        detail: `has a wrong folded form of ${names}`,
      };
      found = merge(found, found.count < MAX_REPORTED_FINDINGS ? findings([finding]) : { first: [], count: 1 });
    }
    return found;
  },
  repair: (ledger, engine) =>
    engine.slow(jobFor({ account: ledger.account.id }), async (snapshot) => {
      // The first read opens the snapshot.
      await snapshot.read(compile(sql`SELECT 1 AS opened`, engine.dialect));
      let batch: WrongRecord[] = [];
      for await (const record of wrongRecords({ ...ledger, snapshot, engine })) {
        batch.push(record);
        if (batch.length < BATCH) continue;
        await refold(ledger, batch, engine);
        batch = [];
      }
      if (batch.length > 0) await refold(ledger, batch, engine);
    }),
};

/** Written again with a new revision: indexes in memory follow the changes. */
async function refold(ledger: LedgerKey, records: readonly WrongRecord[], engine: Engine): Promise<void> {
  const refolds = records.map((record) => refoldStatement(ledger, record, engine));
  await engine.write([...advance(ledger, engine), ...refolds], ledger.account.id);
}

/** Does nothing if the text was changed since it was read. */
function refoldStatement(
  { account, resource }: LedgerKey,
  { id, fields }: WrongRecord,
  { dialect }: Engine,
): Statement {
  const owner = bind('integer', account.id);
  const folded = fields.map(
    ({ field, text }) => sql`${trusted(foldedColumn(field))} = ${bind('text', text === null ? null : fold(text))}`,
  );
  const isUnchanged = fields.map(
    ({ field, text }) => sql`${trusted(field.column)} IS NOT DISTINCT FROM ${bind('text', text)}`,
  );
  return compile(
    sql`UPDATE ${trusted(resource.name)} SET ${join(folded, ', ')},
        revision = (SELECT ledger.revision FROM ledger WHERE ${ledgerRow(owner, resource)})
      WHERE account_id = ${owner} AND id = ${bind('integer', id)} AND ${join(isUnchanged, ' AND ')}`,
    dialect,
  );
}

async function* wrongRecords(ledger: CheckedLedger): AsyncIterable<WrongRecord> {
  const { account, resource, snapshot, engine } = ledger;
  const fields = resource.fields.filter(isText);
  const json = (column: string): Sql => sql`coalesce(${engine.dialect.jsonString(column)}, 'null')`;
  const cells = fields.flatMap((field) => [sql`','`, json(field.column), sql`','`, json(foldedColumn(field))]);
  const line = concat([sql`'['`, engine.dialect.print('id', 'integer'), ...cells, trusted("']\n'")]);
  const next = snapshot.lines(
    compile(
      sql`SELECT ${line} AS line
        FROM ${trusted(resource.name)} WHERE account_id = ${bind('integer', account.id)}`,
      engine.dialect,
    ),
  );
  for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
    for (const line of Buffer.from(chunk.bytes).toString().trimEnd().split('\n')) {
      const record = wrongRecord(fields, JSON.parse(line));
      if (record !== undefined) yield record;
    }
  }
}

/** The cells are the id, and for each field its text and the folded form. */
function wrongRecord(
  fields: readonly Field[],
  [id, ...cells]: readonly [number, ...(string | null)[]],
): WrongRecord | undefined {
  const wrong = fields
    .map((field, index) => ({ field, text: cells[2 * index] ?? null, folded: cells[2 * index + 1] ?? null }))
    .filter(({ text, folded }) => (text === null ? null : fold(text)) !== folded);
  return wrong.length === 0 ? undefined : { id, fields: wrong };
}
