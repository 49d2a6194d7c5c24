/** Nothing may belong to an account that does not exist. */

import { NO_ACCOUNT } from '../account-id.ts';
import { jobFor } from '../records/jobs.ts';
import { ACCOUNT_TABLES, ORIGINAL_TABLES } from '../sql/account-tables.ts';
import { integerOf } from '../sql/row.ts';
import { bind, join, type Sql, sql, trusted } from '../sql/sql.ts';
import { compile } from '../sql/statement.ts';
import type { DatabaseCheck } from './check.ts';
import { MAX_REPORTED_FINDINGS, merge, NOTHING_FOUND } from './findings.ts';

export const orphans: DatabaseCheck = {
  scope: 'database',
  name: 'orphans',
  verifies: 'every row belongs to an account that exists',
  repairs: 'removes the rows of accounts that have no record and no key left; if there are any, restore a backup',
  find: (engine) =>
    engine.slow(jobFor({ account: NO_ACCOUNT }), async ({ read }) => {
      let found = NOTHING_FOUND;
      for (const table of ACCOUNT_TABLES) {
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
    await engine.write(
      ACCOUNT_TABLES.filter((table) => !ORIGINAL_TABLES.includes(table)).map((table) =>
        compile(sql`DELETE FROM ${orphansOf(table)} AND ${hasNothingOriginal(table)}`, engine.dialect),
      ),
    );
  },
};

/** What a removal has not removed yet is not orphaned. */
function orphansOf(table: string): Sql {
  const owner = trusted(`${table}.account_id`);
  return sql`${trusted(table)} WHERE NOT EXISTS (SELECT 1 FROM account WHERE account.id = ${owner})
    AND ${owner} NOT IN (SELECT removal.account_id FROM removal)`;
}

/** Records and keys may be all that is left of an account whose row was lost. */
function hasNothingOriginal(table: string): Sql {
  const conditions = ORIGINAL_TABLES.map(
    (original) =>
      sql`NOT EXISTS (SELECT 1 FROM ${trusted(original)} AS original WHERE original.account_id = ${trusted(table)}.account_id)`,
  );
  return join(conditions, ' AND ');
}
