/** The history of a ledger must name generations that the database has had, and cover every record. */

import { ledgerRow } from '../sql/ledger.ts';
import { textOf } from '../sql/row.ts';
import { bind, join, sql, trusted } from '../sql/sql.ts';
import { compile } from '../sql/statement.ts';
import { type LedgerCheck, ledgerFinding } from './check.ts';
import { findings } from './findings.ts';

export const generations: LedgerCheck = {
  scope: 'ledger',
  name: 'generations',
  verifies: 'the history of a ledger names known generations, in order, and covers the revisions of all records',
  repairs: 'starts a new history in a new generation: cursors expire, and entity tags change',
  async find(ledger) {
    const account = bind('integer', ledger.account.id);
    const row = ledgerRow(account, ledger.resource);
    const history = sql`ledger_history WHERE account_id = ${account} AND resource = ${bind('text', ledger.resource.name)}`;
    const isUnknown = sql`generation NOT IN (SELECT id FROM generation)`;
    const oldest = sql`(SELECT min(began) FROM (SELECT ledger.began UNION ALL SELECT began FROM ${history}) AS begun)`;
    const table = trusted(ledger.resource.name);
    const problems = [
      sql`SELECT 'is in a generation that the database does not know' AS problem FROM ledger WHERE ${row} AND ${isUnknown}`,
      sql`SELECT 'is in a generation that begins after its revision' AS problem FROM ledger WHERE ${row} AND began - 1 > revision`,
      sql`SELECT 'has a history with a generation that the database does not know' AS problem FROM ${history} AND ${isUnknown}`,
      sql`SELECT 'has a history that goes on after its last generation began' AS problem FROM ledger WHERE ${row}
        AND began <= (SELECT max(began) FROM ${history})`,
      sql`SELECT 'has records from before its history' AS problem FROM ledger WHERE ${row}
        AND ${oldest} > (SELECT min(revision) FROM ${table} WHERE account_id = ${account})`,
    ];
    const rows = await ledger.snapshot.read(compile(join(problems, ' UNION ALL '), ledger.engine.dialect));
    return findings(rows.map((found) => ledgerFinding(ledger, textOf(found, 'problem'))));
  },
  async repair({ account, resource }, engine) {
    const owner = bind('integer', account.id);
    // No version in it has been issued yet, so none can be mistaken for one of the new history.
    const generation = await engine.beginGeneration();
    const statements = [
      sql`UPDATE ledger SET generation = ${bind('integer', generation.id)}, began = 0, revision = revision + 1
        WHERE ${ledgerRow(owner, resource)}`,
      sql`DELETE FROM ledger_history WHERE account_id = ${owner} AND resource = ${bind('text', resource.name)}`,
    ];
    const compiled = statements.map((statement) => compile(statement, engine.dialect));
    await engine.write(compiled, account.id);
  },
};
