/**
 * The migrations in order, each applied once. A released migration is frozen: its SQL is literal text and never depends on
 * the catalog, so a database of any age ends up with the same schema. Changes to the schema are new migrations.
 */

import { firstSchema } from './0001-first-schema.ts';
import { imports } from './0002-imports.ts';
import { search } from './0003-search.ts';
import { views } from './0004-views.ts';
import { browserSessions } from './0005-browser-sessions.ts';
import { ownFields } from './0006-own-fields.ts';
import { sourceReports } from './0007-source-reports.ts';
import { contentsOfImports } from './0008-contents-of-imports.ts';
import type { Migration } from './migration.ts';
import { SCHEMA_VERSION } from './schema-version.ts';

export { SCHEMA_VERSION } from './schema-version.ts';

export const migrations: readonly Migration[] = [
  firstSchema,
  imports,
  search,
  views,
  browserSessions,
  ownFields,
  sourceReports,
  contentsOfImports,
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
  /** The server is a worker node of a cluster, which does not migrate. */
  readonly onWorkerNode?: () => void;
  readonly onUpgrade?: (upgrade: Upgrade) => void;
}

/** Reports an upgrade unless the database was new or already current. */
export function reportUpgrade(from: number, { onUpgrade }: UpgradeOptions): void {
  if (from > 0 && from < SCHEMA_VERSION) onUpgrade?.({ from, to: SCHEMA_VERSION });
}
