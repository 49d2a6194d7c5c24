/**
 * Revoked keys in a small database of their own, beside the file. A key that has leaked must not keep working because another process is
 * writing, or because the disk is full: this file is locked for a moment only, and its space, like that of its journal, was taken when it
 * was created. Entries stay until they are in the database itself.
 */

import { chmodSync, chownSync, existsSync, realpathSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { Clock } from '../../schedule/clock.ts';
import type { PendingRevocations, Revocation } from '../engine/revocations.ts';
import { textOf } from '../sql/row.ts';
import { BUSY_TIMEOUT } from './connection.ts';

/** How often the file is looked at, in milliseconds. */
const INTERVAL = 500;

/** How long the serving thread waits for a process that is writing to the file, in milliseconds. It tries again later. */
const READ_TIMEOUT = 50;

/** The clock of a file system may stand still for this long, in milliseconds, so that a change leaves no trace. */
const CLOCK_STEP = 2_000;

/** Space for hundreds of entries, in bytes. */
const RESERVED_BYTES = 64 * 1024;

export class RevocationFile implements PendingRevocations {
  readonly #database: string;
  readonly #path: string;
  readonly #clock: Clock;
  #pending: ReadonlyMap<string, Revocation> = new Map();
  /** What identifies the content that was read. */
  #seen = '';
  /** A monotonic time. */
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** `database` is the path of the file that it is beside. */
  constructor(database: string, clock: Clock) {
    this.#database = realpathSync(database);
    this.#path = `${this.#database}-revoked`;
    this.#clock = clock;
  }

  /** Takes its space in advance. Without permission to do so, there is no file, and revocations wait for the database. */
  prepare(): void {
    // Whoever created it may have been killed, or may have had no space.
    if ([this.#path, `${this.#path}-journal`].every((path) => sizeOf(path) >= RESERVED_BYTES)) return;
    try {
      this.#write((file) => {
        file.exec(`BEGIN IMMEDIATE;
          CREATE TABLE IF NOT EXISTS revocation (
            key TEXT PRIMARY KEY, at TEXT NOT NULL, actor TEXT NOT NULL, origin TEXT NOT NULL
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE IF NOT EXISTS reserve (bytes BLOB) STRICT;
          INSERT INTO reserve VALUES (zeroblob(${RESERVED_BYTES}));
          COMMIT`);
        // All pages get into the journal, which stays as long as it is then.
        file.exec('PRAGMA secure_delete = ON; DELETE FROM reserve');
      });
      const { mode, uid, gid } = statSync(this.#database);
      for (const path of [this.#path, `${this.#path}-journal`]) {
        chmodSync(path, mode);
        // The service may run as another user than the command that came first.
        if (process.getuid?.() === 0) chownSync(path, uid, gid);
      }
    } catch {
      // The database itself is opened next, and says what is wrong.
    }
  }

  get pending(): ReadonlyMap<string, Revocation> {
    const now = this.#clock.monotonic();
    if (now - this.#lookedAt >= INTERVAL) {
      this.#lookedAt = now;
      this.#look();
    }
    return this.#pending;
  }

  /** If there is no file, no service has ever run that would look into it. */
  add({ key, at, actor }: Revocation): boolean {
    if (!existsSync(this.#path)) return false;
    try {
      this.#write((file) =>
        file
          .prepare('INSERT OR REPLACE INTO revocation (key, at, actor, origin) VALUES (?, ?, ?, ?)')
          .run(key, at, actor.name, actor.origin),
      );
    } catch {
      return false;
    }
    this.#look();
    return true;
  }

  remove(key: string): void {
    try {
      this.#write((file) => file.prepare('DELETE FROM revocation WHERE key = ?').run(key), READ_TIMEOUT);
    } catch {
      // It is revoked twice then, which changes nothing.
    }
    this.#look();
  }

  #write(body: (file: DatabaseSync) => void, timeout = BUSY_TIMEOUT): void {
    const file = new DatabaseSync(this.#path, { timeout });
    try {
      file.exec('PRAGMA journal_mode = PERSIST; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF');
      body(file);
    } finally {
      file.close();
    }
  }

  /** Reads the file if it has changed. What cannot be read is read the next time, and what is known stays. */
  #look(): void {
    try {
      const stats = statSync(this.#path, { throwIfNoEntry: false });
      const seen = stats === undefined ? '' : `${stats.ino} ${stats.mtimeMs} ${stats.ctimeMs}`;
      if (seen === this.#seen) return;
      this.#pending = stats === undefined ? new Map() : this.#read();
      const isRecent = stats !== undefined && Math.abs(this.#clock.wall() - stats.mtimeMs) < CLOCK_STEP;
      this.#seen = isRecent ? 'recent' : seen;
    } catch {
      this.#seen = 'unknown';
    }
  }

  #read(): ReadonlyMap<string, Revocation> {
    const url = pathToFileURL(this.#path);
    // Not `ro`: what a killed process has begun to write is undone first.
    url.search = 'mode=rw';
    const file = new DatabaseSync(url, { timeout: READ_TIMEOUT });
    try {
      const rows = file.prepare('SELECT key, at, actor, origin FROM revocation').all();
      return new Map(
        rows.map((row) => {
          const [key, at] = [textOf(row, 'key'), textOf(row, 'at')];
          return [key, { key, at, actor: { name: textOf(row, 'actor'), origin: textOf(row, 'origin') } }];
        }),
      );
    } finally {
      file.close();
    }
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
