/** An idempotency key must name a record that was created. */

import { ledgerRow } from '../sql/ledger.ts';
import { bind, type Sql, sql } from '../sql/sql.ts';
import { compile } from '../sql/statement.ts';
import { firstIds, idFindings, type LedgerCheck, type LedgerKey } from './check.ts';

export const idempotencyKeys: LedgerCheck = {
  scope: 'ledger',
  name: 'idempotency keys',
  verifies: 'every idempotency key names an id that was assigned',
  repairs: 'removes the key: a request that is repeated with it creates a record',
  async find(ledger) {
    const rows = await ledger.snapshot.read(
      compile(firstIds(sql`SELECT record_id AS id FROM ${wrongKeys(ledger)}`), ledger.engine.dialect),
    );
    return idFindings(ledger, rows, 'is named by an idempotency key, but was never assigned');
  },
  async repair(ledger, engine) {
    const lock = sql`UPDATE ledger SET rows = rows WHERE ${ledgerRow(bind('integer', ledger.account.id), ledger.resource)}`;
    const statements = [lock, sql`DELETE FROM ${wrongKeys(ledger)}`];
    const compiled = statements.map((statement) => compile(statement, engine.dialect));
    await engine.write(compiled, ledger.account.id);
  },
};

function wrongKeys({ account, resource }: LedgerKey): Sql {
  const owner = bind('integer', account.id);
  return sql`idempotency_key WHERE account_id = ${owner} AND resource = ${bind('text', resource.name)}
    AND record_id NOT BETWEEN 0 AND (SELECT ledger.last_id FROM ledger WHERE ${ledgerRow(owner, resource)})`;
}
