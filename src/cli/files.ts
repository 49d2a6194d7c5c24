/** Files, as commands meet them. */

import { type Stats, statSync } from 'node:fs';
import { getSystemErrorMessage } from 'node:util';

export function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** `no such file or directory (ENOENT)` */
export function reasonOf({ errno, code }: NodeJS.ErrnoException): string {
  return errno === undefined ? String(code) : `${getSystemErrorMessage(errno)} (${code})`;
}

/** Nothing where it cannot be looked at. Whoever opens it learns why. */
export function fileFacts(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Whether both are there, and are the same. */
export function isSameFile(path: string, other: string): boolean {
  const [one, two] = [fileFacts(path), fileFacts(other)];
  return one !== undefined && one.ino === two?.ino && one.dev === two.dev;
}
