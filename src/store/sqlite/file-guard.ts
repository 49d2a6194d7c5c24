/**
 * Makes sure that a process only uses the database file that it opened. SQLite does not: a file that is deleted or replaced
 * stays open and accepts writes, which are lost, and the next connection opens whatever has the path by then.
 *
 * The file must keep its device, its inode and the identity inside it. Writes also need the write-ahead log and the shared
 * memory next to it to stay in place.
 */

import { realpathSync, type Stats, statSync } from 'node:fs';
import { textOrNullOf } from '../sql/row.ts';
import { UnusableDatabase } from '../store-error.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { isContentError } from './errors.ts';
import { changedWhileRead, type FileAccess, fingerprint } from './file-access.ts';

/** The file that a process opened, in a form that can be sent to its threads. */
export interface FileIdentity {
  readonly path: string;
  readonly main: NamedFile;
  /** The write-ahead log and the shared memory. */
  readonly companions: readonly NamedFile[];
  /** Chosen when the database was created, and stored in it. */
  readonly database: string | null;
  readonly opened: OpenedFile;
}

/** How a file was opened, and, if it is immutable, its fingerprint before that. */
export type OpenedFile =
  | { readonly access: Exclude<FileAccess, 'immutable'> }
  | { readonly access: 'immutable'; readonly fingerprint: string };

interface NamedFile {
  readonly path: string;
  readonly device: number;
  readonly inode: number;
}

const FOR_WRITING: OpenedFile = { access: 'read-write' };

/** `connection` has just been opened at the path. */
export function identify(path: string, connection: Connection, opened: OpenedFile = FOR_WRITING): FileIdentity {
  const main = namedFile(path);
  if (main === undefined) throw replaced(path);
  // SQLite follows links first.
  const target = realpathSync(path);
  const companions = ['-wal', '-shm'].map((suffix) => namedFile(target + suffix)).filter((file) => file !== undefined);
  return { path, main, companions, database: databaseIdentity(connection), opened };
}

export class FileGuard {
  readonly identity: FileIdentity;
  /** The time of the last change and the size of the file when its content was last verified. */
  #changedAt: number | undefined;
  #size: number | undefined;
  /** Pages of another database may be in the caches of connections, so this is final. */
  #isOverwritten = false;

  constructor(identity: FileIdentity) {
    this.identity = identity;
  }

  /** Opens the file, but no other, and creates none. */
  open(options?: ConnectionOptions): Connection {
    this.verify();
    const connection = new Connection(this.identity.path, { ...options, access: this.identity.opened.access });
    try {
      this.verify();
      if (!this.#hasIdentity(connection)) throw replaced(this.identity.path);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /**
   * Throws if the file was replaced or removed. With a mapped connection, also if it was overwritten: only such a connection
   * reads what is in the file now, and not what it has cached.
   */
  verify(mapped?: Connection): void {
    const { path, main, opened } = this.identity;
    if (opened.access === 'immutable' && fingerprint(path) !== opened.fingerprint) throw changedWhileRead(path);
    const stats = statsOf(main.path);
    if (this.#isOverwritten || stats === undefined || !isSame(stats, main)) throw replaced(path);
    if (mapped === undefined || (stats.ctimeMs === this.#changedAt && stats.size === this.#size)) return;
    this.#isOverwritten = !this.#hasIdentity(mapped);
    if (this.#isOverwritten) throw replaced(path);
    this.#changedAt = stats.ctimeMs;
    this.#size = stats.size;
  }

  /** For writes: a commit is only durable if the log that has it can be found again. */
  verifyAll(mapped?: Connection): void {
    this.verify(mapped);
    for (const file of this.identity.companions) {
      const stats = statsOf(file.path);
      if (stats === undefined || !isSame(stats, file)) throw replaced(file.path);
    }
  }

  #hasIdentity(connection: Connection): boolean {
    try {
      return databaseIdentity(connection) === this.identity.database;
    } catch (error) {
      if (isContentError(error)) return false;
      throw error;
    }
  }
}

/**
 * The id of the first generation, which is random, and the time at which the database was created. The latter is on a page
 * that is not written again, and therefore not in the write-ahead log: it shows which database is in the file itself.
 */
function databaseIdentity(connection: Connection): string | null {
  const text = `SELECT (SELECT id FROM generation WHERE number = 1) || ' ' || (SELECT applied_at FROM migration WHERE number = 1)
    AS identity`;
  const [row] = connection.read({ text, parameters: [] });
  return textOrNullOf(row ?? {}, 'identity');
}

function namedFile(path: string): NamedFile | undefined {
  const stats = statsOf(path);
  return stats && { path, device: stats.dev, inode: stats.ino };
}

/** Undefined if there is no such file, or if it cannot be found out. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function isSame(stats: Stats, { device, inode }: NamedFile): boolean {
  return stats.ino === inode && stats.dev === device;
}

function replaced(path: string): UnusableDatabase {
  return new UnusableDatabase(
    `${path} was replaced or removed while it was in use. Put the original file back, or stop all processes that use it and restore it.`,
    'replaced',
  );
}
