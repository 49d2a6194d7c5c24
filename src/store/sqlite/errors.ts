/** SQLite's errors, by result code: https://www.sqlite.org/rescode.html */

import {
  OutdatedFields,
  ResultTooLarge,
  StatementRejected,
  StoreUnavailable,
  UnusableDatabase,
} from '../store-error.ts';
import { freeBytes } from './disk-space.ts';
import { temporaryDirectory } from './temporary-directory.ts';

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

/** Writing, synchronizing the file or its directory, and truncating. */
const WRITE_ERRORS = [3, 4, 5, 6].map((detail) => IOERR | (detail << 8));

/** No directory for temporary files can be written to. */
const NO_TEMPORARY_DIRECTORY = IOERR | (25 << 8);

/** What a statement writes to: the database, and what is kept in memory; temporary files; or both. */
export type Written = 'database' | 'temporary files' | 'both';

/** What the error means to the caller. Any other error is returned unchanged. */
export function translateError(error: unknown, path: string, written: Written = 'database'): unknown {
  switch (resultCode(error)) {
    case BUSY:
    case LOCKED:
      return new StoreUnavailable(
        'busy',
        `Timed out waiting for a write lock on ${path}: another process is writing. Nothing was changed; try again later.`,
        { cause: error },
      );
    case FULL:
      return diskFull(error, path, written);
    case IOERR:
      if (isWriteError(error))
        return new StoreUnavailable('not writable', `the disk that holds ${contentOf(written, path)} rejects writes`, {
          cause: error,
        });
      if (extendedCode(error) === NO_TEMPORARY_DIRECTORY)
        return new StoreUnavailable('not writable', `no directory for temporary files can be written to`, {
          cause: error,
        });
      return new StoreUnavailable('unreachable', `${path} cannot be read or written`, { cause: error });
    case READONLY:
      return new StoreUnavailable(
        'not writable',
        `${path} is read-only. Check the permissions of the file, of ${path}-wal and ${path}-shm, and of their directory, and whether the disk is mounted read-only.`,
        { cause: error },
      );
    case CANTOPEN:
      if (written === 'temporary files')
        return new StoreUnavailable('not writable', `no file can be made for ${contentOf(written, path)}`, {
          cause: error,
        });
      return notWritable(path);
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
      return isColumnGone(error) ? new OutdatedFields(String(error), { cause: error }) : error;
  }
}

/** SQLite does not tell which file it could not write. If it may be either, the disk with less room is the full one. */
function diskFull(error: unknown, path: string, written: Written): StoreUnavailable {
  const isTemporary =
    written === 'both' ? freeBytes(temporaryDirectory()) < freeBytes(path) : written === 'temporary files';
  const [reason, content] = isTemporary
    ? (['no temporary space', contentOf('temporary files', path)] as const)
    : (['exhausted', path] as const);
  return new StoreUnavailable(reason, `the disk that holds ${content} is full`, { cause: error });
}

function contentOf(written: Written, path: string): string {
  if (written === 'database') return path;
  const files = `temporary files in ${temporaryDirectory()}`;
  return written === 'both' ? `${path}, or ${files},` : files;
}

/** SQLite has no code of its own for it. */
function isColumnGone(error: unknown): boolean {
  return resultCode(error) === ERROR && error instanceof Error && OWN_COLUMN.test(error.message);
}

const OWN_COLUMN = /no (?:such )?column(?: named)?:? (?:\w+\.)*own_/;

export function notWritable(path: string): UnusableDatabase {
  return new UnusableDatabase(
    `${path} cannot be opened for writing. Check the permissions of the file and its directory, or choose another file with --database.`,
  );
}

/** Whether the file does not contain what a statement needs: it has other tables, or it is damaged. */
export function isContentError(error: unknown): boolean {
  const code = resultCode(error);
  return code === ERROR || code === CORRUPT || code === NOTADB;
}

/** Whether the connection cannot write at all. */
export function isReadOnly(error: unknown): boolean {
  return resultCode(error) === READONLY;
}

/** What the disk says if it became read-only after the file was opened, among other reasons. */
function isWriteError(error: unknown): boolean {
  return WRITE_ERRORS.some((code) => code === extendedCode(error));
}

/** The low byte is the primary code; the rest only refines it. */
function resultCode(error: unknown): number | undefined {
  const code = extendedCode(error);
  return code === undefined ? undefined : code & 0xff;
}

function extendedCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;
}
