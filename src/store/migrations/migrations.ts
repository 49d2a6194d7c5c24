/**
 * The migrations in order, each applied once. A released migration is frozen: its SQL is literal text and never depends on
 * the catalog, so a database of any age ends up with the same schema. Changes to the schema are new migrations.
 */

import { accountsAndRecords } from './0001-accounts-and-records.ts';
import { searchIndexes } from './0002-search-indexes.ts';
import { accessVersionAndValueIndexes } from './0003-access-version-and-value-indexes.ts';
import { searchIndexBatches } from './0004-search-index-batches.ts';
import { coveringIndexes } from './0005-covering-indexes.ts';
import { noForeignKeys } from './0006-no-foreign-keys.ts';
import { recomposedFolding } from './0007-recomposed-folding.ts';
import { generations } from './0008-generations.ts';
import { revocationIsAState } from './0009-revocation-is-a-state.ts';
import { idempotencyKeys } from './0010-idempotency-keys.ts';
import { changes } from './0011-changes.ts';
import { rateLimits } from './0012-rate-limits.ts';
import { auditTrail } from './0013-audit-trail.ts';
import { auditTrailOnClusters } from './0014-audit-trail-on-clusters.ts';
import type { Migration } from './migration.ts';
import { SCHEMA_VERSION } from './schema-version.ts';

export { newerSchemaMessage, SCHEMA_VERSION } from './schema-version.ts';

export const migrations: readonly Migration[] = [
  accountsAndRecords,
  searchIndexes,
  accessVersionAndValueIndexes,
  searchIndexBatches,
  coveringIndexes,
  noForeignKeys,
  recomposedFolding,
  generations,
  revocationIsAState,
  idempotencyKeys,
  changes,
  rateLimits,
  auditTrail,
  auditTrailOnClusters,
];

/** Records which migrations have been applied. */
export const MIGRATION_TABLE = {
  sqlite: `CREATE TABLE IF NOT EXISTS migration (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    applied_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID`,
  postgres: `CREATE TABLE IF NOT EXISTS migration (
    number bigint PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    applied_at timestamptz NOT NULL
  )`,
} as const;

/** An existing database was migrated. Older versions of the program can no longer use it. */
export interface Upgrade {
  readonly from: number;
  readonly to: number;
}

export interface UpgradeOptions {
  /** The server is a worker of a cluster, which does not migrate. */
  readonly onWorkerNode?: () => void;
  readonly onUpgrade?: (upgrade: Upgrade) => void;
}

/** Reports an upgrade unless the database was new or already current. */
export function reportUpgrade(from: number, { onUpgrade }: UpgradeOptions): void {
  if (from > 0 && from < SCHEMA_VERSION) onUpgrade?.({ from, to: SCHEMA_VERSION });
}
