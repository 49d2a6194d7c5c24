/** Where SQLite makes its temporary files: https://www.sqlite.org/tempfiles.html#temporary_file_storage_locations */

import { accessSync, constants, statSync } from 'node:fs';
import { tmpdir } from 'node:os';

const PLACES = ['/var/tmp', '/usr/tmp', '/tmp', '.'];

/** The first directory that can be written to, as in SQLite. */
export function temporaryDirectory(env: NodeJS.ProcessEnv = process.env): string {
  if (process.platform === 'win32') return tmpdir();
  const candidates = [env['SQLITE_TMPDIR'], env['TMPDIR'], ...PLACES].filter((place) => place !== undefined);
  return candidates.find(isWritableDirectory) ?? '.';
}

function isWritableDirectory(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
