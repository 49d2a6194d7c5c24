/** Stages rows without a database: where they are read, which may be in a thread of its own. */

import { postgresDialect } from './postgres/dialect.ts';
import { Stager } from './sql/staging.ts';
import { sqliteDialect } from './sqlite/dialect.ts';
import type { StagingOrder } from './store.ts';

const DIALECTS = { sqlite: sqliteDialect, postgres: postgresDialect };

export type { Stager };

export function openStager(order: StagingOrder): Stager {
  return new Stager(order, DIALECTS[order.dialect]);
}
