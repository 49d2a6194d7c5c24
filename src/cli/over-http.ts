/** What commands need that talk to a service over HTTP: its address, and a file with a key. */

import { CommandError } from './command-error.ts';
import { readText } from './files.ts';

export function checkedUrl(flag: string, url: string): string {
  const parsed = URL.parse(url);
  if (parsed !== null && parsed.username + parsed.password !== '')
    throw new CommandError(`${flag} must not have a user name or a password.`, 2);
  if (/\/api\/v1\/?$/.test(parsed?.pathname ?? ''))
    throw new CommandError(`${flag} must be the address without /api/v1, not "${url}".`, 2);
  if (/^https?:$/.test(parsed?.protocol ?? '')) return url;
  throw new CommandError(`${flag} must be an address such as https://acme.example.com, not "${url}".`, 2);
}

export function readKeyFile(path: string): string {
  const key = readText(path).trim();
  // Whatever it is instead, it is not shown.
  if (!/^[!-~]+$/.test(key)) throw new CommandError(`${path} does not have a key in a single line.`);
  return key;
}
