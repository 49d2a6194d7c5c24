/** Nothing may belong to an account that does not exist. */

import { catalog } from '../../catalog/catalog.ts';
import { jobFor } from '../jobs.ts';
import { integerOf } from '../sql/row.ts';
import { bind, type Sql, sql, trusted } from '../sql/sql.ts';
import { compile } from '../sql/statement.ts';
import { type DatabaseCheck, MAX_REPORTED_FINDINGS, merge, NOTHING_FOUND } from './check.ts';

/** The tables whose rows belong to an account; the ledger first, as when an account is removed. */
const TABLES = [
  'ledger',
  'ledger_history',
  'tombstone',
  'idempotency_key',
  'api_key',
  ...catalog.map(({ name }) => name),
];

export const orphans: DatabaseCheck = {
  scope: 'database',
  name: 'orphans',
  verifies: 'every row belongs to an account that exists',
  repairs: 'removes the rows',
  find: (engine) =>
    engine.slow(jobFor({ account: 0 }), async ({ read }) => {
      let found = NOTHING_FOUND;
      for (const table of TABLES) {
        const rows = await read(
          compile(
            sql`SELECT account_id, count(*) AS orphaned, sum(count(*)) OVER () AS total FROM ${orphansOf(table)}
              GROUP BY account_id ORDER BY account_id LIMIT ${bind('integer', MAX_REPORTED_FINDINGS)}`,
            engine.dialect,
          ),
        );
        const [row] = rows;
        if (row === undefined) continue;
        const first = rows.map((orphaned) => ({
          detail: `${integerOf(orphaned, 'orphaned')} in ${table} of account number ${integerOf(orphaned, 'account_id')}, which does not exist`,
        }));
        found = merge(found, { first, count: integerOf(row, 'total') });
      }
      return found;
    }),
  async repair(engine) {
    await engine.write(TABLES.map((table) => compile(sql`DELETE FROM ${orphansOf(table)}`, engine.dialect)));
  },
};

function orphansOf(table: string): Sql {
  return sql`${trusted(table)} WHERE NOT EXISTS (SELECT 1 FROM account WHERE account.id = ${trusted(table)}.account_id)`;
}
