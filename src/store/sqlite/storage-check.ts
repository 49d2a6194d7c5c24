/** Whether the pages of the file are intact, and whether its indexes have what the tables have. */

import { NO_DEADLINE } from '../../schedule/deadline.ts';
import { NO_ACCOUNT } from '../account-id.ts';
import type { DatabaseCheck } from '../check/check.ts';
import { storageCheck } from '../check/engine-checks.ts';
import { findings } from '../check/findings.ts';
import { textOf } from '../sql/row.ts';
import type { Statement } from '../sql/statement.ts';
import { searchIndexNames } from './search.ts';
import { rebuildSearchIndexes } from './search-check.ts';

/** How many errors SQLite looks for. */
const MAX_ERRORS = 100;

export const INTEGRITY_CHECK: Statement = { text: `PRAGMA integrity_check(${MAX_ERRORS})`, parameters: [] };

/** The errors that `INTEGRITY_CHECK` returned. */
export function integrityErrors(rows: readonly Parameters<typeof textOf>[0][]): readonly string[] {
  return rows.map((row) => textOf(row, 'integrity_check')).filter((text) => text !== 'ok');
}

export const storage: DatabaseCheck = {
  ...storageCheck,
  scope: 'database',
  async find(engine) {
    const rows = await engine.slow({ account: NO_ACCOUNT, cost: 0, deadline: NO_DEADLINE }, async ({ read }) => {
      // A connection that knows an earlier state of a search index would take the current one for damaged, unless it queries the index first.
      for (const index of searchIndexNames())
        await read({ text: `SELECT 1 FROM ${index} WHERE rowid = 0`, parameters: [] });
      return read(INTEGRITY_CHECK);
    });
    return findings(integrityErrors(rows).map((detail) => ({ detail })));
  },
  async repair(engine, _, catalog) {
    await engine.writeLarge([{ text: 'REINDEX', parameters: [] }]);
    // Their content is derived as well, and not part of REINDEX.
    await rebuildSearchIndexes(engine, catalog);
  },
};
