/**
 * How a database file can be used. SQLite needs a write-ahead log and shared memory next to it, even to read. If it cannot write there, it uses those
 * that exist. If there are none, it fails, or, if only the file itself is read-only, creates some that are read-only as well, and leaves them
 * behind: whoever may write to the file later cannot.
 */

import { accessSync, closeSync, constants, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { UnusableDatabase } from '../store-error.ts';

/** An immutable file is read as if nobody could write to it, without locks. Whether nobody does has to be verified. */
export type FileAccess = 'read-write' | 'read-only' | 'immutable';

export function accessTo(path: string): FileAccess {
  const target = realpathSync(path);
  const companions = ['-wal', '-shm'].map((suffix) => target + suffix);
  const hasCompanions = companions.every((companion) => existsSync(companion));
  const isPlaceWritable = isWritable(dirname(target)) || (hasCompanions && companions.every(isWritable));
  if (isWritable(target) && isPlaceWritable) return 'read-write';
  if (hasCompanions || !isLogged(target)) return 'read-only';
  if (hasLog(target))
    throw new UnusableDatabase(
      `${path} is read-only, and has a log, ${path}-wal, that has to be recovered. Copy both to a directory in which they can be written.`,
    );
  return 'immutable';
}

/** Changes whenever anybody writes to a file that can be read without a log. Undefined if there is none, or if it has a log now. */
export function fingerprint(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined || hasLog(realpathSync(path))) return undefined;
  return [stats.dev, stats.ino, stats.ctimeNs, stats.mtimeNs, stats.size].join(' ');
}

export function changedWhileRead(path: string): UnusableDatabase {
  return new UnusableDatabase(
    `${path} was changed while it was read. It is read-only here, and was not in use before. Run the command again.`,
  );
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function hasLog(target: string): boolean {
  return (statSync(`${target}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** The version that is needed to read the file: 2 is with a write-ahead log. https://www.sqlite.org/fileformat.html */
const READ_VERSION = 19;
const LOGGED = 2;

function isLogged(target: string): boolean {
  const header = Buffer.alloc(READ_VERSION + 1);
  const descriptor = openSync(target, 'r');
  try {
    readSync(descriptor, header);
  } finally {
    closeSync(descriptor);
  }
  return header[READ_VERSION] === LOGGED;
}
