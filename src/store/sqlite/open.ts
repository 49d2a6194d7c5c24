/** Opens a SQLite file, creates it if allowed, and migrates it. */

import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { processActor } from '../accounts/process-actor.ts';
import type { Actor } from '../audit.ts';
import { reportUpgrade, SCHEMA_VERSION, type UpgradeOptions } from '../migrations/migrations.ts';
import { type SqlStoreOptions, sqlStore } from '../sql-store.ts';
import type { CacheBudget } from '../state/cache.ts';
import type { Store } from '../store.ts';
import { UnusableDatabase } from '../store-error.ts';
import { Connection } from './connection.ts';
import { type EngineOptions, SqliteEngine } from './engine.ts';
import { notWritable, translateError } from './errors.ts';
import { accessTo, changedWhileRead, fingerprint } from './file-access.ts';
import type { OpenedFile } from './file-guard.ts';
import { migrate, schemaVersion } from './migrate.ts';
import { requireSupportedSchema } from './schema-guard.ts';
import { sync } from './temporary-file.ts';

export interface SqliteOptions extends UpgradeOptions, SqlStoreOptions, Omit<EngineOptions, 'opened'> {
  /** Whether to create a file that doesn't exist. */
  readonly create: boolean;
  /** Whether requests are served. Then keys can be revoked while the database cannot be written to. */
  readonly serves?: boolean;
  /** Nothing is going to be written, so the file, or the place where it is, may be read-only. */
  readonly mayBeReadOnly?: boolean;
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
    const opened = prepareToOpen(path, options);
    const connection = new Connection(path, { create: options.create, access: opened.access });
    const actor = processActor();
    if (opened.access === 'read-write') upgrade(connection, path, actor, options);
    else requireCurrentSchema(connection, path);
    const engine = new SqliteEngine(path, connection, { ...options, opened });
    if (options.serves === true) engine.revocations.prepare();
    return sqlStore(engine, actor, budget, options);
  } catch (error) {
    throw translateError(error, path);
  }
}

/** SQLite opens a file that it must not write to as well as it can, unless that would leave something behind. */
function prepareToOpen(path: string, { mayBeReadOnly = false }: SqliteOptions): OpenedFile {
  // If it could not be created, opening it reports why.
  if (!existsSync(path)) return { access: 'read-write' };
  const print = fingerprint(path);
  const access = accessTo(path);
  if (access !== 'immutable') return { access: mayBeReadOnly ? access : 'read-write' };
  if (!mayBeReadOnly) throw notWritable(path);
  if (print === undefined) throw changedWhileRead(path);
  return { access, fingerprint: print };
}

function upgrade(connection: Connection, path: string, actor: Actor, options: UpgradeOptions): void {
  const version = migrate(connection, path, actor);
  // A file guard looks for the identity of the database in the file itself, not in its log.
  if (version < SCHEMA_VERSION) connection.execute('PRAGMA wal_checkpoint');
  reportUpgrade(version, options);
}

function requireCurrentSchema(connection: Connection, path: string): void {
  const version = schemaVersion(connection, path);
  if (version === 0) throw new UnusableDatabase(`${path} is not a Stockbook database.`);
  if (requireSupportedSchema(connection, path) === SCHEMA_VERSION) return;
  throw new UnusableDatabase(
    `${path} has the schema of an earlier version, and cannot be upgraded because it is read-only. Copy it to a directory in which it can be written.`,
  );
}

/** Nobody else may read it. SQLite gives its log the same permissions. */
function createFile(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch {
    // Opening the database reports why.
  }
}

/** One level at a time: Node's own recursive mkdir never returns from places such as /proc. */
function makeDirectory(directory: string): void {
  if (existsSync(directory)) return;
  makeDirectory(dirname(directory));
  try {
    mkdirSync(directory);
    // What is synchronized in it is lost in a crash of the machine if its own name is.
    sync(dirname(directory));
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UnusableDatabase(
      `The directory ${directory} cannot be created (${reason}). Choose another file with --database.`,
    );
  }
}
