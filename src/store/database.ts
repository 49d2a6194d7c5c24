/**
 * The database that `--database` names. A text that is not valid is never shown, since it may contain a password, and never
 * used as the name of a file.
 */

import { isPostgresUrl, type PostgresUrl, readPostgresUrl, withoutPassword } from './postgres/url.ts';

export type Database =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: PostgresUrl };

/** Undefined if the text is not valid. */
export function readDatabase(text: string): Database | undefined {
  if (databaseFlaw(text) !== undefined) return undefined;
  const url = readPostgresUrl(text);
  return url === undefined ? { kind: 'sqlite', path: pathIn(text) } : { kind: 'postgres', url };
}

/** What is wrong with the text, in words that follow its name; undefined if it is valid. */
export function databaseFlaw(text: string): string | undefined {
  const flaw = findFlaw(ANY_FLAWS, text);
  if (flaw !== undefined) return flaw;
  if (!isPostgresUrl(text)) return findFlaw(PATH_FLAWS, pathIn(text).replace(DRIVE, ''));
  return readPostgresUrl(text) === undefined ? 'is not a valid PostgreSQL URL' : undefined;
}

/** As people and logs may see it. */
export function showDatabase(text: string): string {
  if (databaseFlaw(text) !== undefined) return '***';
  return isPostgresUrl(text) ? withoutPassword(text) : text;
}

type Flaws = readonly (readonly [pattern: RegExp, flaw: string])[];

const ANY_FLAWS: Flaws = [
  [/^$/, 'is empty'],
  [/\p{Cc}/u, 'contains a line break, a tab or another control character'],
  [/^\s/, 'starts with a space'],
  [/\s$/, 'ends with a space'],
  [/^["'`‘’“”]/, 'starts with a quote'],
  [/["'`‘’“”]$/, 'ends with a quote'],
];

const PATH_FLAWS: Flaws = [
  [/^$/, 'does not name a file'],
  [/^\s/, 'has a space before the path'],
  // It would be lost at the end, and every thread would have its own.
  [/^:memory:/, 'names a database in memory, not a file'],
  [/^[a-z][a-z0-9+.-]*\s*:/i, 'names a scheme other than sqlite: or postgres://'],
  [/:\/\//, 'contains ://, but is not a PostgreSQL URL'],
  [/:.*@|@.*:|(pass|password|passwd|pwd)\s*=/i, 'looks like an address with a password, but is not a PostgreSQL URL'],
];

const DRIVE = /^[a-z]:(?=[\\/])/i;

function findFlaw(flaws: Flaws, text: string): string | undefined {
  return flaws.find(([pattern]) => pattern.test(text))?.[1];
}

function pathIn(text: string): string {
  return text.replace(/^sqlite:(\/\/)?/i, '');
}
