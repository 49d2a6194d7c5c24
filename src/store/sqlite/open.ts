/** Opens a SQLite file: makes it where there is none, and brings its tables up to date. */

import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tellUpgrade, type UpgradeOptions } from '../sql/migrations.ts';
import { sqlStore } from '../sql/sql-store.ts';
import type { Store } from '../store.ts';
import { UnusableDatabase } from '../store-error.ts';
import { Connection } from './connection.ts';
import { SqliteEngine } from './engine.ts';
import { translated } from './errors.ts';
import { migrate } from './migrate.ts';

export interface SqliteOptions extends UpgradeOptions {
  /** Whether a file that is not there yet is made. */
  readonly create: boolean;
}

export function openSqlite(path: string, options: SqliteOptions): Store {
  if (!existsSync(path)) {
    if (!options.create) {
      throw new UnusableDatabase(
        `There is no database file ${path}. "stockbook account add NAME" makes one; --database names another.`,
      );
    }
    makeFolder(dirname(path));
  } else if (statSync(path).isDirectory()) {
    throw new UnusableDatabase(
      `${path} is a folder. Name a file with --database, such as ${join(path, 'stockbook.db')}.`,
    );
  }
  try {
    const connection = new Connection(path);
    tellUpgrade(migrate(connection, path), options);
    return sqlStore(new SqliteEngine(path, connection));
  } catch (error) {
    throw translated(error, path);
  }
}

/** One folder after the other: Node's own recursive mkdir never returns from places such as /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UnusableDatabase(
      `The folder ${folder} cannot be made (${reason}). Choose another place with --database.`,
    );
  }
}
