/**
 * Gives back the space of what was removed. Deleted rows are overwritten with zeros at once (`secure_delete`), but the search index keeps
 * what it knew about them until it is merged, and the file keeps its size until its free pages are removed.
 */

import type { Clock } from '../../schedule/clock.ts';
import type { WriteResult } from '../engine/engine.ts';
import { inSlices } from '../engine/in-slices.ts';
import { SliceSize } from '../engine/slice-size.ts';
import { integerOf } from '../sql/row.ts';
import { sql } from '../sql/sql.ts';
import { compile, type Statement } from '../sql/statement.ts';
import { sqliteDialect } from './dialect.ts';
import { searchIndexNames } from './search.ts';

/** How many pages are moved in one transaction. */
const MOVED = { first: 100, min: 20, max: 20_000 };

/** How many pages of a search index are written in one transaction. */
const MERGED = { first: 50, min: 10, max: 2_000 };

type Write = (statements: readonly Statement[]) => Promise<WriteResult>;

export async function reclaimPages(write: Write, clock: Clock): Promise<void> {
  for (const index of searchIndexNames()) await mergeSearchIndex(write, index, clock);
  const slice = new SliceSize(MOVED);
  let free = Number.POSITIVE_INFINITY;
  await inSlices(clock, async () => {
    const [, vacuumed] = await timed(write, slice, [
      statement(`PRAGMA incremental_vacuum(${slice.size})`),
      statement('PRAGMA freelist_count'),
    ]);
    const before = free;
    free = integerOf(vacuumed?.[0] ?? {}, 'freelist_count');
    // The pages of a file that another program has created may have to stay.
    return free > 0 && free < before ? 'more' : 'done';
  });
}

/** Into one segment, from which everything that was removed is left out. A negative number begins that, a positive one continues it. */
export async function mergeSearchIndex(write: Write, index: string, clock: Clock): Promise<void> {
  const slice = new SliceSize(MERGED);
  let sign = -1;
  await inSlices(clock, async () => {
    const changes = statement('SELECT total_changes() AS changes');
    const rows = await timed(write, slice, [
      changes,
      statement(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ${sign * slice.size})`),
      changes,
    ]);
    sign = 1;
    const [before, after] = [rows[0], rows[2]].map((changed) => integerOf(changed?.[0] ?? {}, 'changes'));
    // Fewer than two changes mean that there was nothing to do: https://www.sqlite.org/fts5.html#the_merge_command
    return Number(after) - Number(before) >= 2 ? 'more' : 'done';
  });
}

/** What the statements returned. The slice learns how long they took, once they had the lock. */
async function timed(write: Write, slice: SliceSize, statements: readonly Statement[]): Promise<WriteResult['rows']> {
  const { rows } = await write([CLOCK, ...statements, CLOCK]);
  const [began, ended] = [rows.at(0), rows.at(-1)].map((time) => integerOf(time?.[0] ?? {}, 'milliseconds'));
  slice.took(Number(ended) - Number(began));
  return rows.slice(1, -1);
}

const CLOCK = compile(sql`SELECT ${sqliteDialect.clock} AS milliseconds`, sqliteDialect);

function statement(text: string): Statement {
  return { text, parameters: [] };
}
