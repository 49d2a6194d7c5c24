/**
 * Gives back the space of what was removed. Deleted rows are overwritten with zeros at once (`secure_delete`), but the search index keeps
 * what it knew about them until it is merged, and the file keeps its size until its free pages are removed.
 */

import type { WriteResult } from '../engine/engine.ts';
import { inSlices } from '../engine/in-slices.ts';
import { integerOf } from '../sql/row.ts';
import type { Statement } from '../sql/statement.ts';
import { searchIndexNames } from './search.ts';

/** How many pages are moved in one transaction. */
const PAGES = 100;

type Write = (statements: readonly Statement[]) => Promise<WriteResult>;

export async function reclaimPages(write: Write): Promise<void> {
  for (const index of searchIndexNames()) await mergeSearchIndex(write, index);
  let free = Number.POSITIVE_INFINITY;
  await inSlices(async () => {
    const { rows } = await write([
      statement(`PRAGMA incremental_vacuum(${PAGES})`),
      statement('PRAGMA freelist_count'),
    ]);
    const before = free;
    free = integerOf(rows[1]?.[0] ?? {}, 'freelist_count');
    // The pages of a file that another program has created may have to stay.
    return free > 0 && free < before ? 'more' : 'done';
  });
}

/** Into one segment, from which everything that was removed is left out. A negative number begins that, a positive one continues it. */
async function mergeSearchIndex(write: Write, index: string): Promise<void> {
  let pages = -PAGES;
  await inSlices(async () => {
    const changes = statement('SELECT total_changes() AS changes');
    const { rows } = await write([
      changes,
      statement(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ${pages})`),
      changes,
    ]);
    pages = PAGES;
    const [before, after] = [rows[0], rows[2]].map((changed) => integerOf(changed?.[0] ?? {}, 'changes'));
    // Fewer than two changes mean that there was nothing to do: https://www.sqlite.org/fts5.html#the_merge_command
    return Number(after) - Number(before) >= 2 ? 'more' : 'done';
  });
}

function statement(text: string): Statement {
  return { text, parameters: [] };
}
