/** SQLite's errors, by result code: https://www.sqlite.org/rescode.html */

import { ResultTooLarge, StatementRejected, StoreUnavailable, UnusableDatabase } from '../store-error.ts';

const ERROR = 1;
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const TOOBIG = 18;
const CONSTRAINT = 19;
const MISMATCH = 20;
const NOTADB = 26;

/** What the error means to the caller. Any other error is returned unchanged. */
export function translateError(error: unknown, path: string): unknown {
  switch (resultCode(error)) {
    case BUSY:
    case LOCKED:
      return new StoreUnavailable(
        'busy',
        `Timed out waiting for a write lock on ${path}: another process is writing. Nothing was changed; try again later.`,
        { cause: error },
      );
    case FULL:
      return new StoreUnavailable('exhausted', `the disk that holds ${path} is full`, { cause: error });
    case IOERR:
      return new StoreUnavailable('unreachable', `${path} cannot be read or written`, { cause: error });
    case READONLY:
    case CANTOPEN:
      return new UnusableDatabase(
        `${path} cannot be opened for writing. Check the permissions of the file and its directory, or choose another file with --database.`,
      );
    case CORRUPT:
    case NOTADB:
      return new UnusableDatabase(
        `${path} is not a SQLite database, or it is damaged. Restore a backup, or choose another file with --database.`,
        'damaged',
      );
    case TOOBIG:
      return new ResultTooLarge(String(error), { cause: error });
    case CONSTRAINT:
    case MISMATCH:
      return new StatementRejected(String(error), { cause: error });
    default:
      return error;
  }
}

/** Whether the file does not contain what a statement needs: it has other tables, or it is damaged. */
export function isContentError(error: unknown): boolean {
  const code = resultCode(error);
  return code === ERROR || code === CORRUPT || code === NOTADB;
}

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  // The low byte is the primary code; the rest only refines it.
  return error.errcode & 0xff;
}
