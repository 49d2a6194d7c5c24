/**
 * Entity tags: the revision at which a list, or a record, was last written. Strong, since the same revision gives the
 * same bytes: an account that was removed and added again has other tags, and so has another catalog.
 */

import { crc32 } from 'node:zlib';
import { catalog } from '../catalog/catalog.ts';
import type { ListFormat } from '../request/accept.ts';
import type { Account } from '../store/store.ts';

const CATALOG = crc32(JSON.stringify(catalog));

/** What tells an account's tags from those of others. Accounts stay in memory for as long as their keys are used. */
const prefixes = new WeakMap<Account, string>();

export function entityTag(account: Account, revision: number, format?: ListFormat): string {
  const prefix = prefixes.get(account) ?? newPrefix(account);
  return `"${prefix}-${revision}${format === undefined ? '' : suffixOf(format)}"`;
}

function newPrefix(account: Account): string {
  const prefix = crc32(`${account.id} ${account.createdAt}`, CATALOG).toString(36);
  prefixes.set(account, prefix);
  return prefix;
}

/** Other bytes have another tag. */
function suffixOf(format: ListFormat): string {
  switch (format.kind) {
    case 'json':
      return '';
    case 'ndjson':
      return '-ndjson';
    case 'csv':
      return format.excelSafe ? '-csv-safe' : '-csv';
  }
}

/** RFC 9110, section 13.1.2: `*` matches whatever there is, and `W/` makes no difference here. */
export function tagMatches(ifNoneMatch: string, tag: string): boolean {
  return ifNoneMatch.split(',').some((item) => item.trim() === '*' || item.trim().replace(/^W\//, '') === tag);
}
