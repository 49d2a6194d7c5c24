/** Files, as commands encounter them. */

import { readFileSync, type Stats, statSync } from 'node:fs';
import { getSystemErrorMessage } from 'node:util';
import { CommandError } from './command-error.ts';

export function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** `no such file or directory (ENOENT)` */
export function reasonOf({ errno, code }: NodeJS.ErrnoException): string {
  return errno === undefined ? String(code) : `${getSystemErrorMessage(errno)} (${code})`;
}

/** The whole file. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isFileError(error)) throw new CommandError(`${path} cannot be read: ${reasonOf(error)}.`);
    throw error;
  }
}

/** Undefined if the file cannot be inspected. Opening it reports why. */
export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Whether both paths exist and lead to the same file. */
export function isSameFile(path: string, other: string): boolean {
  const [one, two] = [statsOf(path), statsOf(other)];
  return one !== undefined && one.ino === two?.ino && one.dev === two.dev;
}
