/** The database that `--database` names. */

import { isPostgresUrl, type PostgresUrl, readPostgresUrl, withoutPassword } from './postgres/url.ts';

export type Database =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: PostgresUrl };

export function readDatabase(text: string): Database | undefined {
  if (isPostgresUrl(text)) {
    const url = readPostgresUrl(text);
    return url && { kind: 'postgres', url };
  }
  const path = text.replace(/^sqlite:(\/\/)?/, '');
  // An in-memory database would be lost at the end, and every thread would have its own.
  const isFile = path !== '' && path !== ':memory:' && !/^\w+:\/\//.test(path);
  return isFile ? { kind: 'sqlite', path } : undefined;
}

/** As people and logs may see it. */
export function showDatabase(text: string): string {
  return isPostgresUrl(text) ? withoutPassword(text) : text;
}
