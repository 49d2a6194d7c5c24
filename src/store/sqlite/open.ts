/** Opens a SQLite file, creates it if allowed, and migrates it. */

import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ColumnIndexOptions } from '../columns/column-indexes.ts';
import { reportUpgrade, SCHEMA_VERSION, type UpgradeOptions } from '../migrations/migrations.ts';
import { processActor } from '../process-actor.ts';
import { sqlStore } from '../sql-store.ts';
import type { CacheBudget } from '../state/cache.ts';
import type { Store } from '../store.ts';
import { UnusableDatabase } from '../store-error.ts';
import { Connection } from './connection.ts';
import { SqliteEngine } from './engine.ts';
import { translateError } from './errors.ts';
import type { OnReplaced } from './file-health.ts';
import { migrate } from './migrate.ts';

export interface SqliteOptions extends UpgradeOptions {
  /** Whether to create a file that doesn't exist. */
  readonly create: boolean;
  /** Whether requests are served. Then keys can be revoked while the database cannot be written to. */
  readonly serves?: boolean;
  /** How long fast reads of an account may wait before further ones are refused, in milliseconds; 0, the default, means unlimited. */
  readonly maxDelay?: number;
  /** The file was replaced or removed while it was in use. */
  readonly onFileReplaced?: OnReplaced;
  /** Without options, there are no columns in memory. */
  readonly columns?: ColumnIndexOptions;
}

export function openSqlite(path: string, options: SqliteOptions, budget: CacheBudget): Store {
  if (!existsSync(path)) {
    // A new file would take its place, and what was committed to the log would be lost.
    if (existsSync(`${path}-wal`))
      throw new UnusableDatabase(
        `There is no database file ${path}, but its log, ${path}-wal. Put the file back, or restore a backup with "stockbook restore".`,
      );
    if (!options.create) {
      throw new UnusableDatabase(
        `There is no database file ${path}. Create one with "stockbook account add NAME", or choose another file with --database.`,
      );
    }
    makeDirectory(dirname(path));
    createFile(path);
  } else if (statSync(path).isDirectory()) {
    throw new UnusableDatabase(
      `${path} is a directory. Name a file with --database, such as ${join(path, 'stockbook.db')}.`,
    );
  }
  try {
    const connection = new Connection(path, { create: options.create });
    const actor = processActor();
    const version = migrate(connection, path, actor);
    // A file guard looks for the identity of the database in the file itself, not in its log.
    if (version < SCHEMA_VERSION) connection.execute('PRAGMA wal_checkpoint');
    reportUpgrade(version, options);
    const engine = new SqliteEngine(path, connection, options.maxDelay ?? 0, options.onFileReplaced);
    if (options.serves === true) engine.revocations.prepare();
    return sqlStore(engine, actor, budget, options.columns);
  } catch (error) {
    throw translateError(error, path);
  }
}

/** Nobody else may read it. SQLite gives its log the same permissions. */
function createFile(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch {
    // Opening the database tells why.
  }
}

/** One level at a time: Node's own recursive mkdir never returns from places such as /proc. */
function makeDirectory(directory: string): void {
  if (existsSync(directory)) return;
  makeDirectory(dirname(directory));
  try {
    mkdirSync(directory);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UnusableDatabase(
      `The directory ${directory} cannot be created (${reason}). Choose another file with --database.`,
    );
  }
}
