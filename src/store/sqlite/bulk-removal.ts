/**
 * Removing many records of an account. The search index only notes that they are gone. Left to itself, it merges its segments in the transaction
 * of some removal or create, and the less of a segment is left, the more of it is read in one step: a merge ends when it has written so many pages, and
 * of what was removed it writes none. So merges are postponed, and made whenever half of what there was has been removed.
 */

import type { Clock } from '../../schedule/clock.ts';
import type { AccountId } from '../account-id.ts';
import { type BulkRemoval, PLAIN_REMOVAL, type WriteResult } from '../engine/engine.ts';
import { integerOf, type Row } from '../sql/row.ts';
import type { Statement } from '../sql/statement.ts';
import { mergeSearchIndex } from './reclaim.ts';
import { searchIndexNames } from './search.ts';

/** The work of a last merge of so many records is short enough. */
const FEW = 5_000;

/** SQLite's default: https://www.sqlite.org/fts5.html#the_automerge_configuration_option */
const AUTOMERGE = 4;

export async function bulkRemoval(
  table: string,
  account: AccountId,
  read: (statement: Statement) => Promise<readonly Row[]>,
  write: (statements: readonly Statement[]) => Promise<WriteResult>,
  clock: Clock,
): Promise<BulkRemoval> {
  const index = searchIndexNames().find((name) => name === `${table}_search`);
  if (index === undefined) return PLAIN_REMOVAL;
  const [row = {}] = await read({
    text: `SELECT coalesce((SELECT max(id) - min(id) + 1 FROM ${table} WHERE account_id = ?1), 0) AS records,
      coalesce((SELECT sum(rows) FROM ledger WHERE resource = '${table}'), 0) AS others`,
    parameters: [account],
  });
  // At most: ids may be missing.
  let left = integerOf(row, 'records');
  const others = integerOf(row, 'others');
  let unmerged = 0;
  const automerge = (segments: number): Statement => ({
    text: `INSERT INTO ${index} (${index}, rank) VALUES ('automerge', ${segments})`,
    parameters: [],
  });
  return {
    before: [automerge(0)],
    after: [automerge(AUTOMERGE)],
    async catchUp(removed) {
      left -= removed;
      unmerged += removed;
      if (left < FEW || unmerged < left + others) return;
      await mergeSearchIndex(write, index, clock);
      unmerged = 0;
    },
  };
}
