/** Search indexes that records join later than their table: how they catch up, in short transactions. */

import type { Catalog } from '../../catalog/catalog.ts';
import type { Resource } from '../../catalog/resource.ts';
import type { Engine } from '../engine/engine.ts';
import { forEach } from '../engine/for-each.ts';
import { inSlices } from '../engine/in-slices.ts';
import { integerOf, textOf } from '../sql/row.ts';
import { bind, sql } from '../sql/sql.ts';
import { compile } from '../sql/statement.ts';
import type { AccountId } from '../store.ts';

/** How many records join in one transaction. That takes about half a second at most. */
const BATCH = { min: 1, max: 10_000 };

/** Fewer unindexed ids than this are left to creates, which index many at once. */
const TOLERATED = 1_000;

/** Adds everything that is missing. `onProgress` is called with the fraction that is done. */
export async function completeSearch(
  engine: Engine,
  account: AccountId,
  resource: Resource,
  onProgress?: (fraction: number) => void,
): Promise<void> {
  const statements = engine.dialect.indexNewest(resource, bind('integer', account), BATCH);
  if (statements.length === 0) return;
  let first: number | undefined;
  await inSlices(engine.clock, async () => {
    engine.requireRoom();
    const { rows } = await engine.write(
      statements.map((statement) => compile(statement, engine.dialect)),
      account,
    );
    const updated = rows.at(-1)?.[0];
    const left = updated === undefined ? 0 : integerOf(updated, 'left');
    first ??= left + BATCH.max;
    onProgress?.(1 - left / first);
    return left > 0 ? 'more' : 'done';
  });
}

/** Continues what was interrupted. */
export async function completeSearches(engine: Engine, catalog: Catalog): Promise<void> {
  const { dialect } = engine;
  if (dialect.unindexedIds === undefined) return;
  const lagging = await engine.reserved(
    compile(
      sql`SELECT account_id, resource FROM ledger WHERE ${dialect.unindexedIds} > ${bind('integer', TOLERATED)}`,
      dialect,
    ),
    'several',
  );
  await forEach(lagging, async (row) => {
    const resource = catalog.find(textOf(row, 'resource'));
    if (resource !== undefined) await completeSearch(engine, integerOf(row, 'account_id'), resource);
  });
}
