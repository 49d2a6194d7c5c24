/** A record either exists or has a tombstone, and a tombstone has the revision at which the record was removed. */

import { ledgerRow } from '../sql/ledger.ts';
import { bind, sql, trusted } from '../sql/sql.ts';
import { compile } from '../sql/statement.ts';
import { firstIds, idFindings, type LedgerCheck, type LedgerKey } from './check.ts';
import { merge } from './findings.ts';
import { advance } from './ledger-row.ts';

export const tombstones: LedgerCheck = {
  scope: 'ledger',
  name: 'tombstones',
  verifies: 'no record that exists has a tombstone, and every tombstone has a revision',
  repairs: 'removes the tombstones of records that exist; others get a new revision, and so do the records',
  async find(ledger) {
    const { snapshot, engine } = ledger;
    const { own, living, unplaced } = partsOf(ledger);
    const ofLiving = await snapshot.read(
      compile(firstIds(sql`SELECT id FROM tombstone WHERE ${own} AND ${living}`), engine.dialect),
    );
    const withoutRevision = await snapshot.read(
      compile(firstIds(sql`SELECT id FROM tombstone WHERE ${own} AND ${unplaced}`), engine.dialect),
    );
    return merge(
      idFindings(ledger, ofLiving, 'exists, and has a tombstone'),
      idFindings(ledger, withoutRevision, 'has a tombstone without a valid revision'),
    );
  },
  async repair(ledger, engine) {
    const { resource, account } = ledger;
    const { own, living, unplaced } = partsOf(ledger);
    const owner = bind('integer', account.id);
    const revision = sql`(SELECT ledger.revision FROM ledger WHERE ${ledgerRow(owner, resource)})`;
    const statements = [
      // A copy that has followed the tombstone lacks the record, and gets it again.
      sql`UPDATE ${trusted(resource.name)} SET revision = ${revision} WHERE account_id = ${owner}
          AND id IN (SELECT tombstone.id FROM tombstone WHERE ${own})`,
      sql`DELETE FROM tombstone WHERE ${own} AND ${living}`,
      sql`UPDATE tombstone SET revision = ${revision} WHERE ${own} AND ${unplaced}`,
    ];
    const compiled = statements.map((statement) => compile(statement, engine.dialect));
    await engine.write([...advance(ledger, engine), ...compiled], account.id);
  },
};

function partsOf({ account, resource }: LedgerKey) {
  const owner = bind('integer', account.id);
  return {
    own: sql`tombstone.account_id = ${owner} AND tombstone.resource = ${bind('text', resource.name)}`,
    living: sql`EXISTS (SELECT 1 FROM ${trusted(resource.name)} AS record WHERE record.account_id = ${owner} AND record.id = tombstone.id)`,
    // Revisions start at 1.
    unplaced: sql`tombstone.revision < 1`,
  };
}
