/**
 * Keeps every other process away from a database file. In WAL mode, a connection holds a shared lock on the file from its
 * first statement until it is closed, so the exclusive lock is available only if no process has the file open, not even for
 * reading. While it is held, nobody can begin to use the file.
 */

import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { Clock } from '../../schedule/clock.ts';
import { StoreUnavailable, UnusableDatabase } from '../store-error.ts';
import { BUSY_TIMEOUT } from './connection.ts';
import { translateError } from './errors.ts';

export class ExclusiveLock {
  readonly #path: string;
  readonly #database: DatabaseSync;

  private constructor(path: string, database: DatabaseSync) {
    this.#path = path;
    this.#database = database;
  }

  /** If the file is so damaged that SQLite cannot read its header, there is no lock to take. */
  static take(path: string): ExclusiveLock | 'in use' | 'damaged' {
    const url = pathToFileURL(path);
    url.search = 'mode=rw';
    const database = new DatabaseSync(url, { timeout: 0 });
    try {
      // With this mode, the lock is kept until the connection is closed.
      database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
      return new ExclusiveLock(path, database);
    } catch (error) {
      database.close();
      const translated = translateError(error, path);
      if (translated instanceof StoreUnavailable && translated.reason === 'busy') return 'in use';
      if (translated instanceof UnusableDatabase && translated.defect === 'damaged') return 'damaged';
      throw translated;
    }
  }

  /** Moves what is in the log into the file, and removes the log. False if that is impossible. */
  settle(): boolean {
    try {
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      const mode = this.#database.prepare('PRAGMA journal_mode = DELETE').get();
      if (mode?.['journal_mode'] !== 'delete') return false;
      // The memory that a process shared before it was killed.
      rmSync(`${this.#path}-shm`, { force: true });
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Releases the lock of a file that has been replaced. A process that has opened the file shortly before is waiting for it,
   * and would take its name for that of the new one, so this outlasts its patience.
   */
  async releaseReplaced(clock: Clock): Promise<void> {
    await clock.pause(BUSY_TIMEOUT + MARGIN);
    this.release();
  }

  release(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}

/** In milliseconds. */
const MARGIN = 1_000;
