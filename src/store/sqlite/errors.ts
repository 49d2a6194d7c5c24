/** SQLite's errors, told apart by their result codes: https://www.sqlite.org/rescode.html */

import { StoreUnavailable, UnusableDatabase } from '../store-error.ts';

const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

/** What the error means to whoever asked; an error that is a fault of the program stays what it is. */
export function translated(error: unknown, path: string): unknown {
  switch (resultCode(error)) {
    case BUSY:
    case LOCKED:
      return new StoreUnavailable(
        'busy',
        `${path} is being written by another process, so nothing was changed. Try again once that has ended.`,
        { cause: error },
      );
    case FULL:
      return new StoreUnavailable('exhausted', `the disk that holds ${path} is full`, { cause: error });
    case IOERR:
      return new StoreUnavailable('unreachable', `${path} cannot be read or written`, { cause: error });
    case READONLY:
    case CANTOPEN:
      return new UnusableDatabase(
        `${path} cannot be opened for writing. Check that the file and its folder belong to this user, or choose another with --database.`,
      );
    case CORRUPT:
    case NOTADB:
      return new UnusableDatabase(
        `${path} is not a SQLite database, or it is damaged. Choose another with --database, or bring back a backup.`,
      );
    default:
      return error;
  }
}

/** Whether another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === BUSY;
}

/** Whether it is SQLite's own, and not one of the program. */
export function isOfSqlite(error: unknown): error is Error {
  return resultCode(error) !== undefined;
}

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  // The low byte is the primary code; what is above it only refines it.
  return error.errcode & 0xff;
}
