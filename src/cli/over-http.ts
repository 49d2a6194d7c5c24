/** What commands need that talk to a service over HTTP: its address, and a file with a key. */

import { readFileSync } from 'node:fs';
import { CommandError } from './command-error.ts';
import { isFileError, reasonOf } from './files.ts';

export function checkedUrl(flag: string, url: string): string {
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return url;
  throw new CommandError(`${flag} must be an address such as https://acme.example.com, not "${url}".`, 2);
}

export function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (isFileError(error)) throw new CommandError(`${path} cannot be read: ${reasonOf(error)}.`);
    throw error;
  }
}
