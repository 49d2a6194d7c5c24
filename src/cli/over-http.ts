/** What commands need that talk to a service over HTTP: its address, and a file with a key. */

import { readFileSync } from 'node:fs';
import { CommandError } from './command-error.ts';
import { isFileError, reasonOf } from './files.ts';

export function checkedUrl(flag: string, url: string): string {
  const parsed = URL.parse(url);
  if (parsed !== null && parsed.username + parsed.password !== '')
    throw new CommandError(`${flag} must not have a user name or a password.`, 2);
  if (/^https?:$/.test(parsed?.protocol ?? '')) return url;
  throw new CommandError(`${flag} must be an address such as https://acme.example.com, not "${url}".`, 2);
}

export function readKeyFile(path: string): string {
  const key = readText(path).trim();
  // Whatever it is instead, it is not shown.
  if (!/^[!-~]+$/.test(key)) throw new CommandError(`${path} does not have a key in a single line.`);
  return key;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isFileError(error)) throw new CommandError(`${path} cannot be read: ${reasonOf(error)}.`);
    throw error;
  }
}
